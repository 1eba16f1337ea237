import postgres from "postgres";
import type { Sql, Transaction as SqlTransaction } from "@/db/client";
import type { LedgerAccount } from "@/db/schema/ledger";
import type { ActorRecord, OperationKind, OperationState } from "@/db/schema/operations";
import type { PaymentRow } from "@/db/schema/payments";
import type { TransactionRow } from "@/db/schema/transactions";
import type { Mode } from "@/lib/contract/transaction";
import { claimKey, type KeyClaim } from "./idempotency-claims";

/**
 * The statements that move money. Each is one SQL statement, so it happens whole or not at all, in one round trip. Locks
 * are always taken in the order key → payment → operation; every "does the step before hold?" is a scalar subquery on the
 * step before, which PostgreSQL evaluates first, and evaluates once.
 */

/** The intent written before the processor is called. Its id is the processor's reference. */
export type Intent = {
  id: string;
  kind: OperationKind;
  paymentId: string;
  transactionId: string;
  /** Minor units. */
  amount: number;
  currency: string;
  detail: string | null;
  actor: ActorRecord;
  requestId: string | null;
  leaseMs: number;
};

export type NewPayment = {
  payment: Omit<PaymentRow, "amount_captured" | "amount_refunded" | "refund_pending" | "version" | "capture_before" | "next_action">;
  charge: TransactionRow;
};

/** `claimed` without `reserved`: the key is ours, the guard said no. */
export type Reservation = { claimed: boolean; reserved: boolean };

/** T1 of a new payment: claims the key, uses up the payment token if there is one, writes payment, charge and intent. */
export async function insertPayment(
  sql: Sql,
  environmentId: string,
  claim: KeyClaim,
  { payment, charge }: NewPayment,
  intent: Intent,
  paymentTokenId: string | null,
): Promise<Reservation> {
  const token = paymentTokenId
    ? sql`update payment_tokens set payment_id = ${payment.id}::uuid
        where environment_id = ${environmentId}::uuid and id = ${paymentTokenId}::uuid
          and payment_id is null and expires_at > now() and (select count(*) from claim) = 1
        returning 1`
    : sql`select 1 from claim`;
  const [row] = await sql<[Reservation]>`
    with claim as (${claimKey(sql, environmentId, claim, sql``)}),
    token as (${token}),
    payment as (
      insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, capture_method,
        open_operation_id, customer_id, return_url, created_at, updated_at)
      select ${environmentId}::uuid, ${payment.id}::uuid, ${payment.charge_id}::uuid, ${payment.authorization_id}::uuid,
        ${payment.status}, ${payment.currency}, ${payment.amount}::bigint, ${payment.capture_method},
        ${payment.open_operation_id}::uuid, ${payment.customer_id}, ${payment.return_url},
        ${payment.created_at}::timestamptz, ${payment.updated_at}::timestamptz
      where (select count(*) from token) = 1
      returning 1
    ),
    charge as (
      insert into transactions (environment_id, id, payment_id, type, status, amount, currency, customer_id, customer_email,
        customer_name, billing_address, card_brand, card_last4, card_exp_month, card_exp_year, card_bin, card_fingerprint,
        plan_id, client_session_id, description, metadata, created_at, updated_at)
      select ${environmentId}::uuid, ${charge.id}::uuid, ${charge.payment_id}::uuid, ${charge.type}, ${charge.status},
        ${charge.amount}::bigint, ${charge.currency}, ${charge.customer_id}, ${charge.customer_email},
        ${charge.customer_name}, ${charge.billing_address as never}::jsonb, ${charge.card_brand}, ${charge.card_last4},
        ${charge.card_exp_month}::smallint, ${charge.card_exp_year}::smallint, ${charge.card_bin},
        ${charge.card_fingerprint}, ${charge.plan_id}::uuid, ${charge.client_session_id}::uuid, ${charge.description},
        ${charge.metadata as never}::jsonb, ${charge.created_at}::timestamptz, ${charge.updated_at}::timestamptz
      where (select count(*) from payment) = 1
    ),
    operation as (
      insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, detail,
        idempotency_key, actor, request_id, lease_until, next_attempt_at)
      select ${environmentId}::uuid, ${intent.id}::uuid, ${intent.paymentId}::uuid, ${intent.transactionId}::uuid,
        ${intent.kind}, 'open', ${intent.amount}::bigint, ${intent.currency}, ${intent.detail}, ${claim.key},
        ${intent.actor as never}::jsonb, ${intent.requestId}::uuid,
        now() + ${intent.leaseMs}::int * interval '1 ms', now() + ${intent.leaseMs}::int * interval '1 ms'
      where (select count(*) from payment) = 1
      returning 1
    )
    select (select count(*) from claim) = 1 as claimed, (select count(*) from operation) = 1 as reserved`;
  return row;
}

export type FollowUp = {
  kind: "capture" | "void" | "refund" | "continue";
  paymentId: string;
  operationId: string;
  /** The REFUND transaction to write; null for all else. */
  refund: { id: string; created_at: string; reason: string | null; comment: string | null } | null;
  /** Minor units; null = all there is. */
  amount: number | null;
  detail: string | null;
  /** False when the caller named a refund, on which nothing can be done: the key is claimed, nothing reserved. */
  allowed: boolean;
  actor: ActorRecord;
  requestId: string | null;
  leaseMs: number;
};

export type FollowUpReservation = Reservation & {
  /** Whether the payment exists in this environment. */
  found: boolean;
  /** The amount reserved, in minor units. */
  amount: number | null;
};

/** What each kind asks of the payment, and what it reserves, in the one guarded UPDATE. */
function reserve(sql: Sql, followUp: FollowUp) {
  const exclusive = sql`open_operation_id = ${followUp.operationId}::uuid`;
  switch (followUp.kind) {
    case "refund":
      return {
        amount: sql`coalesce(${followUp.amount}::bigint, amount_captured - amount_refunded - refund_pending)`,
        change: sql`refund_pending = refund_pending + (select amount from locked)`,
        guard: sql`status in ('CAPTURED', 'SETTLED', 'PARTIALLY_REFUNDED') and (select amount from locked) > 0
          and amount_refunded + refund_pending + (select amount from locked) <= amount_captured`,
      };
    case "capture":
      return {
        amount: sql`coalesce(${followUp.amount}::bigint, amount)`,
        change: exclusive,
        guard: sql`status = 'AUTHORIZED' and open_operation_id is null and capture_before > now()
          and (select amount from locked) <= amount`,
      };
    case "void":
      return { amount: sql`amount`, change: exclusive, guard: sql`status = 'AUTHORIZED' and open_operation_id is null` };
    case "continue":
      return { amount: sql`amount`, change: sql`${exclusive}, status = 'PENDING'`, guard: sql`status = 'REQUIRES_ACTION'` };
  }
}

/**
 * T1 of a capture, void, refund or continued authorization: claims the key (if there is one), reserves by one guarded
 * UPDATE of the payment, and writes the intent and, for a refund, its pending transaction.
 */
export async function reserveFollowUp(
  sql: Sql,
  environmentId: string,
  claim: KeyClaim | null,
  followUp: FollowUp,
): Promise<FollowUpReservation> {
  const { amount, change, guard } = reserve(sql, followUp);
  const { refund } = followUp;
  const insertRefund = refund
    ? sql`, refund as (
        insert into transactions (environment_id, id, payment_id, type, status, amount, currency, customer_id, customer_email,
          customer_name, billing_address, card_brand, card_last4, card_exp_month, card_exp_year, card_bin, card_fingerprint,
          subscription_id, plan_id, client_session_id, refund_of, refund_reason, refund_comment, description, metadata,
          created_at, updated_at)
        select c.environment_id, ${refund.id}::uuid, c.payment_id, 'REFUND', 'PENDING', (select amount from locked), c.currency,
          c.customer_id, c.customer_email, c.customer_name, c.billing_address, c.card_brand, c.card_last4, c.card_exp_month,
          c.card_exp_year, c.card_bin, c.card_fingerprint, c.subscription_id, c.plan_id, c.client_session_id, c.id,
          ${refund.reason}, ${refund.comment}, c.description, c.metadata,
          ${refund.created_at}::timestamptz, ${refund.created_at}::timestamptz
        from transactions c
        where c.environment_id = ${environmentId}::uuid and c.id = (select charge_id from target)
          and (select count(*) from reserved) = 1
      )`
    : sql``;
  const [row] = await sql<[FollowUpReservation]>`
    with target as (
      select id, charge_id, currency from payments where environment_id = ${environmentId}::uuid and id = ${followUp.paymentId}::uuid
    ),
    claim as (${claim ? claimKey(sql, environmentId, claim, sql`where exists (select from target)`) : sql`select 1 from target`}),
    locked as (
      select ${amount} as amount from payments
      where environment_id = ${environmentId}::uuid and id = ${followUp.paymentId}::uuid
        and (select count(*) from claim) = 1 and ${followUp.allowed}::boolean
      for update
    ),
    reserved as (
      update payments set ${change}, version = version + 1, updated_at = now()
      where environment_id = ${environmentId}::uuid and id = ${followUp.paymentId}::uuid
        and (select count(*) from locked) = 1 and ${guard}
      returning 1
    )${insertRefund},
    operation as (
      insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, detail,
        idempotency_key, actor, request_id, lease_until, next_attempt_at)
      select ${environmentId}::uuid, ${followUp.operationId}::uuid, id, ${refund ? sql`${refund.id}::uuid` : sql`charge_id`},
        ${followUp.kind}, 'open', (select amount from locked), currency, ${followUp.detail}, ${claim?.key ?? null},
        ${followUp.actor as never}::jsonb, ${followUp.requestId}::uuid,
        now() + ${followUp.leaseMs}::int * interval '1 ms', now() + ${followUp.leaseMs}::int * interval '1 ms'
      from target
      where (select count(*) from reserved) = 1
      returning 1
    )
    select (select count(*) from target) = 1 as found, (select count(*) from claim) = 1 as claimed,
      (select count(*) from operation) = 1 as reserved, (select amount from locked) as amount`;
  return row;
}

export type LedgerLine = { line: number; debit: LedgerAccount; credit: LedgerAccount; amount: number };

/** Everything that an outcome changes, worked out beforehand for a payment at `version`. */
export type Settlement = {
  /** `open` for an operation under way; `succeeded` for a refund that fails after it was accepted. */
  from: { state: "open" | "succeeded"; epoch: number; version: number };
  operation: { id: string; state: OperationState; lastAnswer: string };
  payment: PaymentRow;
  charge: TransactionRow;
  refund: TransactionRow | null;
  ledger: LedgerLine[];
  /** Captured amount on which Cardlane's fee is taken; 0 = none. */
  feeOn: number;
  event: { id: string; type: string; payload: string };
  audit: { id: string; action: string; actor: ActorRecord; requestId: string | null };
  /** The answer to store; null when no key waits for it. */
  answer: { key: string; status: number; body: string } | null;
};

/** Whether a settlement failed because the payment or the operation is no longer what it was worked out for. */
export function isStaleSettlement(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === "CL001";
}

/** Locks what a settlement changes, in the order that all statements lock it: key → payment. */
export async function lockPayment(tx: SqlTransaction, environmentId: string, key: string | null, paymentId: string): Promise<void> {
  if (key !== null) {
    await tx`select 1 from idempotency_keys where environment_id = ${environmentId}::uuid and key = ${key} for update`;
  }
  await tx`select 1 from payments where environment_id = ${environmentId}::uuid and id = ${paymentId}::uuid for update`;
}

/**
 * T2: writes an outcome, all of it or nothing. Fails with {@link isStaleSettlement} when the payment changed since it
 * was read, or the operation is closed or in other hands.
 */
export async function settleOperation(sql: Sql | SqlTransaction, environmentId: string, s: Settlement): Promise<void> {
  const { payment, charge, refund } = s;
  const updateRefund = refund
    ? sql`, refund as (
        update transactions set status = ${refund.status}, captured_at = ${refund.captured_at}::timestamptz,
          refunded_at = ${refund.refunded_at}::timestamptz, updated_at = ${refund.updated_at}::timestamptz
        where environment_id = ${environmentId}::uuid and id = ${refund.id}::uuid and (select count(*) from operation) = 1
      )`
    : sql``;
  const ledger =
    s.ledger.length > 0
      ? sql`, ledger as (
          insert into ledger_entries (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency)
          select ${environmentId}::uuid, ${s.operation.id}::uuid, l.line, ${payment.id}::uuid, l.debit, l.credit, l.amount, ${payment.currency}
          from jsonb_to_recordset(${s.ledger as never}::jsonb) as l (line smallint, debit text, credit text, amount bigint)
          where (select count(*) from operation) = 1
        )`
      : sql``;
  const fee =
    s.feeOn > 0
      ? sql`, fee as (
          insert into ledger_entries (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency)
          select ${environmentId}::uuid, ${s.operation.id}::uuid, 2, ${payment.id}::uuid, 'merchant_payable', 'fees',
            (${s.feeOn}::bigint * fee_basis_points + 5000) / 10000, ${payment.currency}
          from environments
          where id = ${environmentId}::uuid and (${s.feeOn}::bigint * fee_basis_points + 5000) / 10000 > 0
            and (select count(*) from operation) = 1
        )`
      : sql``;
  await sql`
    with answered as (
      update idempotency_keys set state = 'done', status_code = ${s.answer?.status ?? null}::smallint,
        response_body = ${s.answer?.body ?? null}, completed_at = now()
      where environment_id = ${environmentId}::uuid and key = ${s.answer?.key ?? null} and operation_id = ${s.operation.id}::uuid
      returning 1
    ),
    paid as (
      update payments set status = ${payment.status}, amount_captured = ${payment.amount_captured}::bigint,
        amount_refunded = ${payment.amount_refunded}::bigint, refund_pending = ${payment.refund_pending}::bigint,
        open_operation_id = ${payment.open_operation_id}::uuid, capture_before = ${payment.capture_before}::timestamptz,
        next_action = ${payment.next_action as never}::jsonb, version = version + 1, updated_at = ${payment.updated_at}::timestamptz
      where environment_id = ${environmentId}::uuid and id = ${payment.id}::uuid and version = ${s.from.version}::int
        and (select count(*) from answered) >= 0
        -- A closed operation is told so before a constraint can object to doing it twice.
        and exists (select from operations where environment_id = ${environmentId}::uuid and id = ${s.operation.id}::uuid
          and state = ${s.from.state} and epoch = ${s.from.epoch}::int)
      returning 1
    ),
    operation as (
      update operations set state = ${s.operation.state}, last_answer = ${s.operation.lastAnswer}, completed_at = now()
      where environment_id = ${environmentId}::uuid and id = ${s.operation.id}::uuid and state = ${s.from.state}
        and epoch = ${s.from.epoch}::int and (select count(*) from paid) = 1
      returning 1
    ),
    charge as (
      update transactions set status = ${charge.status}, avs_result = ${charge.avs_result}, cvv_result = ${charge.cvv_result},
        fraud_score = ${charge.fraud_score}::smallint, fraud_reasons = ${charge.fraud_reasons}::text[],
        decline_code = ${charge.decline_code}, void_reason = ${charge.void_reason},
        authorized_at = ${charge.authorized_at}::timestamptz, captured_at = ${charge.captured_at}::timestamptz,
        voided_at = ${charge.voided_at}::timestamptz, refunded_at = ${charge.refunded_at}::timestamptz,
        updated_at = ${charge.updated_at}::timestamptz
      where environment_id = ${environmentId}::uuid and id = ${charge.id}::uuid and (select count(*) from operation) = 1
    )${updateRefund}${ledger}${fee},
    event as (
      insert into events (environment_id, id, type, operation_id, object_id, payload)
      select ${environmentId}::uuid, ${s.event.id}::uuid, ${s.event.type}, ${s.operation.id}::uuid, ${payment.id}::uuid,
        ${s.event.payload}::text::json
      where (select count(*) from operation) = 1
    ),
    audit as (
      insert into audit_log (environment_id, id, actor, action, object_id, request_id)
      select ${environmentId}::uuid, ${s.audit.id}::uuid, ${s.audit.actor as never}::jsonb, ${s.audit.action}, ${payment.id}::uuid,
        ${s.audit.requestId}::uuid
      where (select count(*) from operation) = 1
    )
    select require_settled((select count(*) from operation))`;
}

export type PaymentSnapshot = { payment: PaymentRow; transactions: TransactionRow[] };

type JoinedRow = TransactionRow & { [K in keyof PaymentRow as `p_${K}`]: PaymentRow[K] };

/**
 * A payment with its transactions as they stood at one moment (one statement, hence one snapshot), oldest first; null when
 * there is none. Index: primary key of payments, `transactions_payment`.
 */
export async function findPayment(
  sql: Sql | SqlTransaction,
  environmentId: string,
  paymentId: string,
): Promise<PaymentSnapshot | null> {
  const rows = await sql<JoinedRow[]>`
    select t.*, p.id as p_id, p.charge_id as p_charge_id, p.authorization_id as p_authorization_id, p.status as p_status,
      p.currency as p_currency, p.amount as p_amount, p.capture_method as p_capture_method,
      p.amount_captured as p_amount_captured, p.amount_refunded as p_amount_refunded, p.refund_pending as p_refund_pending,
      p.open_operation_id as p_open_operation_id, p.version as p_version, p.capture_before as p_capture_before,
      p.customer_id as p_customer_id, p.return_url as p_return_url, p.next_action as p_next_action,
      p.created_at as p_created_at, p.updated_at as p_updated_at
    from payments p
    join transactions t on t.environment_id = p.environment_id and t.payment_id = p.id
    where p.environment_id = ${environmentId}::uuid and p.id = ${paymentId}::uuid
    order by t.id`;
  const [first] = rows;
  if (!first) return null;
  return { payment: paymentOf(first), transactions: rows };
}

function paymentOf(row: JoinedRow): PaymentRow {
  return {
    environment_id: row.environment_id,
    id: row.p_id,
    charge_id: row.p_charge_id,
    authorization_id: row.p_authorization_id,
    status: row.p_status,
    currency: row.p_currency,
    amount: row.p_amount,
    capture_method: row.p_capture_method,
    amount_captured: row.p_amount_captured,
    amount_refunded: row.p_amount_refunded,
    refund_pending: row.p_refund_pending,
    open_operation_id: row.p_open_operation_id,
    version: row.p_version,
    capture_before: row.p_capture_before,
    customer_id: row.p_customer_id,
    return_url: row.p_return_url,
    next_action: row.p_next_action,
    created_at: row.p_created_at,
    updated_at: row.p_updated_at,
  };
}

/** The payment behind a transaction; null when there is no such transaction. Index: primary key of transactions. */
export async function findPaymentOfTransaction(sql: Sql, environmentId: string, transactionId: string) {
  const [row] = await sql<Pick<TransactionRow, "payment_id" | "type" | "status">[]>`
    select payment_id, type, status from transactions
    where environment_id = ${environmentId}::uuid and id = ${transactionId}::uuid`;
  return row ?? null;
}

type Due = { environment_id: string; id: string; mode: Mode };

/** Authorizations past their time with nothing under way, oldest first. Index: `payments_expiring`. */
export async function listExpiredAuthorizations(sql: Sql, limit: number): Promise<Due[]> {
  return sql<Due[]>`
    select p.environment_id, p.id, e.mode from payments p join environments e on e.id = p.environment_id
    where p.status = 'AUTHORIZED' and p.capture_before <= now() and p.open_operation_id is null
    order by p.capture_before
    limit ${limit}::int`;
}

/** Payments whose 3-D Secure challenge was opened more than `minutes` ago. Index: `payments_waiting`. */
export async function listAbandonedChallenges(sql: Sql, minutes: number, limit: number): Promise<Due[]> {
  return sql<Due[]>`
    select p.environment_id, p.id, e.mode from payments p join environments e on e.id = p.environment_id
    where p.status = 'REQUIRES_ACTION' and p.updated_at <= now() - ${minutes}::int * interval '1 minute'
    order by p.updated_at
    limit ${limit}::int`;
}
