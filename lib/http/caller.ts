import type { ActorRecord } from "@/db/schema/operations";
import { type Endpoint, writes } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import type { UserPermission } from "@/lib/contract/permissions";
import type { SignedInUser } from "@/lib/domain/accounts/sessions";
import type { Context, Environment, Service } from "@/lib/domain/context";
import { BODY_KEY_PREFIX, idempotencyOf } from "./idempotency";

/** An authenticated caller, by API key or session. */
export type Caller = {
  readonly actor: ActorRecord;
  /** Key of the rate limit. */
  readonly limitKey: string;
  readonly environment: Environment;
  readonly permissions: ReadonlySet<UserPermission>;
  /** True if a user of the merchant has a verified e-mail address; always true for staff. */
  readonly verified: boolean;
  /** The signed-in user; left out for an API key, which never re-authenticates. */
  readonly user?: SignedInUser;
};

/**
 * Group of callers whose responses count together: all keys of an environment, all its users, or one member
 * of staff. Responses to writes count apart, so a merchant that reads too much can still take payments.
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

/** Users of a suspended merchant can read, but not write. */
export const merchantSuspended = () =>
  new AppError("merchant_suspended", "This merchant account is suspended. Contact support to have it reinstated.");

/** Throws `permission_denied` unless the caller has one of the endpoint's permissions. */
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
 * The call with the idempotency key in its body's `attempt`: a page generates one when a form opens, so that
 * a double click and a retry are the same request. It never equals a key of the merchant's own requests.
 */
export function attemptContext(ctx: Context, { attempt, ...body }: { attempt: string }): Context {
  const request = { environmentId: ctx.environment.id, method: "POST", path: ctx.request.path, body };
  return { ...ctx, idempotency: idempotencyOf(ctx.service.secret, `${BODY_KEY_PREFIX}dashboard:${attempt}`, request) };
}

/** Context of a user's call outside of /v1, which has no idempotency key. */
export function userContext(service: Service, call: Pick<Context, "environment" | "actor" | "request">): Context {
  return {
    service,
    ...call,
    idempotency: null,
    reauthorize: async () => {},
  };
}
