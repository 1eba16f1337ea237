import { createApiKey, rotateApiKey } from "@/lib/contract/api-keys/api-keys";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import type { UserPermission } from "@/lib/contract/permissions";

export type Can = (permission: UserPermission) => boolean;

/**
 * Permissions by endpoint name. Some endpoints are outside the API but
 * use idempotency keys; attempts of the payment form are payments.
 */
const PERMISSIONS = new Map<string, readonly UserPermission[]>([
  ...ENDPOINTS.map(({ name, permissions }) => [name, permissions] as const),
  ...[createApiKey, rotateApiKey].map(({ name, permission }) => [name, [permission]] as const),
  ...["payClientSession", "tokenizeForSession"].map((name) => [name, ["payment.create"]] as const),
]);

/** A user who may read payments may also read the requests that created or refunded them. */
const readingOf = (permission: UserPermission) => `${permission.split(".")[0]}.read` as UserPermission;

/**
 * Decides if stored request and response bodies of an endpoint are shown: to
 * users who may call it, or read what it changes. Used by the request log, the
 * idempotency inspector and support. Bodies of unknown endpoints are never shown.
 */
export const canSeeBodies = (endpoint: string | undefined, can: Can): boolean =>
  (PERMISSIONS.get(endpoint ?? "") ?? []).some((permission) => can(permission) || can(readingOf(permission)));
