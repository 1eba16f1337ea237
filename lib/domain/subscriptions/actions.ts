import type { Orm } from "@/db/client";
import {
  findSubscription,
  listPaidInvoices,
  lockOpenInvoices,
  lockSubscription,
  type Run,
  runIn,
  runOn,
} from "@/db/queries/subscriptions/rows";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import type { SubscriptionAction, SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";
import type {
  CancelSubscriptionBody,
  Subscription,
  UpdateSubscriptionBody,
} from "@/lib/contract/subscriptions/subscription";
import { countLaterRefund } from "../api-keys/limits";
import { type Context, environmentNow, type Reply, resourceNotFound } from "../context";
import { runOnce } from "../idempotency/run-once";
import { changeInProgress, holdMethod, requireMethod } from "./charge";
import { parseFutureTime } from "./create";
import { changed, ended, isUnderWay, type Move, withCard } from "./move";
import { presentSubscription } from "./present";
import { unusedPart } from "./proration";
import { beginRefunds } from "./refunds";
import { isRunning, subscriptionActions } from "./states";
import { writeMove } from "./write-move";

/** A locked subscription with its unpaid invoices, and the current time. */
export type Held = {
  readonly row: SubscriptionRow;
  readonly open: readonly InvoiceRow[];
  readonly now: string;
  readonly tx: Orm;
  readonly run: Run;
};

/** Locks a subscription, and throws unless its status allows the action and no change of it is being paid. */
export async function hold(ctx: Context, tx: Orm, publicId: string, action: SubscriptionAction): Promise<Held> {
  const run = runIn(tx);
  const id = decodeId("subscription", publicId);
  const row = id && (await lockSubscription(run, ctx.environment.id, id));
  if (!row || row.event_sequence === 0) throw resourceNotFound("subscription", publicId);
  requireAction(row.status, action);
  const open = await lockOpenInvoices(run, ctx.environment.id, row.id);
  if (open.some(isUnderWay)) throw changeInProgress();
  return { row, open, now: environmentNow(ctx).toISOString(), tx, run };
}

export function requireAction(status: SubscriptionStatus, action: SubscriptionAction): void {
  const allowed = subscriptionActions(status);
  if (allowed.includes(action)) return;
  const then = allowed.length > 0 ? `It allows ${allowed.join(", ")}.` : "Nothing can be done with it anymore.";
  throw new AppError("invalid_state", `The subscription is ${status}. ${then}`, {
    extra: { current_status: status, allowed_actions: allowed },
  });
}

/** Makes a change that charges nothing. Returns the subscription. */
function changeHeld(
  ctx: Context,
  publicId: string,
  action: SubscriptionAction,
  decide: (held: Held) => Move | Promise<Move>,
): Promise<Reply> {
  return runOnce(ctx, async (tx) => {
    const held = await hold(ctx, tx, publicId, action);
    return writeHeld(ctx, held, await decide(held));
  });
}

export async function writeHeld(ctx: Context, { row, open, now, run }: Held, move: Move): Promise<Subscription> {
  const locked = { subscription: row, invoices: open };
  const by = { actor: ctx.actor, requestId: ctx.request.id };
  const { subscription } = await writeMove(run, ctx, { locked, move, by, now });
  return presentSubscription(subscription, ctx.environment.mode, null);
}

/** Ends a subscription immediately. A prorated refund returns the unused part of the paid period. */
export async function cancelSubscription(ctx: Context, input: CancelSubscriptionBody & { id: string }): Promise<Reply> {
  const due: SubscriptionRow[] = [];
  const reply = await changeHeld(ctx, input.id, "cancel", async ({ row, open, now, run, tx }) => {
    const move = ended(row, open, { at: now, now, reason: input.reason });
    if (input.refund === "none") return move;
    const refund_due = await refundable(run, row, now);
    if (refund_due > 0) await countLaterRefund(ctx, tx, { amount: refund_due, currency: row.currency });
    const subscription = changed(move.subscription, { refund_due }, now);
    if (refund_due > 0) due.push(subscription);
    return { ...move, subscription };
  });
  // If this process dies here, the engine begins the refunds.
  for (const row of due) await beginRefunds(ctx.service, ctx.environment, row.id);
  return reply;
}

/**
 * The unused part of what was invoiced for the current period, at most the amount paid for it. Minor units.
 */
export async function refundable(run: Run, row: SubscriptionRow, now: string): Promise<number> {
  if (!isRunning(row.status)) return 0;
  const invoices = await listPaidInvoices(run, row.environment_id, row);
  const paid = invoices.reduce((sum, { amount_paid }) => sum + amount_paid, 0);
  const lines = invoices.flatMap((invoice) => invoice.lines);
  const unused = lines.reduce((sum, line) => sum + unusedPart(line.amount, line, now), 0);
  return Math.min(paid, Math.max(0, unused));
}

/** The refund that a prorated cancellation would make now; null for unknown and foreign ids. */
export async function findProratedRefund(
  { service, environment }: Pick<Context, "service" | "environment">,
  publicId: string,
): Promise<{ amount: number; currency: string } | null> {
  const run = runOn(service.db.within(environment.id).sql);
  const id = decodeId("subscription", publicId);
  const row = id && (await findSubscription(run, environment.id, id));
  if (!row) return null;
  const now = environmentNow({ service, environment }).toISOString();
  return { amount: await refundable(run, row, now), currency: row.currency };
}

/** Stops invoices and payment attempts until the subscription is resumed. */
export function pauseSubscription(ctx: Context, input: { id: string }): Promise<Reply> {
  return changeHeld(ctx, input.id, "pause", ({ row, open, now }) => ({
    subscription: changed(row, { status: "PAUSED", paused_at: now }, now),
    invoices: open.map((invoice) => ({ ...invoice, next_attempt_at: null, updated_at: now })),
    events: [{ type: "subscription.paused" }],
  }));
}

/** Changes the given fields. A new card makes unpaid invoices due immediately. */
export async function updateSubscription(ctx: Context, input: UpdateSubscriptionBody & { id: string }): Promise<Reply> {
  return changeHeld(ctx, input.id, "update", async ({ row, open, now, tx }) => {
    const values: Partial<SubscriptionRow> = {};
    let before: Pick<Move, "subscription" | "invoices"> = { subscription: row, invoices: [] };
    if (input.metadata !== undefined) values.metadata = input.metadata;
    if (input.cancel_at_period_end !== undefined) {
      if (!isRunning(row.status)) requireAction(row.status, "pause");
      values.cancel_at_period_end = input.cancel_at_period_end;
    }
    if (input.trial_end_at !== undefined)
      Object.assign(values, trialUntil(row, parseFutureTime(now, input.trial_end_at), now));
    if (input.payment_method_id !== undefined) {
      const method = await requireMethod(ctx, input.payment_method_id, row.customer_id, tx);
      await holdMethod(tx, method);
      before = withCard(row, open, { methodId: method.id, now });
    }
    const next = changed(before.subscription, values, now);
    const isSame = JSON.stringify({ ...next, updated_at: row.updated_at }) === JSON.stringify(row);
    if (isSame) return { subscription: row, invoices: [], events: [] };
    return { subscription: next, invoices: before.invoices, events: [{ type: "subscription.updated" }] };
  });
}

/** Values that move a trial's end, which is also the anchor of the periods. */
function trialUntil(row: SubscriptionRow, end: string, now: string): Partial<SubscriptionRow> {
  if (row.status !== "TRIALING" || row.period_number !== 0) {
    throw new AppError("invalid_state", `The subscription is ${row.status}: it has no trial to change.`, {
      extra: { current_status: row.status, allowed_actions: subscriptionActions(row.status) },
    });
  }
  const isAnnouncedAgain = Date.parse(end) - Date.parse(now) > 3 * 86_400_000;
  return {
    trial_end_at: end,
    period_end_at: end,
    anchor_at: end,
    ...(isAnnouncedAgain && { trial_end_announced: false }),
    ...(row.pending_change && { pending_change: { ...row.pending_change, at: end } }),
  };
}
