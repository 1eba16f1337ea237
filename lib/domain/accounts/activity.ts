import type { Orm } from "@/db/client";
import { type AccountAct, findRemovedMembers, listAccountActs } from "@/db/queries/accounts/history";
import { findEnvironmentId } from "@/db/queries/accounts/merchants";
import { insertAudit } from "@/db/queries/changes";
import type { ActorRecord } from "@/db/schema/operations";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { MODES, type Mode } from "@/lib/contract/transactions/words";
import { idTime, newId } from "@/lib/ids";
import type { Context } from "../context";

export type AccountAction =
  | "settings.account_opened"
  | "settings.account_closed"
  | "settings.business_updated"
  | "settings.checkout_appearance_updated"
  | "settings.logo_updated"
  | "settings.receipts_updated"
  | "settings.account_updated"
  | "settings.email_verified"
  | "settings.password_changed"
  | "settings.password_reset"
  | "settings.second_factor_enabled"
  | "settings.second_factor_disabled"
  | "settings.recovery_codes_replaced"
  | "settings.recovery_code_used"
  | "settings.signed_in"
  | "settings.sign_in_failed"
  | "settings.identity_proved"
  | "settings.proof_failed"
  | "settings.idempotency_key_viewed"
  | "settings.transactions_exported"
  | "settings.settlement_batch_exported"
  | "settings.sign_in_locked"
  | "settings.sessions_ended"
  | "team.member_invited"
  | "team.invitation_resent"
  | "team.invitation_accepted"
  | "team.role_changed"
  | "team.member_removed";

/** The account, the actor and the request. */
type AccountActor = { merchantId: string; actor: ActorRecord; requestId: string | null };

export const accountActor = (ctx: Context): AccountActor => ({
  merchantId: ctx.environment.merchantId,
  actor: ctx.actor,
  requestId: ctx.request.id,
});

/**
 * Records an act on the account or its members in the audit log, inside the transaction of that act. It is
 * one row in the live environment, because both environments share one account and one history.
 */
export async function recordAccountAct(
  tx: Orm,
  by: AccountActor,
  action: AccountAction,
  objectId: string,
  detail: Record<string, unknown> | null = null,
): Promise<void> {
  const environmentId = await findEnvironmentId(tx, by.merchantId, "live");
  if (environmentId === null) throw new Error("a merchant has a live environment");
  const id = newId();
  await insertAudit(tx, environmentId, {
    id,
    actor: by.actor,
    action,
    object_id: objectId,
    request_id: by.requestId,
    detail,
    created_at: idTime(id),
  });
}

type Activity = {
  /** Public id, `aud_…`. */
  id: string;
  /** ISO 8601. */
  at: string;
  actor: { type: AccountAct["actor"]["type"]; name: string };
  action: string;
  /** Null for acts on the account as a whole. */
  mode: Mode | null;
  objectId: string | null;
  detail: Record<string, unknown> | null;
};

type ActivityPage = {
  rows: Activity[];
  /** The `before` of the next page; null on the last one. */
  next: string | null;
};

const PAGE_SIZE = 50;

/**
 * Acts of the merchant's members and of Cardlane's support staff on the account, newest first. `before` is a
 * public id.
 */
export async function listActivity(ctx: Context, input: { before: string | null }): Promise<ActivityPage> {
  const { orm } = ctx.service.db;
  const { merchantId } = ctx.environment;
  const modes = new Map<string, Mode>();
  for (const mode of MODES) {
    const environmentId = await findEnvironmentId(orm, merchantId, mode);
    if (environmentId !== null) modes.set(environmentId, mode);
  }
  const merchant = { id: merchantId, environmentIds: [...modes.keys()] };
  const beforeId = input.before === null ? null : decodeId("audit", input.before);
  const acts = await listAccountActs(orm, merchant, { beforeId, limit: PAGE_SIZE + 1 });
  const page = acts.slice(0, PAGE_SIZE);
  const removed = await removedMembers(ctx, [...modes], page);
  const last = page.at(-1);
  return {
    rows: page.map((act) => present(act, modes, removed)),
    next: acts.length > PAGE_SIZE && last ? encodeId("audit", last.id) : null,
  };
}

async function removedMembers(ctx: Context, environments: [string, Mode][], acts: AccountAct[]) {
  const live = environments.find(([, mode]) => mode === "live")?.[0];
  const ids = acts.flatMap(({ actor, actor_email }) =>
    actor.type === "user" && actor_email === null && actor.id !== null ? [actor.id] : [],
  );
  return live === undefined
    ? new Map<string, string>()
    : findRemovedMembers(ctx.service.db.orm, live, [...new Set(ids)]);
}

function present(act: AccountAct, modes: Map<string, Mode>, removed: Map<string, string>): Activity {
  const isAboutAccount = !act.action.startsWith("api_key.") && act.actor.type !== "staff";
  return {
    id: encodeId("audit", act.id),
    at: idTime(act.id),
    actor: { type: act.actor.type, name: actorName(act, removed) },
    action: act.action,
    mode: isAboutAccount || act.environment_id === null ? null : (modes.get(act.environment_id) ?? null),
    objectId: publicObjectId(act),
    detail: act.detail,
  };
}

/** The support log already has public ids. Users and the account itself are named in the detail instead. */
function publicObjectId({ actor, action, object_id }: AccountAct): string | null {
  if (actor.type === "staff" || object_id === null) return object_id;
  return action.startsWith("api_key.") ? encodeId("apiKey", object_id) : null;
}

function actorName({ actor, actor_name, actor_email }: AccountAct, removed: Map<string, string>): string {
  switch (actor.type) {
    case "user":
      return actor_name ?? actor_email ?? (actor.id === null ? undefined : removed.get(actor.id)) ?? "A former member";
    case "staff":
      // Merchants don't see which member of staff acted.
      return "Cardlane support";
    case "api_key":
      return "An API key";
    case "shopper":
      return "A shopper";
    case "system":
      return "Cardlane";
    default:
      return actor.type satisfies never;
  }
}
