import type { Orm, Sql } from "@/db/client";
import {
  type ApiKeyRow,
  countApiKeys,
  findApiKey,
  findReplacements,
  type KeyUse,
  listApiKeys as selectApiKeys,
  findUsableKey as selectUsableKey,
  type UsableKey,
  recordKeyUses as updateKeyUses,
} from "@/db/queries/api-keys";
import { readClockIn } from "@/db/queries/clock";
import type { ActorRecord } from "@/db/schema/operations";
import type { Clock } from "@/lib/clock";
import type { ApiKey, ApiKeyAction } from "@/lib/contract/api-keys/api-keys";
import { REFUNDING } from "@/lib/contract/api-keys/limits-text";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import type { Permission, UserPermission } from "@/lib/contract/permissions";
import type { SignedInUser } from "../accounts/sessions";
import { requireUnbound } from "../approvals/rules";
import { type Context, resourceNotFound } from "../context";
import { changedMembers, recordChangeBy } from "../events/event";
import { type ListResult, presentList } from "../lists";

/** The key as the API shows it. `replacedBy` is the UUID of the key that replaced it. */
export function presentApiKey(row: ApiKeyRow, now: Date, replacedBy: string | null): ApiKey {
  const status = statusAt(row, now);
  return {
    id: encodeId("apiKey", row.id),
    object: "api_key",
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    permissions: row.permissions as Permission[],
    status,
    ip_allow_list: row.ip_allow_list,
    limits: row.limits,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
    last_used_ip: row.last_used_ip,
    rotated_from: encodeIdOrNull("apiKey", row.rotated_from),
    replaced_by: encodeIdOrNull("apiKey", replacedBy),
    available_actions: availableActions(status, replacedBy !== null),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

export function statusAt(row: ApiKeyRow, now: Date): ApiKey["status"] {
  if (row.status === "REVOKED") return "REVOKED";
  return row.expires_at !== null && Date.parse(row.expires_at) <= now.getTime() ? "EXPIRED" : row.status;
}

/** A replaced key keeps the end that its rotation set, so it can no longer be edited or rotated. */
export function availableActions(status: ApiKey["status"], replaced: boolean): ApiKeyAction[] {
  switch (status) {
    case "ACTIVE":
      return replaced ? ["disable", "revoke"] : ["edit", "rotate", "disable", "revoke"];
    case "DISABLED":
      return replaced ? ["enable", "revoke"] : ["edit", "enable", "revoke"];
    case "EXPIRED":
      return ["revoke"];
    case "REVOKED":
      return [];
    default:
      return status satisfies never;
  }
}

/**
 * The part of the service that key verbs use: they also run outside of requests, and in a caller's
 * transaction as `orm`.
 */
export type KeyService = { readonly db: { readonly orm: Orm }; readonly clock: Clock };

/** The actor that manages the key; Cardlane itself (a script) by default. */
export type ManagedBy = { actor?: ActorRecord; requestId?: string | null };

export type KeyAction = "created" | "updated" | "disabled" | "enabled" | "revoked" | "rotated";

/**
 * Records an act on a key in the outbox and the audit log, in the transaction of the act, which holds the
 * lock on the key's row. `before`: null for a new key. `detail`: stored in the audit log only.
 */
export async function recordKeyAction(
  tx: Orm,
  action: KeyAction,
  { before, after, now }: { before: ApiKeyRow | null; after: ApiKeyRow; now: Date },
  by: ManagedBy,
  detail: Record<string, unknown> | null = null,
): Promise<void> {
  const { environment_id: environmentId, id } = after;
  const replacedBy = (await findReplacements(tx, environmentId, [id])).get(id) ?? null;
  const object = presentApiKey(after, now, replacedBy);
  const previous =
    before === null
      ? null
      : changedMembers(presentApiKey(before, now, action === "rotated" ? null : replacedBy), object);
  const type = `api_key.${action}` as const;
  const actor = by.actor ?? { type: "system", id: null };
  const requestId = by.requestId ?? null;
  const change = { type, action: type, objectId: id, data: { object, previous } };
  // Keys have real time; their events are in order with the environment's others.
  const clock = await readClockIn(tx, environmentId);
  await recordChangeBy({ environmentId, actor, requestId, now, clock }, tx, change, detail);
}

export type { UsableKey };

/** The key whose secret has this SHA-256; null when no working key has it. */
export function findUsableKey(service: { db: { sql: Sql } }, secretSha256: Buffer): Promise<UsableKey | null> {
  return selectUsableKey(service.db.sql, secretSha256);
}

/** The newest keys of an environment, of every status. */
export function listApiKeys(
  service: KeyService,
  input: { environmentId: string; limit?: number },
): Promise<ApiKeyRow[]> {
  return selectApiKeys(service.db.orm, input.environmentId, input.limit ?? 100);
}

/** A key of any status. Throws `resource_not_found`. */
export async function getApiKey(ctx: Context, input: { id: string }): Promise<ApiKey> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const id = decodeId("apiKey", input.id);
  const row = id && (await findApiKey(orm, ctx.environment.id, id));
  if (!row) throw resourceNotFound("API key", input.id);
  const replacements = await findReplacements(orm, ctx.environment.id, [row.id]);
  return presentApiKey(row, ctx.service.clock.now(), replacements.get(row.id) ?? null);
}

/**
 * Throws unless a user may issue, change or enable a key with these permissions: a live key that refunds is not
 * for members who may not refund themselves.
 */
export function requireKeyGrant(
  { environment }: Context,
  user: { permissions: ReadonlySet<UserPermission> },
  permissions: readonly Permission[],
): void {
  if (environment.mode === "test" || !isRefunding(permissions) || user.permissions.has("transaction.refund")) return;
  throw new AppError(
    "permission_denied",
    "Your role can't refund in live mode, so it can't manage live keys that refund, or cancel subscriptions with a refund. Ask an owner of the account.",
  );
}

/** The same, and throws for a member whose own refunds need approval: the key would be a way around it. */
export async function requireKeyManager(
  ctx: Context,
  user: Pick<SignedInUser, "userId" | "permissions">,
  permissions: readonly Permission[],
): Promise<void> {
  requireKeyGrant(ctx, user, permissions);
  if (isRefunding(permissions)) await requireUnbound(ctx, user.userId);
}

const isRefunding = (permissions: readonly Permission[]) =>
  permissions.some((permission) => REFUNDING.includes(permission));

/** One page of an environment's keys, newest first, of every status. */
export async function listKeyPage(ctx: Context, input: { limit: number; offset: number }): Promise<ListResult<ApiKey>> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const environmentId = ctx.environment.id;
  const [found, total] = await Promise.all([
    selectApiKeys(orm, environmentId, input.limit + 1, input.offset),
    countApiKeys(orm, environmentId),
  ]);
  const rows = found.slice(0, input.limit);
  const replacements = await findReplacements(
    orm,
    environmentId,
    rows.map((row) => row.id),
  );
  const now = ctx.service.clock.now();
  const keys = rows.map((row) => presentApiKey(row, now, replacements.get(row.id) ?? null));
  return presentList(keys, { hasMore: found.length > rows.length, total }, input.limit, input.offset);
}

export type { KeyUse };

/** Stores the time and address of each key's last use. */
export async function recordKeyUses(service: { db: { sql: Sql } }, uses: KeyUse[]): Promise<void> {
  if (uses.length > 0) await updateKeyUses(service.db.sql, uses);
}
