import type { Orm } from "@/db/client";
import { listActAmounts } from "@/db/queries/accounts/act-amounts";
import { type AccountAct, findRemovedMembers, listAccountActs } from "@/db/queries/accounts/history";
import { findEnvironmentId } from "@/db/queries/accounts/merchants";
import { insertAudit } from "@/db/queries/changes";
import type { ActorRecord } from "@/db/schema/operations";
import type { ActivityItem } from "@/lib/contract/accounts/activity";
import {
  ACTIVITY_AREAS,
  ACTS_BESIDES_SETTINGS,
  type ActivityQuery,
  SUPPORT_STAFF,
} from "@/lib/contract/accounts/activity-filters";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId, type IdKind } from "@/lib/contract/ids";
import { NOTE_SUBJECTS } from "@/lib/contract/notes/notes";
import { resolveTimes } from "@/lib/contract/transactions/time-range";
import { MODES, type Mode } from "@/lib/contract/transactions/words";
import { BEFORE_ALL, idTime, newId } from "@/lib/ids";
import type { Context } from "../context";
import { idRange } from "../lists";

export type AccountAction =
  | "settings.account_opened"
  | "settings.account_closed"
  | "settings.business_updated"
  | "settings.checkout_appearance_updated"
  | "settings.logo_updated"
  | "settings.receipts_updated"
  | "settings.documents_updated"
  | "settings.subscriptions_updated"
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
  | "settings.subscriptions_exported"
  | "settings.invoices_exported"
  | "settings.settlement_batch_exported"
  | "settings.payout_exported"
  | "settings.payouts_exported"
  | "settings.settlement_batches_exported"
  | "settings.movements_exported"
  | "settings.customers_exported"
  | "settings.disputes_exported"
  | "settings.report_exported"
  | "settings.activity_exported"
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

type ActivityPage = {
  rows: ActivityItem[];
  /** The `before` of the next page; null on the last one. */
  next: string | null;
};

const PAGE_SIZE = 50;
/** Entries of an export, which are in memory together. */
const MAX_EXPORTED = 10_000;
const AFTER_ALL = "ffffffff-ffff-ffff-ffff-ffffffffffff";

type ActivityInput = ActivityQuery & {
  /** Public id of the last entry of the page before. */
  before?: string | null;
  /** The zone in which the query's days begin. */
  timeZone: string;
};

/**
 * Acts of the merchant's members on money, prices, links and settings, and acts and look-ups of Cardlane's
 * support staff, newest first.
 */
export async function listActivity(ctx: Context, input: ActivityInput): Promise<ActivityPage> {
  const rows = await listActs(ctx, input, PAGE_SIZE + 1);
  const page = rows.slice(0, PAGE_SIZE);
  return { rows: page, next: rows.length > PAGE_SIZE ? (page.at(-1)?.id ?? null) : null };
}

/** Everything that the query matches. Throws `invalid_parameter` if that is too much for one file. */
export async function exportActivity(ctx: Context, input: ActivityInput): Promise<ActivityItem[]> {
  const rows = await listActs(ctx, input, MAX_EXPORTED + 1);
  if (rows.length <= MAX_EXPORTED) return rows;
  const detail = `More than ${MAX_EXPORTED.toLocaleString("en-US")} entries match. Choose fewer days.`;
  throw new AppError("invalid_parameter", detail, { param: "created" });
}

async function listActs(ctx: Context, input: ActivityInput, max: number): Promise<ActivityItem[]> {
  const { orm } = ctx.service.db;
  const { merchantId } = ctx.environment;
  const modes = new Map<string, Mode>();
  for (const mode of MODES) {
    const environmentId = await findEnvironmentId(orm, merchantId, mode);
    if (environmentId !== null) modes.set(environmentId, mode);
  }
  const filter = actFilter(ctx, input);
  if (filter === null) return [];
  const acts = await listAccountActs(orm, { id: merchantId, environmentIds: [...modes.keys()] }, filter, max);
  const [removed, amounts] = await Promise.all([removedMembers(ctx, [...modes], acts), amountsOf(ctx, modes, acts)]);
  return acts.map((act) => ({ ...present(act, modes, removed), money: amounts.get(act.id) ?? null }));
}

/** By act; each environment's within itself. */
async function amountsOf({ service }: Context, modes: Map<string, Mode>, acts: readonly AccountAct[]) {
  const found = await Promise.all(
    [...modes.keys()].map((environmentId) => {
      const onPayments = acts.flatMap(({ id, action, environment_id, object_id, request_id }) =>
        environment_id === environmentId && /^(payment|refund)\./.test(action) && object_id && request_id
          ? [{ id, payment_id: object_id, request_id }]
          : [],
      );
      return listActAmounts(service.db.within(environmentId).sql, environmentId, onPayments);
    }),
  );
  return new Map(found.flat().map(({ id, amount, currency }) => [id, { amount, currency }]));
}

/** Null if nothing can match. The log has real time. */
function actFilter({ service }: Context, { area, who, created, before, timeZone }: ActivityInput) {
  const { gte, lt } = created ? idRange(resolveTimes(created, timeZone, service.clock.now().getTime())) : {};
  const beforeId = before ? decodeId("audit", before) : null;
  const member = who === undefined || who === SUPPORT_STAFF ? (who ?? null) : decodeId("user", who);
  if ((before && beforeId === null) || (who !== undefined && member === null)) return null;
  const ends = [lt, beforeId].filter((id) => id !== undefined && id !== null).toSorted();
  return {
    acts: area === undefined ? null : ACTIVITY_AREAS[area].acts,
    except: area === "settings" ? ACTS_BESIDES_SETTINGS : [],
    who: member,
    fromId: gte ?? BEFORE_ALL,
    beforeId: ends[0] ?? AFTER_ALL,
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

function present(act: AccountAct, modes: Map<string, Mode>, removed: Map<string, string>): Omit<ActivityItem, "money"> {
  const isAboutAccount = /^(settings|team)\./.test(act.action) && act.actor.type !== "staff";
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

/** Kinds of the objects of acts, by the beginning of an act's name. */
const OBJECT_KINDS: Readonly<Record<string, IdKind>> = {
  payment: "payment",
  refund: "payment",
  payment_method: "paymentMethod",
  subscription: "subscription",
  invoice: "invoice",
  plan: "plan",
  payment_link: "paymentLink",
  approval_request: "approval",
  client_session: "clientSession",
  webhook_endpoint: "webhookEndpoint",
  api_key: "apiKey",
};

/** The support log already has public ids. Users and the account itself are named in the detail instead. */
function publicObjectId({ actor, action, object_id, detail }: AccountAct): string | null {
  if (actor.type === "staff" || object_id === null) return object_id;
  const subject = action.startsWith("note.") ? NOTE_SUBJECTS.find((one) => one === detail?.subject) : undefined;
  if (subject !== undefined) return encodeId(subject, object_id);
  const kind = action === "settings.payout_retried" ? "payout" : OBJECT_KINDS[action.split(".")[0] ?? ""];
  return kind === undefined ? null : encodeId(kind, object_id);
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
    case "customer":
      return "A customer";
    case "system":
      return "Cardlane";
    default:
      return actor.type satisfies never;
  }
}
