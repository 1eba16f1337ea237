import { findEnvironment } from "@/db/queries/accounts/merchants";
import { readClockIn } from "@/db/queries/clock";
import {
  findByProcessorToken,
  lockPaymentMethod,
  markRemoved,
  noteRemovalDone,
  updateStoredCard,
} from "@/db/queries/payment-methods";
import { lockOpenInvoices, lockRefusedSubscriptions, type Run, runIn } from "@/db/queries/subscriptions/rows";
import { SYSTEM } from "@/db/schema/operations";
import type { PaymentMethodRow } from "@/db/schema/payment-methods";
import type { InvoiceRow, SubscriptionRow } from "@/db/schema/subscriptions";
import type { StoredCardReport } from "@/lib/processor/cards";
import type { Reporter } from "@/lib/processor/registry";
import { clockTime, type Service } from "../context";
import { changedMembers, recordChangeBy } from "../events/event";
import { withRenewedCard } from "../subscriptions/move";
import { writeMove } from "../subscriptions/write-move";
import { presentPaymentMethod } from "./stored-card";

type Card = Pick<PaymentMethodRow, "card_brand" | "card_last4" | "card_bin" | "card_exp_month" | "card_exp_year">;

/**
 * Applies a report that a stored card was renewed by its network, or is gone at the processor. A renewed card
 * is charged immediately for the subscriptions whose charges it refused. Reports may be late or repeated.
 * True: nothing is left to do, including for cards that aren't ours.
 */
export async function processStoredCardReport(
  service: Service,
  from: Reporter,
  report: StoredCardReport,
): Promise<boolean> {
  const { connectionId, environmentId } = from;
  const named = { token: report.storedCard, connectionId, environmentId };
  const found = await findByProcessorToken(service.db.sql, named);
  if (!found) return true;
  const { orm } = service.db.within(found.environment_id);
  const environment = await findEnvironment(orm, found.environment_id);
  if (environment?.mode !== from.mode) return true;
  await orm.transaction(async (tx) => {
    // Locked before the card, as payments and changes of subscriptions do.
    const run = runIn(tx);
    const refused = report.change === "updated" ? await lockRefused(run, found) : [];
    const row = await lockPaymentMethod(tx, found.environment_id, found.id);
    if (row === null) return;
    const isGone = report.change === "removed";
    if (row.removed_at !== null) {
      if (isGone) await noteRemovalDone(tx, row.environment_id, row.id);
      return;
    }
    const clock = await readClockIn(tx, row.environment_id);
    const now = clockTime(service.clock, clock);
    const updated_at = now.toISOString();
    const card = report.change === "updated" ? renewed(row, report.card) : null;
    if (card !== null && Object.entries(card).every(([name, value]) => row[name as keyof Card] === value)) return;
    const after = card
      ? await updateStoredCard(tx, row.environment_id, row.id, { ...card, ...announcedAgain(row, card), updated_at })
      : await markRemoved(tx, row.environment_id, row.id, { updated_at, isGone });
    const type = card ? "payment_method.updated" : "payment_method.removed";
    const before = presentPaymentMethod(row, environment.mode, now);
    const object = presentPaymentMethod(after, environment.mode, now);
    const by = { environmentId: row.environment_id, actor: SYSTEM, requestId: null, now: service.clock.now(), clock };
    const data = { object, previous: changedMembers(before, object) };
    await recordChangeBy(by, tx, { type, action: type, objectId: row.id, data });
    const shownIn = { service, environment: { id: row.environment_id, mode: environment.mode } };
    for (const { subscription, invoices } of refused) {
      const move = { ...withRenewedCard(subscription, invoices, updated_at), events: [] };
      const locked = { subscription, invoices };
      await writeMove(run, shownIn, { locked, move, by: { actor: SYSTEM, requestId: null }, now: updated_at });
    }
  });
  return true;
}

/** The subscriptions whose charges to the card were refused, and their unpaid invoices. */
async function lockRefused(run: Run, { environment_id: environmentId, id }: { environment_id: string; id: string }) {
  const refused: { subscription: SubscriptionRow; invoices: InvoiceRow[] }[] = [];
  for (const subscription of await lockRefusedSubscriptions(run, environmentId, id))
    refused.push({ subscription, invoices: await lockOpenInvoices(run, environmentId, subscription.id) });
  return refused;
}

/** Fields that the report omits stay unchanged. */
const renewed = (row: Card, card: Extract<StoredCardReport, { change: "updated" }>["card"]): Card => ({
  card_brand: card.brand ?? row.card_brand,
  card_last4: card.last4 ?? row.card_last4,
  card_bin: card.bin ?? row.card_bin,
  card_exp_month: card.exp_month ?? row.card_exp_month,
  card_exp_year: card.exp_year ?? row.card_exp_year,
});

/** A new expiry is announced when its time comes. */
const announcedAgain = (row: Card, card: Card) =>
  row.card_exp_month === card.card_exp_month && row.card_exp_year === card.card_exp_year
    ? {}
    : { expiry_announced: false };
