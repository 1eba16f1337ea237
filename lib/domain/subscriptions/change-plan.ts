import {
  findSubscription,
  listPaidInvoices,
  lockOpenInvoices,
  lockSubscription,
  type Run,
  runIn,
  runOn,
} from "@/db/queries/subscriptions/rows";
import type { ChangeOnPayment, InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import type { SubscriptionAction } from "@/lib/contract/subscriptions/statuses";
import type { ChangePlanBody } from "@/lib/contract/subscriptions/subscription";
import { type Context, environmentNow, newEnvironmentId, type Reply, resourceNotFound } from "../context";
import { runOnce } from "../idempotency/run-once";
import { replayKnown } from "../idempotency/used-key";
import { type Held, hold, requireAction, writeHeld } from "./actions";
import { advance } from "./advance";
import { type Change, type ChangedAt, changeLater, changeNow, resumeNow } from "./change";
import { cardToCharge, changeInProgress, charge, getMethod, refuseOrReplay } from "./charge";
import { billedUnits, paid } from "./compose-invoice";
import { boughtPlan, invalid, notForSale, requireChargeable, requirePlan } from "./create";
import { changed, isUnderWay, type Move } from "./move";
import { presentInvoice } from "./present";

/** Changes plan or quantity, immediately or at the end of the period. */
export function changeSubscriptionPlan(ctx: Context, input: ChangePlanBody & { id: string }): Promise<Reply> {
  return withReplay(ctx, async () => {
    const target = await targetOf(ctx, input);
    if (input.when === "period_end") {
      return runOnce(ctx, async (tx) => {
        const held = await hold(ctx, tx, input.id, "change-plan");
        const next = requireSuitable(held.row, target, input);
        return writeHeld(ctx, held, moveOf(held, { values: changeLater(held.row, next), invoice: null }));
      });
    }
    await requirePaidUp(ctx, await getRow(ctx, input.id));
    return changeAndCharge(ctx, input.id, "change-plan", (row, at) =>
      changeNow(row, requireSuitable(row, target, input), input.proration, at),
    );
  });
}

/** Resumes a paused subscription: a new period begins now and is charged now. */
export function resumeSubscription(ctx: Context, input: { id: string }): Promise<Reply> {
  return withReplay(ctx, () => changeAndCharge(ctx, input.id, "resume", resumeNow));
}

/** Previews the invoice that a change would create. Writes nothing but the response of an idempotency key. */
export function previewSubscriptionChange(ctx: Context, input: ChangePlanBody & { id: string }): Promise<Reply> {
  const preview = async () => {
    // Read before the transaction, whose second connection could starve the pool.
    const made = await previewChange(ctx, input);
    return runOnce(ctx, () => Promise.resolve(made));
  };
  return ctx.idempotency === null ? preview() : withReplay(ctx, preview);
}

async function previewChange(ctx: Context, input: ChangePlanBody & { id: string }): Promise<Invoice> {
  const target = await targetOf(ctx, input);
  const row = await getRow(ctx, input.id);
  requireAction(row.status, "change-plan");
  const run = runOn(ctx.service.db.within(ctx.environment.id).sql);
  const billed = billedUnits(row, await listPaidInvoices(run, ctx.environment.id, row));
  const at = { now: environmentNow(ctx).toISOString(), invoiceId: newEnvironmentId(ctx), billed };
  const next = requireSuitable(row, target, input);
  if (input.when === "now") await requirePaidUp(ctx, row);
  const change =
    input.when === "now"
      ? changeNow(row, next, input.proration, at)
      : { values: changeLater(row, next), invoice: null };
  return presentInvoice(ctx, change.invoice ?? nextInvoice({ ...row, ...change.values }, at.invoiceId));
}

/** The DRAFT of the next period's invoice. */
export function nextInvoice(row: SubscriptionRow, invoiceId: string): InvoiceRow {
  const end = { ...row, cancel_at_period_end: false };
  const invoice = advance(end, [], { now: row.period_end_at, invoiceId })?.invoices[0];
  if (!invoice) throw new Error(`subscription ${row.id} has no next invoice`);
  return { ...invoice, status: "DRAFT", next_attempt_at: null, paid_at: null };
}

type Target = { planId: string; plan: NonNullable<ReturnType<typeof boughtPlan>> };

async function targetOf(ctx: Context, input: ChangePlanBody & { id: string }): Promise<Target> {
  const { plan_id, plan: bought, ...row } = await getRow(ctx, input.id);
  const plan = await requirePlan(ctx, input.plan_id);
  // A new quantity of the same plan keeps the terms as bought, even if the plan has changed or is no longer
  // sold.
  if (plan.id === plan_id) return { planId: plan.id, plan: bought };
  const terms = boughtPlan(plan);
  if (terms === null || plan.status !== "ACTIVE") throw notForSale(plan);
  if (terms.currency !== row.currency) {
    throw invalid("plan_id", `The subscription is paid in ${row.currency}. Use a plan in that currency.`);
  }
  return { planId: plan.id, plan: terms };
}

async function getRow(ctx: Context, publicId: string): Promise<SubscriptionRow> {
  const id = decodeId("subscription", publicId);
  const run = runOn(ctx.service.db.within(ctx.environment.id).sql);
  const row = id && (await findSubscription(run, ctx.environment.id, id));
  if (!row || row.event_sequence === 0) throw resourceNotFound("subscription", publicId);
  return row;
}

function requireSuitable(row: SubscriptionRow, { planId, plan }: Target, { quantity = row.quantity }: ChangePlanBody) {
  requireChargeable(plan, quantity);
  return { plan_id: planId, plan, quantity };
}

/** Throws if the period is unpaid, because its unused part can't be credited. */
async function requirePaidUp(ctx: Context, row: SubscriptionRow): Promise<void> {
  requireAction(row.status, "change-plan");
  const run = runOn(ctx.service.db.within(ctx.environment.id).sql);
  const isPaid =
    row.period_number === 0 ||
    (await listPaidInvoices(run, row.environment_id, row)).some(({ kind }) => kind === "PERIOD");
  if (row.status !== "PAST_DUE" && isPaid) return;
  const detail = `The subscription is ${row.status} and its period is not paid. Change it at the end of the period, or have its open invoice paid first.`;
  throw new AppError("invalid_state", detail, {
    extra: { current_status: row.status, allowed_actions: ["update", "cancel", "pause", "retry"] },
  });
}

/** The move of a change without a payment; nothing is due on its invoice. */
function moveOf({ row, now }: Pick<Held, "row" | "now">, { values, invoice }: Change): Move {
  const isResumed = values.paused_at === null && row.status === "PAUSED";
  const latest = invoice ? { latest_invoice_id: invoice.id } : {};
  const about = invoice && { invoiceId: invoice.id };
  return {
    subscription: changed(row, { ...values, ...latest, ...(isResumed && { status: "ACTIVE" as const }) }, now),
    invoices: invoice ? [paid(invoice, now)] : [],
    events: [
      { type: isResumed ? "subscription.resumed" : "subscription.updated" },
      ...(about
        ? [
            { type: "invoice.created", ...about } as const,
            { type: "invoice.opened", ...about } as const,
            { type: "invoice.paid", ...about } as const,
          ]
        : []),
    ],
  };
}

/** Makes a change now. If it costs anything, it takes effect once its payment succeeds. */
async function changeAndCharge(
  ctx: Context,
  publicId: string,
  action: SubscriptionAction,
  decide: (row: SubscriptionRow, at: ChangedAt) => Change,
): Promise<Reply> {
  const row = await getRow(ctx, publicId);
  requireAction(row.status, action);
  const billedOn = async (run: Run, one: SubscriptionRow) =>
    billedUnits(one, await listPaidInvoices(run, ctx.environment.id, one));
  const billed = await billedOn(runOn(ctx.service.db.within(ctx.environment.id).sql), row);
  const at = { now: environmentNow(ctx).toISOString(), invoiceId: newEnvironmentId(ctx), billed };
  const { values, invoice } = decide(row, at);
  if (invoice === null || invoice.amount_due === 0) {
    return runOnce(ctx, async (tx) => {
      const held = await hold(ctx, tx, publicId, action);
      const stillBilled = await billedOn(held.run, held.row);
      const change = decide(held.row, { now: held.now, invoiceId: at.invoiceId, billed: stillBilled });
      // The subscription changed in the meantime, and the change now costs something.
      if (change.invoice && change.invoice.amount_due > 0) throw changeInProgress();
      const move = moveOf(held, change);
      const isResumed = held.row.status === "PAUSED";
      const left = isResumed
        ? held.open.map((one) => ({ ...one, next_attempt_at: held.now, updated_at: held.now }))
        : [];
      return writeHeld(ctx, held, { ...move, invoices: [...move.invoices, ...left] });
    });
  }
  await requireNoneUnderWay(ctx, row);
  const change: ChangeOnPayment = { ...values, credit: (values.credit ?? row.credit) - row.credit };
  const draft = { ...invoice, change_on_payment: change };
  const claim = {
    kind: "first" as const,
    invoiceId: draft.id,
    subscriptionId: row.id,
    subscription: { version: row.version },
    invoice: draft,
    trialKeys: [],
  };
  const subscription = { ...row, plan_id: values.plan_id ?? row.plan_id };
  return charge(ctx, { subscription, invoice: draft, claim, card: await cardToCharge(ctx, await getMethod(ctx, row)) });
}

/**
 * Throws while another change is being paid. T1 compares the version, which doesn't reveal a change that
 * began before the row was read.
 */
async function requireNoneUnderWay(ctx: Context, { id }: SubscriptionRow): Promise<void> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const open = await orm.transaction(async (tx) => {
    await lockSubscription(runIn(tx), ctx.environment.id, id);
    return lockOpenInvoices(runIn(tx), ctx.environment.id, id);
  });
  if (open.some(isUnderWay)) throw changeInProgress();
}

/** Prefers the key's stored response to a refusal, whatever has changed since. */
export async function withReplay(ctx: Context, run: () => Promise<Reply>): Promise<Reply> {
  const known = await replayKnown(ctx);
  if (known) return known;
  try {
    return await run();
  } catch (error) {
    if (error instanceof AppError && (error.status < 409 || error.stored)) return refuseOrReplay(ctx, error);
    throw error;
  }
}
