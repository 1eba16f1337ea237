import { reserveFollowUp } from "@/db/queries/payments/intents";
import { isRefundedByItself, lockPayment } from "@/db/queries/payments/outcomes";
import { findPayment } from "@/db/queries/payments/payments";
import { isMerchantsConnection } from "@/db/queries/processors/connections";
import { listPaidInvoices, lockSubscription, runOn, updateSubscription } from "@/db/queries/subscriptions/rows";
import { isDisputed } from "@/lib/contract/disputes/statuses";
import { idTime, newId } from "@/lib/ids";
import { type Environment, environmentNow, newEnvironmentId, type Service } from "../context";
import { forgetTotals } from "../lists";
import { leaseOf } from "../payments/operation";
import { amountRefundable } from "../payments/states";
import { changed } from "./move";

/**
 * Starts the refunds of a subscription that ended early. One commit writes their intents and reduces
 * `refund_due`, so no refund is lost or sent twice; the recovery worker then sends them. Disputed and already
 * refunded amounts are excluded. False: a part waits until its processor is connected again.
 */
export async function beginRefunds(
  service: Service,
  environment: Environment,
  subscriptionId: string,
): Promise<boolean> {
  const { sendWithinMs } = leaseOf(service.processorTimeoutMs);
  const waiting = await service.db.within(environment.id).sql.begin(async (tx) => {
    const run = runOn(tx);
    const row = await lockSubscription(run, environment.id, subscriptionId);
    if (!row || row.refund_due === 0) return 0;
    let left = row.refund_due;
    let begun = 0;
    let later = 0;
    for (const { payment_ids, paid_at, amount_paid } of await listPaidInvoices(run, environment.id, row)) {
      const paymentId = payment_ids.at(-1);
      if (paymentId === undefined) continue;
      // A concurrent refund must not take away what is reserved next.
      await lockPayment(tx, environment.id, null, paymentId);
      const snapshot = await findPayment(tx, environment.id, paymentId);
      // An amount paid after the end is due from that payment alone, even if it was already refunded manually.
      const isLate = paid_at !== null && row.ended_at !== null && paid_at >= row.ended_at;
      if (isLate && (await isRefundedByItself(tx, environment.id, paymentId))) continue;
      const share = isLate ? Math.min(left, amount_paid) : left;
      if (isLate) left -= share;
      if (!snapshot || isDisputed(snapshot.payment.dispute_status)) continue;
      const amount = Math.min(share, amountRefundable(snapshot.payment));
      if (amount <= 0) continue;
      const { connection_id } = snapshot.payment;
      // The registry's look-up would need a second connection to the database.
      const isGuarded = await isMerchantsConnection(tx, environment.id, connection_id);
      const id = newEnvironmentId({ service, environment });
      const refund = { id, created_at: idTime(id), reason: "CUSTOMER_REQUEST", comment: null };
      const order = {
        id: newId(),
        environment,
        kind: "refund" as const,
        detail: null,
        claim: null,
        paymentId,
        amount,
        refund,
        allowed: true,
      };
      const { reserved } = await reserveFollowUp(tx, order, {
        // A lease that is already over, even if its time is rounded up: the recovery worker can claim it immediately.
        lease: { sendWithinMs, heldForMs: -1 },
        guardedConnectionId: isGuarded ? connection_id : null,
        wholeOnly: false,
      });
      if (!reserved && !isGuarded) continue;
      begun += amount;
      if (!reserved) later += amount;
      if (!isLate) left -= amount;
    }
    const rest = row.refund_due - begun;
    if (rest > 0) service.log.warn({ subscription: row.id, rest }, "a part of a subscription cannot be refunded");
    const next = changed(row, { refund_due: later }, environmentNow({ service, environment }).toISOString());
    await updateSubscription(run, { ...next, updated_at: row.updated_at, version: row.version + 1 });
    return later;
  });
  forgetTotals(environment.id);
  return waiting === 0;
}
