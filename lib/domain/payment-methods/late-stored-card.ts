import { readClock } from "@/db/queries/clock";
import { attachToPayment, findByProcessorToken, insertPaymentMethod } from "@/db/queries/payment-methods";
import { findPayment } from "@/db/queries/payments/payments";
import { type OperationRow, SYSTEM } from "@/db/schema/operations";
import type { Reporter } from "@/lib/processor/registry";
import { clockTime, type Service } from "../context";
import { recordChangeBy } from "../events/event";
import { hasEndedUnpaid } from "../payments/states";
import { presentPaymentMethod, storedByPayment } from "./stored-card";

/**
 * Stores the card of an approved payment that the processor names only after the payment's outcome. Cards
 * typed into the payment form are named before. False: an operation on the payment is in progress, so the
 * report has to be redelivered.
 */
export async function storeLateCard(
  service: Service,
  { connectionId, mode }: Reporter,
  { environment_id: environmentId, payment_id: paymentId }: Pick<OperationRow, "environment_id" | "payment_id">,
  token: string,
): Promise<boolean> {
  const { sql, orm } = service.db.within(environmentId);
  const snapshot = await findPayment(sql, environmentId, paymentId);
  const charge = snapshot?.transactions.find(({ id }) => id === snapshot.payment.charge_id);
  if (!snapshot || !charge) throw new Error(`payment ${paymentId} has no charge`);
  const { payment } = snapshot;
  if (payment.open_operation_id !== null) return false;
  // A passed challenge is continued later, and that operation stores the card.
  if (hasEndedUnpaid(payment.status) || payment.status === "REQUIRES_ACTION") return true;
  if (await findByProcessorToken(sql, { token, connectionId, environmentId })) return true;
  const clock = await readClock(sql, environmentId);
  const now = clockTime(service.clock, clock);
  const approved = { kind: "approved", storedToken: token } as const;
  const method = storedByPayment({ payment: { ...payment, updated_at: now.toISOString() }, charge }, approved, null);
  if (method === null) return true;
  return orm.transaction(async (tx) => {
    if (!(await attachToPayment(tx, method))) return false;
    if (!(await insertPaymentMethod(tx, method))) throw new Error(`the card of payment ${paymentId} exists already`);
    const type = "payment_method.created";
    const data = { object: presentPaymentMethod(method, mode, now), previous: null };
    const by = { environmentId, actor: SYSTEM, requestId: null, now: service.clock.now(), clock };
    await recordChangeBy(by, tx, { type, action: type, objectId: method.id, data });
    return true;
  });
}
