import type { Orm } from "@/db/client";
import { findRule, findRuling, type Ruling, replaceRule, spendAlone } from "@/db/queries/approvals";
import type { ApprovalRuleRow } from "@/db/schema/approvals";
import { minorWorth1000Usd, refundUsdCents } from "@/lib/contract/accounts/refund-limit";
import type { RefundRule } from "@/lib/contract/approvals/approvals";
import { APPROVAL_REQUIRED, type RuleRole } from "@/lib/contract/approvals/words";
import { AppError } from "@/lib/contract/errors";
import { moneyText } from "@/lib/contract/format";
import type { Context } from "../context";
import { recordAct } from "../events/event";

const NO_RULE: RefundRule = { roles: [], above_usd: null, day_usd: null, finance_decides: false };

/** The environment's rule for refunds; without roles if there is none. */
export async function getRefundRule({ service, environment }: Context): Promise<RefundRule> {
  return presentRule(await findRule(service.db.within(environment.id).orm, environment.id, "REFUND"));
}

export async function updateRefundRule(ctx: Context, rule: RefundRule): Promise<RefundRule> {
  const { environment, service } = ctx;
  await service.db.within(environment.id).orm.transaction(async (tx) => {
    const row = { environment_id: environment.id, action: "REFUND" as const, ...rule };
    const before = presentRule(await replaceRule(tx, row));
    const changes = Object.fromEntries(
      (Object.keys(NO_RULE) as (keyof RefundRule)[])
        .filter((name) => String(before[name]) !== String(rule[name]))
        .map((name) => [name, [before[name], rule[name]]]),
    );
    if (Object.keys(changes).length > 0) {
      await recordAct(ctx, tx, "settings.approvals_updated", environment.id, { mode: environment.mode, changes });
    }
  });
  return rule;
}

const presentRule = (row: ApprovalRuleRow | null): RefundRule =>
  row === null
    ? NO_RULE
    : {
        roles: row.roles as RuleRole[],
        above_usd: row.above_usd,
        day_usd: row.day_usd,
        finance_decides: row.finance_decides,
      };

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
    return approvalRequired(`Your role refunds up to ${dollars(above_usd)} alone.`);
  }
  if (day_usd !== null && spent + cents > day_usd * 100) {
    return approvalRequired(`Your role refunds up to ${dollars(day_usd)} a day alone.`);
  }
  return null;
}

const dollars = (usd: number) => moneyText(usd * 100, "USD");

const approvalRequired = (why: string) =>
  new AppError("permission_denied", `${why} A colleague has to approve this refund: request it on the payment.`, {
    extra: { [APPROVAL_REQUIRED]: true },
  });

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
  throw new AppError(
    "permission_denied",
    "Your refunds may need approval, so you can’t manage keys that refund or cancel subscriptions with a refund. Ask a colleague whose role isn’t bound by the rule under Settings → Approvals.",
  );
}
