import postgres from "postgres";
import type { Sql, Transaction as SqlTransaction } from "@/db/client";
import type { NewEvent, NumberedEvent } from "@/db/schema/events";
import type { ActorRecord, OperationState } from "@/db/schema/operations";
import type { PaymentMethodRow } from "@/db/schema/payment-methods";
import type { LedgerAccount, PaymentRow } from "@/db/schema/payments";
import type { TransactionRow } from "@/db/schema/transactions";
import { MAX_SESSION_ATTEMPTS } from "@/lib/contract/checkout/attempts";
import type { Mode } from "@/lib/contract/transactions/words";
import { clockNow } from "../clock";
import type { Fragment } from "../statement-text";

/** A ledger line to write. Amount in minor units. */
export type NewLedgerLine = { line: number; debit: LedgerAccount; credit: LedgerAccount; amount: number };

/** End of a payment's client session. `event`: that of a session that is paid, written only if it ends so. */
type SessionEnd = { id: string; paid: boolean; event: NewEvent | null };

/** Everything that an outcome changes, computed for a payment at `from.version`. */
export type OutcomeWrite = {
  mode: Mode;
  /** `open` for an operation in progress; `succeeded` for a refund that fails after it was accepted. */
  from: { state: "open" | "succeeded"; epoch: number; version: number };
  operation: { id: string; state: OperationState; lastAnswer: string };
  payment: PaymentRow;
  charge: TransactionRow;
  /** The charge has new details of its card. */
  hasNewCardDetails: boolean;
  refund: TransactionRow | null;
  ledger: NewLedgerLine[];
  /** Captured amount on which Cardlane's fee is taken; 0 = none. */
  feeOn: number;
  /** Events of payment, charge and refund, whose sequence numbers continue those in the rows. */
  events: NumberedEvent[];
  audit: { id: string; action: string; actor: ActorRecord; requestId: string | null };
  /** The payment method of the card that the payment stored, new or known; null if none. */
  storedMethodId: string | null;
  /** The card that the payment stores. */
  storedCard: { row: PaymentMethodRow; auditId: string } | null;
  /** The client session whose payment ends here: it is paid, or free for another attempt. */
  session: SessionEnd | null;
  /** The response to store; null without a key. */
  response: { key: string; status: number; body: string } | null;
};

/** Sequence number of a transaction's last event after an outcome. */
const lastNumber = ({ events }: Pick<OutcomeWrite, "events">, row: TransactionRow): number =>
  events.findLast((event) => event.object_id === row.id)?.sequence ?? row.event_sequence;

/** The write failed because payment, operation or time are not those that the outcome was computed for. */
export function isStaleOutcome(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === "CL001";
}

/** Locks key and payment, in the order of all statements: key → payment. */
export async function lockPayment(
  tx: SqlTransaction,
  environmentId: string,
  key: string | null,
  paymentId: string,
): Promise<void> {
  if (key !== null) {
    await tx`select 1 from idempotency_keys where environment_id = ${environmentId}::uuid and key = ${key} for update`;
  }
  await tx`select 1 from payments where environment_id = ${environmentId}::uuid and id = ${paymentId}::uuid for update`;
}

/**
 * True if Cardlane began a refund of the payment by itself, as for a subscription that ended. An outside refund
 * has a detail. Index: `operations_payment`.
 */
export async function isRefundedByItself(
  tx: SqlTransaction,
  environmentId: string,
  paymentId: string,
): Promise<boolean> {
  const rows = await tx`
    select 1 from operations where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid
      and kind = 'refund' and actor ->> 'type' = 'system' and detail is null limit 1`;
  return rows.length > 0;
}

/**
 * Marks a payment whose booked capture failed at the processor later; the ledger stays. Runs in the
 * transaction that has locked the payment and writes the event. Returns the time.
 */
export async function reverseCapture(tx: SqlTransaction, environmentId: string, paymentId: string): Promise<string> {
  const now = tx`greatest(updated_at, ${clockNow(tx, environmentId)})`;
  const [row] = await tx<{ at: string }[]>`
    update payments set capture_reversed_at = ${now}, updated_at = ${now}, version = version + 1,
      event_sequence = event_sequence + 1
    where environment_id = ${environmentId}::uuid and id = ${paymentId}::uuid
    returning capture_reversed_at as at`;
  if (!row) throw new Error(`payment ${paymentId} is gone`);
  return row.at;
}

/** Writes an event of a payment without an operation, with its entry in the audit log. */
export async function insertMarkEvent(
  tx: SqlTransaction,
  environmentId: string,
  event: NumberedEvent,
  { id: auditId, actor }: { id: string; actor: ActorRecord },
): Promise<void> {
  await tx`
    with event as (
      insert into events (environment_id, id, type, operation_id, object_id, sequence, data, created_at)
      values (${environmentId}::uuid, ${event.id}::uuid, ${event.type}, null, ${event.object_id}::uuid, ${event.sequence}::int,
        ${event.data}::text::json, ${event.created_at}::timestamptz)
    )
    insert into audit_log (environment_id, id, actor, action, object_id, request_id)
    values (${environmentId}::uuid, ${auditId}::uuid, ${actor as never}::jsonb, ${event.type}, ${event.object_id}::uuid, null)`;
}

/**
 * T2: writes an outcome atomically. Fails with {@link isStaleOutcome} if the payment changed since it was
 * read, the operation is closed or held by another process, or its time differs from the database's.
 */
export async function writeOutcome(sql: Sql | SqlTransaction, environmentId: string, s: OutcomeWrite): Promise<void> {
  const { payment, charge, refund } = s;
  const now = clockNow(sql, environmentId, s.mode);
  const updateRefund = refund
    ? sql`, refund as (
        update transactions set status = ${refund.status}, captured_at = ${refund.captured_at}::timestamptz,
          refunded_at = ${refund.refunded_at}::timestamptz, updated_at = ${refund.updated_at}::timestamptz,
          event_sequence = ${lastNumber(s, refund)}::int
        where environment_id = ${environmentId}::uuid and id = ${refund.id}::uuid and (select count(*) from operation) = 1
      )${creditNote(sql, environmentId, s, refund)}`
    : sql``;
  const lines = s.ledger.map((l) => sql`(${l.line}::smallint, ${l.debit}, ${l.credit}, ${l.amount}::bigint)`);
  if (s.feeOn > 0) {
    lines.push(
      sql`(2::smallint, 'merchant_payable', 'fees', (select (${s.feeOn}::bigint * fee_basis_points + 5000) / 10000 from operation))`,
    );
  }
  const ledger =
    lines.length > 0
      ? sql`, ledger as (
          insert into ledger_entries (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency, created_at)
          select ${environmentId}::uuid, ${s.operation.id}::uuid, l.line, ${payment.id}::uuid, l.debit, l.credit, l.amount, ${payment.currency},
            ${payment.updated_at}::timestamptz
          from (values ${listed(sql, lines)}) as l (line, debit, credit, amount)
          where l.amount > 0 and (select count(*) from operation) = 1
        )`
      : sql``;
  // A session closes right after its last attempt.
  const session = s.session
    ? sql`, session as (
        update client_sessions set open_payment_id = null,
          ${
            s.session.paid
              ? sql`status = 'COMPLETED', payment_id = open_payment_id, payment_method_id = ${s.storedCard?.row.id ?? null}::uuid, updated_at = ${payment.updated_at}::timestamptz`
              : sql`updated_at = ${now}, expires_at = case when attempts >= ${MAX_SESSION_ATTEMPTS}::int then least(expires_at, ${now}) else expires_at end`
          }
        where environment_id = ${environmentId}::uuid and id = ${s.session.id}::uuid and open_payment_id = ${payment.id}::uuid
          and (select count(*) from operation) = 1
        returning 1
      )`
    : sql``;
  const event = s.session?.event;
  // The session cannot expire or be canceled while its payment is in progress, so the sequence number is not
  // contended.
  const sessionEvent = event
    ? sql`, session_event as (
        insert into events (environment_id, id, type, operation_id, object_id, sequence, data, created_at)
        select ${environmentId}::uuid, ${event.id}::uuid, ${event.type}, ${event.operation_id}::uuid, ${event.object_id}::uuid,
          (select coalesce(max(sequence), 0) + 1 from events
            where environment_id = ${environmentId}::uuid and object_id = ${event.object_id}::uuid), ${event.data}::text::json,
          ${event.created_at}::timestamptz
        where (select count(*) from session) = 1
      )`
    : sql``;
  // The rate is stored with the operation, because the merchant's may change.
  const rate =
    s.feeOn > 0
      ? sql`, captured = true, fee_basis_points = (select fee_basis_points from environments where id = ${environmentId}::uuid)`
      : sql``;
  // The payment keeps its tax too, for its receipt. A payment of an invoice has the invoice's.
  const taxed =
    payment.invoice_id === null
      ? sql`select tax_name, tax_rate from environments where id = ${environmentId}::uuid`
      : sql`select tax_name, tax_rate from invoices where environment_id = ${environmentId}::uuid and id = ${payment.invoice_id}::uuid`;
  const tax = s.feeOn > 0 ? sql`, (tax_name, tax_rate) = (${taxed})` : sql``;
  const card = s.hasNewCardDetails
    ? sql`, card_brand = ${charge.card_brand}, card_last4 = ${charge.card_last4}, card_bin = ${charge.card_bin},
        card_exp_month = ${charge.card_exp_month}::smallint, card_exp_year = ${charge.card_exp_year}::smallint`
    : sql``;
  const stored = s.storedCard?.row;
  const storesCard = s.storedMethodId ? sql`, payment_method_id = ${s.storedMethodId}::uuid` : sql``;
  const storedCard = stored
    ? sql`, stored_card as (
        insert into payment_methods (environment_id, id, customer_id, connection_id, processor_token, card_brand, card_last4,
          card_bin, card_exp_month, card_exp_year, card_identity, consent, metadata, payment_id, client_session_id, created_at, updated_at)
        select ${environmentId}::uuid, ${stored.id}::uuid, ${stored.customer_id}, ${stored.connection_id}::uuid,
          ${stored.processor_token}, ${stored.card_brand}, ${stored.card_last4}, ${stored.card_bin},
          ${stored.card_exp_month}::smallint, ${stored.card_exp_year}::smallint, ${stored.card_identity},
          ${stored.consent as never}::jsonb, ${stored.metadata as never}::jsonb, ${payment.id}::uuid, ${stored.client_session_id}::uuid,
          ${stored.created_at}::timestamptz, ${stored.updated_at}::timestamptz
        where (select count(*) from operation) = 1
      ), stored_card_audit as (
        insert into audit_log (environment_id, id, actor, action, object_id, request_id)
        select ${environmentId}::uuid, ${s.storedCard?.auditId ?? null}::uuid, ${s.audit.actor as never}::jsonb, 'payment_method.created',
          ${stored.id}::uuid, ${s.audit.requestId}::uuid
        where (select count(*) from operation) = 1
      )`
    : sql``;
  const eventCount = s.events.filter((event) => event.object_id === payment.id).length;
  const events = s.events.map(
    (e) =>
      sql`(${e.id}::uuid, ${e.type}, ${e.operation_id}::uuid, ${e.object_id}::uuid, ${e.sequence}::int, ${e.data}::text::json, ${e.created_at}::timestamptz)`,
  );
  if (events.length === 0) throw new Error(`operation ${s.operation.id} ends without an event`);
  await sql`
    with answered as (
      update idempotency_keys set state = 'done', status_code = ${s.response?.status ?? null}::smallint,
        response_body = ${s.response?.body ?? null}, completed_at = now()
      where environment_id = ${environmentId}::uuid and key = ${s.response?.key ?? null} and operation_id = ${s.operation.id}::uuid
      returning 1
    ),
    paid as (
      update payments set status = ${payment.status}, amount_captured = ${payment.amount_captured}::bigint,
        amount_refunded = ${payment.amount_refunded}::bigint, refund_pending = ${payment.refund_pending}::bigint,
        open_operation_id = ${payment.open_operation_id}::uuid, capture_before = ${payment.capture_before}::timestamptz,
        next_action = ${payment.next_action as never}::jsonb${storesCard}${tax}, version = version + 1, updated_at = ${payment.updated_at}::timestamptz,
        event_sequence = event_sequence + ${eventCount}::int
      where environment_id = ${environmentId}::uuid and id = ${payment.id}::uuid and version = ${s.from.version}::int
        and (select count(*) from answered) >= 0
        -- A process with a wrong clock could end an authorization that has just begun; a test clock may have moved.
        and ${payment.updated_at}::timestamptz - ${now} between interval '-1 minute' and interval '1 minute'
        -- A closed operation must fail here, before a constraint refuses to do it twice.
        and exists (select from operations where environment_id = ${environmentId}::uuid and id = ${s.operation.id}::uuid
          and state = ${s.from.state} and epoch = ${s.from.epoch}::int)
      returning tax_name, tax_rate
    ),
    operation as (
      update operations set state = ${s.operation.state}, last_answer = ${s.operation.lastAnswer}, completed_at = now()${rate}
      where environment_id = ${environmentId}::uuid and id = ${s.operation.id}::uuid and state = ${s.from.state}
        and epoch = ${s.from.epoch}::int and (select count(*) from paid) = 1
      returning fee_basis_points
    ),
    charge as (
      update transactions set status = ${charge.status}, avs_result = ${charge.avs_result}, cvv_result = ${charge.cvv_result},
        fraud_score = ${charge.fraud_score}::smallint, fraud_reasons = ${charge.fraud_reasons}::text[],
        decline_code = ${charge.decline_code}, void_reason = ${charge.void_reason},
        authorized_at = ${charge.authorized_at}::timestamptz, captured_at = ${charge.captured_at}::timestamptz,
        voided_at = ${charge.voided_at}::timestamptz, refunded_at = ${charge.refunded_at}::timestamptz,
        updated_at = ${charge.updated_at}::timestamptz,
        event_sequence = ${lastNumber(s, charge)}::int${card}
      where environment_id = ${environmentId}::uuid and id = ${charge.id}::uuid and (select count(*) from operation) = 1
    )${updateRefund}${session}${sessionEvent}${storedCard}${ledger},
    events as (
      insert into events (environment_id, id, type, operation_id, object_id, sequence, data, created_at)
      select ${environmentId}::uuid, e.*
      from (values ${listed(sql, events)}) e
      where (select count(*) from operation) = 1
    ),
    audit as (
      insert into audit_log (environment_id, id, actor, action, object_id, request_id)
      select ${environmentId}::uuid, ${s.audit.id}::uuid, ${s.audit.actor as never}::jsonb, ${s.audit.action}, ${payment.id}::uuid,
        ${s.audit.requestId}::uuid
      where (select count(*) from operation) = 1
    )
    select require_written((select count(*) from operation))`;
}

/**
 * The document of a refund that succeeds, with the next number, or the end of one whose refund was returned. Its
 * tax brings the payment's documents to the tax in what is refunded so far, so that they add up to the payment's
 * tax. Index: `credit_notes_payment`.
 */
function creditNote(
  sql: Sql | SqlTransaction,
  environmentId: string,
  { payment, from }: OutcomeWrite,
  refund: TransactionRow,
): Fragment {
  if (from.state === "succeeded") {
    return sql`, credit_note as (
        update credit_notes set voided_at = ${refund.updated_at}::timestamptz
        where environment_id = ${environmentId}::uuid and id = ${refund.id}::uuid and (select count(*) from operation) = 1
      )`;
  }
  if (refund.status !== "CAPTURED") return sql``;
  const left = payment.amount_captured - payment.amount_refunded;
  return sql`, credit_number as (
        insert into credit_note_counters as c (environment_id, last)
        select ${environmentId}::uuid, 1 where (select count(*) from operation) = 1
        on conflict (environment_id) do update set last = c.last + 1
        returning last
      ), credit_note as (
        insert into credit_notes (environment_id, id, payment_id, number, amount, tax_name, tax_rate, tax_amount, created_at)
        select ${environmentId}::uuid, ${refund.id}::uuid, ${payment.id}::uuid, n.last, ${refund.amount}::bigint, p.tax_name, p.tax_rate,
          -- A returned refund takes its rounding with it. No part is negative or above its amount, nor leaves more tax
          -- than the rest of the payment can include.
          case when p.tax_rate is not null then least(${refund.amount}::bigint, greatest(0,
            included_tax(${payment.amount_refunded}::bigint, p.tax_rate) - w.tax,
            included_tax(${payment.amount_captured}::bigint, p.tax_rate) - w.tax - ${left}::bigint)) end,
          ${refund.updated_at}::timestamptz
        from credit_number n cross join paid p
        cross join (
          select coalesce(sum(tax_amount), 0)::bigint as tax from credit_notes
          where environment_id = ${environmentId}::uuid and payment_id = ${payment.id}::uuid and voided_at is null
        ) w
      )`;
}

/** Fragments joined by commas; there must be at least one. */
const listed = (sql: Sql | SqlTransaction, parts: Fragment[]): Fragment =>
  parts.reduce((rows, row) => sql`${rows}, ${row}`);
