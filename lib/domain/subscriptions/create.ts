import type { z } from "zod";
import { getMerchantTimeZone } from "@/db/queries/accounts/merchants";
import { findPlan } from "@/db/queries/plans";
import { claimTrial, hasUsedTrial, runIn, runOn } from "@/db/queries/subscriptions/rows";
import type { PlanRow } from "@/db/schema/plans";
import { formatMinor, MAX_AMOUNT } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { instantOf } from "@/lib/contract/fields";
import { decodeId } from "@/lib/contract/ids";
import type { subscriptionPreview } from "@/lib/contract/subscriptions/preview";
import type { BoughtPlan, CreateSubscriptionBody } from "@/lib/contract/subscriptions/subscription";
import { type Context, environmentNow, newEnvironmentId, type Reply, resourceNotFound } from "../context";
import { runOnce } from "../idempotency/run-once";
import { replayKnown } from "../idempotency/used-key";
import { paymentMethodStatus } from "../payment-methods/stored-card";
import { planTermsOf } from "../plans/plans";
import { cardToCharge, changeInProgress, charge, holdMethod, refuseOrReplay, requireMethod } from "./charge";
import { priceOf } from "./compose-invoice";
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
  const { subscription, invoice, method, takenKeys, now } = await begin(ctx, body, { planId: planRow.id, plan });
  if (invoice) {
    const claim = {
      kind: "first" as const,
      invoiceId: invoice.id,
      subscriptionId: subscription.id,
      subscription,
      invoice,
      trialKeys: takenKeys,
    };
    return charge(ctx, { subscription, invoice, claim, card: await cardToCharge(ctx, method) });
  }
  // The card was checked when it was stored; processors have no check of a card that they store already.
  if (paymentMethodStatus(method, environmentNow(ctx)) === "EXPIRED") return refuseOrReplay(ctx, cardExpired());
  return runOnce(ctx, async (tx) => {
    await holdMethod(tx, method);
    const within = runIn(tx);
    const trial = { planId: planRow.id, subscriptionId: subscription.id, keys: takenKeys };
    if (!(await claimTrial(within, ctx.environment.id, trial))) throw changeInProgress();
    const { subscription: made } = await writeMove(within, ctx, {
      locked: { subscription: null, invoices: [] },
      move: { subscription, invoices: [], events: [{ type: "subscription.created" }] },
      by: { actor: ctx.actor, requestId: ctx.request.id },
      now,
    });
    return presentSubscription(made, ctx.environment.mode, null);
  });
}

/** Previews a new subscription: today's charge and the first full one. Writes nothing. */
export async function previewSubscription(
  ctx: Context,
  body: CreateSubscriptionBody,
): Promise<z.output<typeof subscriptionPreview>> {
  const planRow = await requirePlan(ctx, body.plan_id);
  const plan = boughtPlan(planRow);
  if (plan === null || planRow.status !== "ACTIVE") throw notForSale(planRow);
  const { subscription, invoice } = await begin(ctx, body, { planId: planRow.id, plan });
  return {
    currency: subscription.currency,
    due_now: invoice?.amount_due ?? 0,
    trial_end_at: subscription.trial_end_at,
    trial_refused: subscription.trial_refused,
    next_at: subscription.period_end_at,
    next_amount: priceOf(subscription),
  };
}

/**
 * The new subscription with its first invoice, if that is charged now. `takenKeys`: of the trial that it
 * takes.
 */
async function begin(
  ctx: Context,
  body: CreateSubscriptionBody,
  { planId, plan }: { planId: string; plan: BoughtPlan },
) {
  requireChargeable(plan, body.quantity);
  const method = await requireMethod(ctx, body.payment_method_id, body.customer_id);
  const now = environmentNow(ctx).toISOString();
  const trialEndAt = body.trial_end_at === null ? null : parseFutureTime(now, body.trial_end_at);
  const run = runOn(ctx.service.db.within(ctx.environment.id).sql);
  const keys = trialKeys({ customerId: body.customer_id, email: body.customer_email, card: method.card_identity });
  const beginning: Beginning = {
    environmentId: ctx.environment.id,
    id: newEnvironmentId(ctx),
    invoiceId: newEnvironmentId(ctx),
    planId,
    plan,
    quantity: body.quantity,
    customerId: body.customer_id,
    customerEmail: body.customer_email,
    paymentMethodId: method.id,
    timeZone:
      body.time_zone ??
      (await getMerchantTimeZone(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.merchantId)),
    metadata: body.metadata,
    trialEndAt,
    trialRefused: false,
    now,
  };
  const givesTrial = hasTrial(beginning);
  const isRefused = givesTrial && (await hasUsedTrial(run, ctx.environment.id, { planId, keys }));
  return {
    ...startSubscription({ ...beginning, trialRefused: isRefused }),
    method,
    takenKeys: givesTrial && !isRefused ? keys : [],
    now,
  };
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

const cardExpired = () =>
  new AppError("card_declined", "The card has expired. Ask the customer for another card.", {
    param: "payment_method_id",
    extra: { decline_code: "expired_card" },
  });

/** Throws if a period would cost more than the maximum payment amount. */
export function requireChargeable(plan: BoughtPlan, quantity: number): void {
  if (Math.max(plan.amount, plan.trial_amount ?? 0) * quantity <= MAX_AMOUNT) return;
  throw invalid("quantity", `A period must not cost more than ${formatMinor(MAX_AMOUNT, plan.currency)}.`);
}

/** Equals a plan's longest interval. Years beyond 9999 have no ISO 8601 form that clients parse. */
const MAX_TRIAL_YEARS = 100;

/** Parses a caller's end of a trial. Throws unless it is later than now, by at most {@link MAX_TRIAL_YEARS}. */
export function parseFutureTime(now: string, value: string): string {
  const end = instantOf(value);
  if (end.getTime() <= Date.parse(now)) throw invalid("trial_end_at", "trial_end_at must be later than now.");
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_TRIAL_YEARS);
  if (end <= latest) return end.toISOString();
  throw invalid("trial_end_at", `trial_end_at must be within ${MAX_TRIAL_YEARS} years.`);
}

export function invalid(param: string, message: string): AppError {
  const code = "invalid_parameter";
  return new AppError(code, message, { param, errors: [{ param, code, message }] });
}
