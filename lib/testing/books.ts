import type { Database } from "@/db/client";
import type { Service } from "@/lib/domain/context";
import { idTime, newId } from "@/lib/ids";

/** One payment as the money path would have left it in every book, ours and the sandbox processor's. */
export type BookedPayment = {
  environmentId: string;
  currency?: string;
  /** Minor units; authorized. */
  amount?: number;
  /** Minor units; 0 leaves it AUTHORIZED. */
  captured?: number;
  /** Minor units of one accepted refund; 0 makes none. */
  refunded?: number;
  /** Asked to capture at once: the authorization took the money, or with `captured: 0` could only hold it. */
  automatic?: boolean;
  /** At which its fee was taken. */
  feeBasisPoints?: number;
};

export type BookedIds = {
  payment: string;
  charge: string;
  authorize: string;
  capture: string;
  refund: string;
  refundOperation: string;
};

/** A merchant with one sandbox environment; returns its id. */
export async function insertEnvironment(db: Database, options: { feeBasisPoints?: number } = {}): Promise<string> {
  const [merchant, id] = [newId(), newId()];
  await db.sql`insert into merchants (id, name) values (${merchant}, 'Books')`;
  await db.sql`insert into environments (id, merchant_id, mode, fee_basis_points)
    values (${id}, ${merchant}, 'test', ${options.feeBasisPoints ?? 0})`;
  return id;
}

/** The part of a service that works on the books alone: nothing that moves money by itself. */
export function booksService(db: Database): Service {
  return { db, clock: { now: () => new Date() } } as unknown as Service;
}

export async function insertBookedPayment(db: Database, input: BookedPayment): Promise<BookedIds> {
  const { environmentId } = input;
  const amount = input.amount ?? 10_000;
  const captured = input.captured ?? amount;
  const booking = {
    environmentId,
    currency: input.currency ?? "EUR",
    amount,
    captured,
    refunded: input.refunded ?? 0,
    automatic: input.automatic ?? false,
    feeBasisPoints: input.feeBasisPoints ?? 0,
  };
  const ids: BookedIds = {
    payment: newId(),
    charge: newId(),
    authorize: newId(),
    capture: newId(),
    refund: newId(),
    refundOperation: newId(),
  };
  await insertPaymentRow(db, ids, booking);
  await insertOperation(db, ids, booking, { id: ids.authorize, kind: "authorize", transaction: ids.charge, amount });
  if (captured > 0) {
    const operation = booking.automatic ? ids.authorize : ids.capture;
    if (!booking.automatic) {
      await insertOperation(db, ids, booking, {
        id: operation,
        kind: "capture",
        transaction: ids.charge,
        amount: captured,
      });
    }
    await insertLine(db, ids, booking, {
      operation,
      debit: "processor_receivable",
      credit: "merchant_payable",
      amount: captured,
    });
    const fee = Math.floor((captured * booking.feeBasisPoints + 5_000) / 10_000);
    if (fee > 0) {
      await insertLine(db, ids, booking, {
        ...{ operation, line: 2, debit: "merchant_payable", credit: "fees", amount: fee },
      });
    }
  }
  if (booking.refunded > 0) {
    const operation = { id: ids.refundOperation, kind: "refund", transaction: ids.refund, amount: booking.refunded };
    await insertRefundRow(db, ids, booking);
    await insertOperation(db, ids, booking, operation);
    await insertLine(db, ids, booking, {
      operation: operation.id,
      debit: "merchant_payable",
      credit: "processor_receivable",
      amount: booking.refunded,
    });
  }
  return ids;
}

/** What the money path leaves of a payment whose only, partial refund fails after it was accepted and settled. */
export async function failSettledRefund(db: Database, environmentId: string, ids: BookedIds): Promise<void> {
  const { payment, charge, refund, refundOperation } = ids;
  await db.sql`update transactions set status = 'FAILED', refunded_at = null, event_sequence = coalesce(event_sequence, 1) + 1 where environment_id = ${environmentId} and id = ${refund}`;
  await db.sql`update transactions set status = 'SETTLED', refunded_at = null where environment_id = ${environmentId} and id = ${charge}`;
  await db.sql`update payments set status = 'SETTLED', amount_refunded = 0, version = version + 1
    where environment_id = ${environmentId} and id = ${payment}`;
  await db.sql`update operations set state = 'failed' where environment_id = ${environmentId} and id = ${refundOperation}`;
  await db.sql`
    insert into ledger_entries (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency)
    select environment_id, id, 2, payment_id, 'processor_receivable', 'merchant_payable', amount, currency
    from operations where environment_id = ${environmentId} and id = ${refundOperation}`;
  await db.sql`
    insert into events (environment_id, id, type, operation_id, object_id, sequence, data)
    select environment_id, ${newId()}, 'refund.failed', ${refundOperation}, id, event_sequence, '{}'
    from transactions where environment_id = ${environmentId} and id = ${refund}`;
  await db.sql`
    insert into audit_log (environment_id, id, actor, action, object_id)
    values (${environmentId}, ${newId()}, '{"type":"system","id":null}', 'payment.refund', ${payment})`;
  await db.sql`update sandbox_processor.operations set outcome = 'failed' where reference = ${refundOperation}`;
  await db.sql`update sandbox_processor.charges set amount_refunded = 0 where reference = ${ids.authorize}`;
}

type Booking = Required<BookedPayment>;

function statusOf({ captured, refunded }: Booking): string {
  if (captured === 0) return "AUTHORIZED";
  if (refunded === 0) return "CAPTURED";
  return refunded === captured ? "REFUNDED" : "PARTIALLY_REFUNDED";
}

async function insertPaymentRow(db: Database, ids: BookedIds, booking: Booking): Promise<void> {
  const { environmentId, amount, captured, refunded, currency } = booking;
  const at = idTime(ids.payment);
  await db.sql`
    insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, capture_method,
      amount_captured, amount_refunded, created_at, updated_at)
    values (${environmentId}, ${ids.payment}, ${ids.charge}, ${ids.authorize}, ${statusOf(booking)}, ${currency}, ${amount},
      ${booking.automatic ? "automatic" : "manual"}, ${captured}, ${refunded}, ${at}, ${at})`;
  await db.sql`
    insert into transactions (environment_id, id, payment_id, type, status, amount, currency, metadata, authorized_at,
      captured_at, created_at, updated_at)
    values (${environmentId}, ${ids.charge}, ${ids.payment}, 'CHARGE', ${statusOf(booking)}, ${amount}, ${currency}, '{}',
      now(), ${captured > 0 ? at : null}, ${idTime(ids.charge)}, ${at})`;
  await db.sql`
    insert into sandbox_processor.charges (reference, account, behaviour, outcome, amount, currency, capture_at_once,
      amount_captured, amount_refunded, avs_result, cvv_result, card_attempts, email_attempts, address_attempts)
    values (${ids.authorize}, ${environmentId}, 'approve', 'approved', ${amount}, ${currency}, ${booking.automatic}, ${captured}, ${refunded},
      'U', 'M', 0, 0, 0)`;
}

async function insertRefundRow(
  db: Database,
  ids: BookedIds,
  { environmentId, refunded, currency }: Booking,
): Promise<void> {
  const at = idTime(ids.refund);
  await db.sql`
    insert into transactions (environment_id, id, payment_id, type, status, amount, currency, metadata, refund_of,
      captured_at, created_at, updated_at, event_sequence)
    values (${environmentId}, ${ids.refund}, ${ids.payment}, 'REFUND', 'CAPTURED', ${refunded}, ${currency}, '{}',
      ${ids.charge}, ${at}, ${at}, ${at}, 1)`;
}

type BookedOperation = { id: string; kind: string; transaction: string; amount: number };

async function insertOperation(
  db: Database,
  ids: BookedIds,
  booking: Booking,
  operation: BookedOperation,
): Promise<void> {
  const { environmentId, currency } = booking;
  const { id, kind, transaction, amount } = operation;
  await db.sql`
    insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, idempotency_key,
      actor, lease_until, next_attempt_at, completed_at, captured, fee_basis_points)
    values (${environmentId}, ${id}, ${ids.payment}, ${transaction}, ${kind}, 'succeeded', ${amount}, ${currency}, ${id},
      '{"type":"system","id":null}', now(), now(), now(),
      ${tookMoney(kind, booking)}, ${tookMoney(kind, booking) ? booking.feeBasisPoints : null}::smallint)`;
  await db.sql`
    insert into idempotency_keys (environment_id, key, operation_name, path, request_digest, request_id, actor, operation_id,
      state, locked_until, status_code, response_body)
    values (${environmentId}, ${id}, ${kind}, '/v1/payments', ${Buffer.from(id)}, ${newId()}, '{"type":"system","id":null}',
      ${id}, 'done', now(), 200, '{}')`;
  await db.sql`
    with told as (
      update payments set event_sequence = event_sequence + 1
      where environment_id = ${environmentId} and id = ${ids.payment} and ${kind !== "refund"} returning event_sequence
    )
    insert into events (environment_id, id, type, operation_id, object_id, sequence, data)
    values (${environmentId}, ${newId()}, ${eventOf(kind, booking)}, ${id}, ${kind === "refund" ? transaction : ids.payment},
      coalesce((select event_sequence from told), 1), '{}')`;
  await db.sql`
    insert into audit_log (environment_id, id, actor, action, object_id)
    values (${environmentId}, ${newId()}, '{"type":"system","id":null}', ${`payment.${kind}`}, ${ids.payment})`;
  if (kind === "authorize") return;
  await db.sql`
    insert into sandbox_processor.operations (reference, account, kind, charge, amount, currency, outcome)
    values (${id}, ${environmentId}, ${kind}, ${ids.authorize}, ${amount}, ${currency}, 'approved')`;
}

function tookMoney(kind: string, { automatic, captured }: Booking): boolean {
  return kind === "capture" || (kind === "authorize" && automatic && captured > 0);
}

function eventOf(kind: string, booking: Booking): string {
  if (kind === "refund") return "refund.succeeded";
  return tookMoney(kind, booking) ? "payment.captured" : "payment.authorized";
}

type BookedLine = { operation: string; line?: number; debit: string; credit: string; amount: number };

async function insertLine(db: Database, ids: BookedIds, booking: Booking, line: BookedLine): Promise<void> {
  await db.sql`
    insert into ledger_entries (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency)
    values (${booking.environmentId}, ${line.operation}, ${line.line ?? 1}, ${ids.payment}, ${line.debit}, ${line.credit}, ${line.amount},
      ${booking.currency})`;
}

/** Another payment's refund, which failed after it was settled, and the batch that paid it back. */
export type PaidBack = { refund: string; batchId: string };

export type Corruption = {
  /** The check that must fire; others may fire as well. */
  check: string;
  how: string;
  corrupt(environmentId: string, ids: BookedIds, batchId: string, paidBack: PaidBack): Promise<unknown>;
};
