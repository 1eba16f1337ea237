import type { ActorRecord } from "@/db/schema/operations";
import { type Endpoint, writes } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import type { UserPermission } from "@/lib/contract/permissions";
import type { SignedInUser } from "@/lib/domain/accounts/sessions";
import type { Context, Environment, Service } from "@/lib/domain/context";
import { idempotencyOf, NOT_FROM_HEADER } from "./idempotency";

/** Who calls, whichever way they proved it. */
export type Caller = {
  readonly actor: ActorRecord;
  /** What the rate limit counts by. */
  readonly limitKey: string;
  readonly environment: Environment;
  readonly permissions: ReadonlySet<UserPermission>;
  /** Whether somebody of the merchant proved an e-mail address; for staff, always. */
  readonly verified: boolean;
  /** Who is signed in; left out for an API key, which is no person and proves nothing again. */
  readonly user?: SignedInUser;
};

/**
 * Whose answers count together: those of all keys of an environment, of all its people, and of each of our staff. What is
 * answered to writes counts apart, so that who reads too much can go on taking payments.
 */
export function readerOf(
  { actor, environment, limitKey }: Caller,
  endpoint: Pick<Endpoint, "method" | "reads">,
): string {
  const who =
    actor.type === "staff" ? `staff ${limitKey}` : actor.type === "user" ? membersOf(environment) : environment.id;
  return writes(endpoint) ? `${who} writes` : who;
}

export const membersOf = ({ id }: Pick<Environment, "id">): string => `people ${id}`;

/** A suspended merchant's members can look, but not act. */
export const merchantSuspended = () =>
  new AppError("merchant_suspended", "This merchant account is suspended. Contact support to have it reinstated.");

/** Throws `permission_denied` unless the caller has one of the endpoint's permissions. Looks nothing up. */
export function authorize(
  caller: Pick<Caller, "permissions"> & Partial<Pick<Caller, "actor">>,
  endpoint: Pick<Endpoint, "permissions">,
): void {
  const { permissions } = endpoint;
  if (permissions.length === 0) return;
  for (const permission of permissions) if (caller.permissions.has(permission)) return;
  const needed = permissions.join(" or ");
  throw new AppError(
    "permission_denied",
    caller.actor?.type === "api_key" || !caller.actor
      ? `This API key lacks the permission ${needed}. Use a key that has it.`
      : `Your role lacks the permission ${needed}. Ask an owner of the account for it.`,
  );
}

/**
 * The call under an idempotency key that stands in its body as `attempt`: the page mints one when a form opens, so that a
 * double click and a retry are the same request. It is no key of the merchant's own requests.
 */
export function attemptContext(ctx: Context, { attempt, ...body }: { attempt: string }): Context {
  const request = { environmentId: ctx.environment.id, method: "POST", path: ctx.request.path, body };
  return { ...ctx, idempotency: idempotencyOf(ctx.service.secret, `${NOT_FROM_HEADER}dashboard:${attempt}`, request) };
}

/** A call of the domain by a person in a browser, outside of /v1: without an idempotency key. */
export function userContext(service: Service, call: Pick<Context, "environment" | "actor" | "request">): Context {
  return {
    service,
    ...call,
    idempotency: null,
    reauthorize: async () => {},
  };
}
