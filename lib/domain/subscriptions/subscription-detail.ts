import { findPaymentMethod } from "@/db/queries/payment-methods";
import { readActorNames } from "@/db/queries/payments/payment-detail";
import { findPayment } from "@/db/queries/payments/payments";
import { type HistoryRow, listHistory } from "@/db/queries/subscriptions/history";
import { findSubscription, listInvoices, listPaidInvoices, runOn } from "@/db/queries/subscriptions/rows";
import { readSubscriptionSettings } from "@/db/queries/subscriptions/settings";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import { decodeId, encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import type { SubscriptionDetail, SubscriptionEntry } from "@/lib/contract/subscriptions/detail";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { type Context, environmentNow, newEnvironmentId, resourceNotFound } from "../context";
import { findCustomerOf } from "../customers/customers";
import { presentPaymentMethod } from "../payment-methods/stored-card";
import { presentActor } from "../payments/present";
import { amountRefundable } from "../payments/states";
import { refundable } from "./actions";
import { resumeNow } from "./change";
import { nextInvoice } from "./change-plan";
import { presentInvoice } from "./present";
import { getSubscription } from "./read-subscriptions";
import { isRunning, subscriptionActions } from "./states";

const SHOWN_INVOICES = 12;
const SHOWN_ENTRIES = 40;

/** A subscription for its page. Throws `resource_not_found` for unknown and foreign ids. */
export async function getSubscriptionDetail(ctx: Context, input: { id: string }): Promise<SubscriptionDetail> {
  const { id: environmentId, mode } = ctx.environment;
  const { sql, orm } = ctx.service.db.within(environmentId);
  const run = runOn(sql);
  const id = decodeId("subscription", input.id);
  const row = id && (await findSubscription(run, environmentId, id));
  if (!row || row.event_sequence === 0) throw resourceNotFound("subscription", input.id);
  const now = environmentNow(ctx);
  const page = { limit: SHOWN_INVOICES + 1, offset: 0, after: null };
  const unpaid = { limit: 100, offset: 0, after: null };
  const [subscription, method, invoices, open, history, settings, refund] = await Promise.all([
    getSubscription(ctx, input),
    row.payment_method_id === null ? null : findPaymentMethod(orm, environmentId, row.payment_method_id),
    listInvoices(run, environmentId, { subscriptionId: row.id }, page),
    listInvoices(run, environmentId, { subscriptionId: row.id, status: "OPEN" }, unpaid),
    listHistory(sql, environmentId, row.id, SHOWN_ENTRIES + 1),
    readSubscriptionSettings(sql, environmentId),
    refundableNow(ctx, row, now.toISOString()),
  ]);
  const oldest = open.at(-1);
  const steps = settings.dunning_steps.length;
  return {
    subscription,
    actions: subscriptionActions(row.status),
    card: method && presentPaymentMethod(method, mode, now),
    customer: await findCustomerOf(ctx, row),
    invoices: invoices.slice(0, SHOWN_INVOICES).map((invoice) => presentInvoice(ctx, invoice)),
    more_invoices: invoices.length > SHOWN_INVOICES,
    next_invoice: renews(row) ? presentInvoice(ctx, nextInvoice(row, newEnvironmentId(ctx))) : null,
    unpaid: oldest
      ? {
          invoice: presentInvoice(ctx, oldest),
          attempt: Math.min(oldest.dunning_step, steps) + 1,
          of: steps + 1,
          cancels: settings.after_last_attempt === "CANCEL",
        }
      : null,
    refundable: refund,
    resume_invoice: resumeInvoice(ctx, row, now.toISOString()),
    pending_plan: row.pending_change?.plan ?? null,
    timeline: await timelineOf(ctx, history.slice(0, SHOWN_ENTRIES)),
    more_entries: history.length > SHOWN_ENTRIES,
  };
}

const renews = (row: SubscriptionRow) => isRunning(row.status) && !row.cancel_at_period_end;

function resumeInvoice(ctx: Context, row: SubscriptionRow, now: string): Invoice | null {
  if (row.status !== "PAUSED") return null;
  const { invoice } = resumeNow(row, { now, invoiceId: newEnvironmentId(ctx) });
  return invoice && presentInvoice(ctx, invoice);
}

/** Amount of a prorated refund at `now`: the unused part, limited to what its payments can still refund. */
async function refundableNow(ctx: Context, row: SubscriptionRow, now: string): Promise<number> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const run = runOn(sql);
  const unused = await refundable(run, row, now);
  if (unused === 0) return 0;
  const paid = await listPaidInvoices(run, row.environment_id, row);
  const left = await Promise.all(paid.map((invoice) => refundableOf(ctx, invoice)));
  return Math.min(
    unused,
    left.reduce((sum, amount) => sum + amount, 0),
  );
}

async function refundableOf(ctx: Context, { payment_ids }: InvoiceRow): Promise<number> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const paymentId = payment_ids.at(-1);
  const snapshot = paymentId === undefined ? null : await findPayment(sql, ctx.environment.id, paymentId);
  return snapshot ? Math.max(0, amountRefundable(snapshot.payment)) : 0;
}

/**
 * True if another event of the same change covers it: an invoice that was paid or declined immediately was
 * created then, and a period begins with its invoice.
 */
function isSaid({ type, created_at, data }: HistoryRow, rows: readonly HistoryRow[]): boolean {
  const together = rows.filter((other) => other.created_at === created_at).map((other) => other.type);
  const has = (...types: HistoryRow["type"][]) => types.some((one) => together.includes(one));
  switch (type) {
    case "invoice.created":
      return true;
    case "invoice.opened":
      return has("invoice.paid", "invoice.payment_failed");
    case "subscription.activated":
      return has("subscription.created", "subscription.resumed");
    case "subscription.past_due":
      return has("invoice.payment_failed");
    case "subscription.updated":
      return has("invoice.opened") && Object.hasOwn((data as { previous: object | null }).previous ?? {}, "period");
    default:
      return false;
  }
}

async function timelineOf(ctx: Context, rows: readonly HistoryRow[]): Promise<SubscriptionEntry[]> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const actors = rows.flatMap(({ actor }) => actor ?? []);
  const names = await readActorNames(sql, ctx.environment, actors);
  return rows
    .filter((row) => !isSaid(row, rows))
    .map((row): SubscriptionEntry => {
      // Events of one change share its time, and one of them has its entry in the audit log.
      const audited = row.actor ? row : rows.find((other) => other.actor && other.created_at === row.created_at);
      const { object, previous } = row.data as { object: { object: string }; previous: object | null };
      return {
        id: encodeId("event", row.id),
        type: row.type,
        at: row.created_at,
        actor: audited?.actor ? presentActor(audited.actor, names) : null,
        request_id: encodeIdOrNull("request", audited?.request_id ?? null),
        subject:
          object.object === "invoice"
            ? { invoice: object as unknown as Invoice }
            : { subscription: object as unknown as Subscription, previous: previous as Partial<Subscription> | null },
      };
    });
}
