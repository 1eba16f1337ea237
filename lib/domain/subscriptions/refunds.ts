import { reserveFollowUp } from "@/db/queries/payments/intents";
import { findPayment } from "@/db/queries/payments/payments";
import { listPaidInvoices, lockSubscription, runOn, updateSubscription } from "@/db/queries/subscriptions/rows";
import { idTime, newId } from "@/lib/ids";
import { type Environment, environmentNow, newEnvironmentId, type Service } from "../context";
import { forgetTotals } from "../lists";
import { leaseOf } from "../payments/operation";
import { amountRefundable } from "../payments/states";
import { connectionOf } from "../processors/connection-of";
import { changed } from "./move";

/**
 * Starts the refunds of a subscription that ended early. One commit writes their intents and clears
 * `refund_due`, so no refund is lost or sent twice; the recovery worker then sends them. Disputed and already
 * refunded amounts are excluded.
 */
export async function beginRefunds(service: Service, environment: Environment, subscriptionId: string): Promise<void> {
  const { sendWithinMs } = leaseOf(service.processorTimeoutMs);
  await service.db.within(environment.id).sql.begin(async (tx) => {
    const run = runOn(tx);
    const row = await lockSubscription(run, environment.id, subscriptionId);
    if (!row || row.refund_due === 0) return;
    let left = row.refund_due;
    for (const { payment_ids } of await listPaidInvoices(run, environment.id, row)) {
      const paymentId = payment_ids.at(-1);
      const snapshot = paymentId === undefined ? null : await findPayment(tx, environment.id, paymentId);
      const amount = snapshot ? Math.min(left, amountRefundable(snapshot.payment)) : 0;
      if (paymentId === undefined || amount <= 0) continue;
      const at = await connectionOf(service, environment, paymentId);
      const id = newEnvironmentId({ service, environment });
      const refund = { id, created_at: idTime(id), reason: "CUSTOMER_REQUEST", comment: null };
      const order = {
        ...({ id: newId(), environment, kind: "refund", detail: null, claim: null } as const),
        ...{ paymentId, amount, refund, allowed: true },
      };
      const { reserved } = await reserveFollowUp(tx, order, {
        // No lease, so the recovery worker can claim it immediately.
        lease: { sendWithinMs, heldForMs: 0 },
        ...{ guardedConnectionId: at?.guarded ? at.connectionId : null, wholeOnly: false },
      });
      if (reserved) left -= amount;
    }
    if (left > 0) service.log.warn({ subscription: row.id, left }, "a part of a subscription cannot be refunded");
    const next = changed(row, { refund_due: 0 }, environmentNow({ service, environment }).toISOString());
    await updateSubscription(run, { ...next, updated_at: row.updated_at, version: row.version + 1 });
  });
  forgetTotals(environment.id);
}
