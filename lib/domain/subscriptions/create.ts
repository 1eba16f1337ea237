import { getMerchantTimeZone } from "@/db/queries/accounts/merchants";
import { findPlan } from "@/db/queries/plans";
import { claimTrial, hadTrial, runIn, runOn } from "@/db/queries/subscriptions/rows";
import type { PlanRow } from "@/db/schema/plans";
import { formatMinor, MAX_AMOUNT } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { instantOf } from "@/lib/contract/fields";
import { decodeId } from "@/lib/contract/ids";
import type { BoughtPlan, CreateSubscriptionBody } from "@/lib/contract/subscriptions/subscription";
import { type Context, environmentNow, newEnvironmentId, type Reply, resourceNotFound } from "../context";
import { runOnce } from "../idempotency/run-once";
import { replayKnown } from "../idempotency/used-key";
import { planTermsOf } from "../plans/plans";
import { cardToCharge, changesNow, charge, holdMethod, refuseOrReplay, requireMethod } from "./charge";
import { presentSubscription } from "./present";
import { type Beginning, hasTrial, startSubscription } from "./start";
import { trialKeys } from "./trial-keys";
import { writeMove } from "./write-move";

/**
 * Creates a subscription: 201, 202 while the outcome of its first payment is unknown, or 402 without a
 * subscription. Throws AppError for refusals that are not stored.
 */
export async function createSubscription(ctx: Context, body: CreateSubscriptionBody): Promise<Reply> {
  const known = await replayKnown(ctx);
  if (known) return known;
  try {
    return await create(ctx, body);
  } catch (error) {
    // The key's stored response takes precedence, whatever has changed since.
    if (error instanceof AppError && (error.status < 409 || error.stored)) return refuseOrReplay(ctx, error);
    throw error;
  }
}

async function create(ctx: Context, body: CreateSubscriptionBody): Promise<Reply> {
  const planRow = await requirePlan(ctx, body.plan_id);
  const plan = boughtPlan(planRow);
  if (plan === null || planRow.status !== "ACTIVE") return refuseOrReplay(ctx, notForSale(planRow));
  requireChargeable(plan, body.quantity);
  const method = await requireMethod(ctx, body.payment_method_id, body.customer_id);
  const now = environmentNow(ctx).toISOString();
  const trialEndAt = body.trial_end_at === null ? null : laterThan(now, body.trial_end_at);
  const run = runOn(ctx.service.db.within(ctx.environment.id).sql);
  const keys = trialKeys({
    ...{ customerId: body.customer_id, email: body.customer_email, card: method.card_identity },
  });
  const beginning: Beginning = {
    ...{ environmentId: ctx.environment.id, id: newEnvironmentId(ctx), invoiceId: newEnvironmentId(ctx) },
    ...{ planId: planRow.id, plan, quantity: body.quantity },
    ...{ customerId: body.customer_id, customerEmail: body.customer_email, paymentMethodId: method.id },
    timeZone:
      body.time_zone ??
      (await getMerchantTimeZone(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.merchantId)),
    ...{ metadata: body.metadata, trialEndAt, trialRefused: false, now },
  };
  const givesTrial = hasTrial(beginning);
  const isRefused = givesTrial && (await hadTrial(run, ctx.environment.id, { planId: planRow.id, keys }));
  const { subscription, invoice } = startSubscription({ ...beginning, trialRefused: isRefused });
  const takenKeys = givesTrial && !isRefused ? keys : [];
  if (invoice) {
    const claim = {
      ...({ kind: "first", invoiceId: invoice.id, subscriptionId: subscription.id } as const),
      ...{ subscription, invoice, trialKeys: takenKeys },
    };
    return charge(ctx, { subscription, invoice, claim, card: await cardToCharge(ctx, method) });
  }
  return runOnce(ctx, async (tx) => {
    await holdMethod(tx, method);
    const within = runIn(tx);
    const trial = { planId: planRow.id, subscriptionId: subscription.id, keys: takenKeys };
    if (!(await claimTrial(within, ctx.environment.id, trial))) throw changesNow();
    const { subscription: made } = await writeMove(within, ctx.environment, {
      locked: { subscription: null, invoices: [] },
      move: { subscription, invoices: [], events: [{ type: "subscription.created" }] },
      by: { actor: ctx.actor, requestId: ctx.request.id },
      now,
    });
    return presentSubscription(made, ctx.environment.mode, null);
  });
}

export async function requirePlan(ctx: Context, publicId: string): Promise<PlanRow> {
  const id = decodeId("plan", publicId);
  const row = id && (await findPlan(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, id));
  if (!row) throw resourceNotFound("plan", publicId, "plan_id");
  return row;
}

/** The plan's terms as bought; null for a one-time plan. */
export function boughtPlan(row: PlanRow): BoughtPlan | null {
  const { every, trial, trialPrice, price } = planTermsOf(row);
  if (every === null) return null;
  const { type, name, currency } = row;
  return { type, name, currency, amount: price, trial_amount: trialPrice, interval: every, trial };
}

export function notForSale(row: PlanRow): AppError {
  if (row.type === "ONE_TIME") {
    const detail = "The plan is ONE_TIME: nothing would be charged again. Use a plan of a recurring type.";
    return new AppError("plan_not_recurring", detail, { param: "plan_id" });
  }
  const detail = `The plan is ${row.status}. Activate it before you use it.`;
  return new AppError("plan_not_active", detail, { param: "plan_id" });
}

/** Throws if a period would cost more than the maximum payment amount. */
export function requireChargeable(plan: BoughtPlan, quantity: number): void {
  if (Math.max(plan.amount, plan.trial_amount ?? 0) * quantity <= MAX_AMOUNT) return;
  throw invalid("quantity", `A period must not cost more than ${formatMinor(MAX_AMOUNT, plan.currency)}.`);
}

/** Parses a caller's time. Throws unless it is later than now. */
export function laterThan(now: string, value: string): string {
  const at = instantOf(value).toISOString();
  if (at > now) return at;
  throw invalid("trial_end_at", "trial_end_at must be later than now.");
}

export function invalid(param: string, message: string): AppError {
  const code = "invalid_parameter";
  return new AppError(code, message, { param, errors: [{ param, code, message }] });
}
