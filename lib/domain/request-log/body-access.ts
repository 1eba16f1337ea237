import { createApiKey, rotateApiKey } from "@/lib/contract/api-keys/api-keys";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import type { UserPermission } from "@/lib/contract/permissions";

export type Can = (permission: UserPermission) => boolean;

/** By the endpoint's name. Some are outside the API but use idempotency keys; the payment form's attempts are payments. */
const PERMISSIONS = new Map<string, readonly UserPermission[]>([
  ...ENDPOINTS.map(({ name, permissions }) => [name, permissions] as const),
  ...[createApiKey, rotateApiKey].map(({ name, permission }) => [name, [permission]] as const),
  ...["payClientSession", "tokenizeForSession"].map((name) => [name, ["payment.create"]] as const),
]);

/** A user who may read payments may also read the requests that created or refunded them. */
const readingOf = (permission: UserPermission) => `${permission.split(".")[0]}.read` as UserPermission;

/**
 * Whether stored request and response bodies of an endpoint are shown: to those who may call it, or read what it changes.
 * The request log, the idempotency inspector and support all decide by this. Bodies of unknown endpoints are shown to nobody.
 */
export const canSeeBodies = (endpoint: string | undefined, can: Can): boolean =>
  (PERMISSIONS.get(endpoint ?? "") ?? []).some((permission) => can(permission) || can(readingOf(permission)));
