import type { Orm } from "@/db/client";
import {
  findRule,
  findRuling,
  hasOtherDecider,
  isBound,
  lockSettings,
  type Ruling,
  replaceRule,
  spendAlone,
} from "@/db/queries/approvals";
import type { ApprovalRuleRow } from "@/db/schema/approvals";
import { minorWorth1000Usd, refundUsdCents } from "@/lib/contract/accounts/refund-limit";
import type { ApprovalRule } from "@/lib/contract/approvals/approvals";
import { APPROVAL_REQUIRED, type ApprovalAction, type RoleRuleAction } from "@/lib/contract/approvals/words";
import { AppError } from "@/lib/contract/errors";
import { moneyText } from "@/lib/contract/format";
import type { MerchantRole } from "@/lib/contract/permissions";
import type { Context } from "../context";
import { recordAct } from "../events/event";
import { closeEndedRequest } from "./requests";

export const NO_RULE: ApprovalRule = { roles: [], above_usd: null, day_usd: null, finance_decides: false };

type RuledAction = Exclude<ApprovalAction, "APPROVAL_RULE">;

/** The environment's rule for an action; without roles if there is none. */
export async function getRule({ service, environment }: Context, action: RuledAction): Promise<ApprovalRule> {
  return presentRule(await findRule(service.db.within(environment.id).orm, environment.id, action));
}

/**
 * Changes a rule. A member whom it binds can't weaken it alone, unless there is nobody who could approve that:
 * otherwise an owner could lift the rule, act, and set it again.
 */
export async function updateRule(
  ctx: Context,
  { action, ...rule }: ApprovalRule & { action: RuledAction },
): Promise<void> {
  const { environment, service, actor } = ctx;
  await service.db.within(environment.id).orm.transaction(async (tx) => {
    await lockSettings(tx, environment.id);
    const before = presentRule(await findRule(tx, environment.id, action));
    const userId = actor.id ?? "";
    if (
      weakens(before, rule) &&
      (await isBound(tx, environment.id, action, userId)) &&
      (await hasOtherDecider(tx, environment.id, userId))
    ) {
      throw approvalRequired("This rule binds your own role. A colleague has to approve that it becomes weaker.");
    }
    await applyRule(ctx, tx, { action, before, after: rule });
  });
}

/** Stores a rule under {@link lockSettings}. `requester`: whose request this carries out. */
export async function applyRule(
  ctx: Context,
  tx: Orm,
  { action, before, after }: { action: RuledAction; before: ApprovalRule; after: ApprovalRule },
  requester?: string,
): Promise<void> {
  const { environment } = ctx;
  await replaceRule(tx, { environment_id: environment.id, action, ...after });
  const changes = Object.fromEntries(
    (Object.keys(NO_RULE) as (keyof ApprovalRule)[])
      .filter((name) => String(before[name]) !== String(after[name]))
      .map((name) => [RULE_FIELDS[action][name] ?? name, [before[name], after[name]]]),
  );
  if (Object.keys(changes).length === 0) return;
  const detail = { mode: environment.mode, changes, ...(requester !== undefined && { name: requester }) };
  await recordAct(ctx, tx, "settings.approvals_updated", environment.id, detail);
  await closeEndedRequest(ctx, tx, { action: "APPROVAL_RULE", subject_id: environment.id });
}

/** Names of a rule's fields in the activity, where they differ from the rule for refunds. */
const RULE_FIELDS: Record<RuledAction, Partial<Record<keyof ApprovalRule, string>>> = {
  REFUND: {},
  BANK_ACCOUNT: { roles: "bank_account_roles" },
  LIVE_KEY: { roles: "live_key_roles" },
};

/** True if something that needed approval before no longer does, or if more members may approve. */
function weakens(before: ApprovalRule, after: ApprovalRule): boolean {
  const raised = (was: number | null, is: number | null) => was !== null && (is === null || is > was);
  return (
    before.roles.some((role) => !after.roles.includes(role)) ||
    raised(before.above_usd, after.above_usd) ||
    raised(before.day_usd, after.day_usd) ||
    (after.finance_decides && !before.finance_decides)
  );
}

export const presentRule = (row: ApprovalRuleRow | null): ApprovalRule =>
  row === null
    ? NO_RULE
    : {
        roles: row.roles as MerchantRole[],
        above_usd: row.above_usd,
        day_usd: row.day_usd,
        finance_decides: row.finance_decides,
      };

const ALONE = {
  BANK_ACCOUNT: "Your role can’t change the bank account alone. A colleague has to approve it.",
  LIVE_KEY: "Your role can’t do this with a live key alone. A colleague has to approve it.",
};

/** Throws if a rule keeps the member from acting alone. Test keys need no approval. `tx`: of the act. */
export async function requireAlone(
  { service, environment, actor }: Context,
  action: RoleRuleAction,
  tx?: Orm,
): Promise<void> {
  if (actor.type !== "user" || actor.id === null || (action === "LIVE_KEY" && environment.mode === "test")) return;
  const orm = tx ?? service.db.within(environment.id).orm;
  if (await isBound(orm, environment.id, action, actor.id)) throw approvalRequired(ALONE[action]);
}

/** T1's input to count a refund that a member makes alone; `currency` is the payment's. */
export const aloneRefund = (userId: string, currency: string) => ({ userId, worth: minorWorth1000Usd(currency) });

/** The refusal of a refund by the rule for the member's role, as T1 decides it; null if it allows it now. */
export async function findRuleRefusal(
  { service, environment }: Context,
  userId: string,
  refund: { amount: number; currency: string },
): Promise<AppError | null> {
  const ruling = await findRuling(service.db.within(environment.id).orm, environment.id, userId);
  return ruling && refusal(ruling, refundUsdCents(refund.amount, refund.currency));
}

function refusal({ above_usd, day_usd, spent }: Ruling, cents: number): AppError | null {
  if (above_usd !== null && cents > above_usd * 100) {
    return refundNeedsApproval(`Your role can refund up to ${dollars(above_usd)} without approval.`);
  }
  if (day_usd !== null && spent + cents > day_usd * 100) {
    return refundNeedsApproval(`Your role can refund up to ${dollars(day_usd)} a day without approval.`);
  }
  return null;
}

const dollars = (usd: number) => moneyText(usd * 100, "USD");

const refundNeedsApproval = (why: string) => approvalRequired(`${why} A colleague has to approve this refund.`);

const approvalRequired = (detail: string) =>
  new AppError("permission_denied", detail, { extra: { [APPROVAL_REQUIRED]: true } });

/**
 * Counts a refund that starts after this transaction, as of a subscription that is cancelled. Throws if the
 * rule for the member's role refuses it.
 */
export async function countLaterAlone(
  ctx: Context,
  tx: Orm,
  userId: string,
  refund: { amount: number; currency: string },
): Promise<void> {
  const cents = refundUsdCents(refund.amount, refund.currency);
  if (await spendAlone(tx, ctx.environment.id, { userId, cents })) return;
  throw new AppError(
    "permission_denied",
    "A refund of this amount needs a colleague’s approval. Cancel without a refund, then request it on the payment.",
  );
}

/**
 * Throws if a rule for refunds binds the member. A key that refunds would be a way around it, whether they
 * create, change, rotate or enable it.
 */
export async function requireUnbound({ service, environment }: Context, userId: string): Promise<void> {
  if ((await findRuling(service.db.within(environment.id).orm, environment.id, userId)) === null) return;
  const why =
    "Your refunds may need approval, so you can’t manage keys that refund or cancel subscriptions with a refund";
  if (environment.mode === "live") throw approvalRequired(`${why} alone. A colleague has to approve it.`);
  throw new AppError(
    "permission_denied",
    `${why}. Ask a colleague whose role isn’t bound by the rule under Settings → Approvals.`,
  );
}
