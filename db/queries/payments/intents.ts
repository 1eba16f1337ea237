import type { Sql, Transaction as SqlTransaction } from "@/db/client";
import type { ActorRecord, OperationKind } from "@/db/schema/operations";
import type { PaymentRow } from "@/db/schema/payments";
import type { TransactionRow } from "@/db/schema/transactions";
import { CLIENT_SESSION_ATTEMPTS } from "@/lib/contract/checkout/client-session";
import { MOST_REFUNDS } from "@/lib/contract/payments/payment";
import { claimKey, type KeyClaim } from "../idempotency/keys";
import type { Lease } from "./operations";

/**
 * T1, what is written before the processor is called. Each is one SQL statement, so it happens whole or not at all, in one
 * round trip. Locks are taken in the order key → payment → operation; every "does the step before hold?" is a scalar
 * subquery on the step before, which PostgreSQL evaluates first, and evaluates once.
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
  lease: Lease;
};

type NewPayment = {
  payment: Omit<
    PaymentRow,
    | "amount_captured"
    | "amount_refunded"
    | "refund_pending"
    | "version"
    | "event_sequence"
    | "capture_before"
    | "next_action"
    | "dispute_id"
    | "dispute_status"
    | "capture_reversed_at"
  >;
  charge: TransactionRow;
};

/** What a new payment is made from, and uses up. */
export type PaymentSource = {
  paymentTokenId: string | null;
  /** The client session that it pays. A card typed into its form counts as an attempt; a token was one when it was made. */
  clientSessionId: string | null;
  /** A connection that may be disconnected at any moment: the payment is made only while it is not. */
  guardedConnectionId: string | null;
};

/**
 * Whether the connection is there, for a payment or operation at one that merchants can disconnect; true for any other. The
 * share keeps it from being disconnected until this is committed, and seen by whoever looks for what is open.
 */
const isConnected = (sql: Sql | SqlTransaction, environmentId: string, connectionId: string | null) =>
  connectionId === null
    ? sql`true`
    : sql`exists (select from processor_connections where environment_id = ${environmentId}::uuid
        and id = ${connectionId}::uuid and status = 'CONNECTED' for key share)`;

/** `claimed` without `reserved`: the key is claimed, and the guard refused. */
export type Reservation = {
  claimed: boolean;
  reserved: boolean;
  /** The processor must not execute the call after this, by the database's clock. */
  not_after: string;
};

/**
 * Whether the session's link, where it has one, still sells: it is on and not past its time, and of a single-use link this is
 * the session that may be paid.
 */
const linkSells = (sql: Sql) => sql`(client_sessions.payment_link_id is null or exists (
  select from payment_links l
  where l.environment_id = client_sessions.environment_id and l.id = client_sessions.payment_link_id
    and l.active and (l.expires_at is null or l.expires_at > now())
    and (not l.single_use or l.session_id = client_sessions.id)))`;

/**
 * T1 of a new payment: claims the key, uses up the payment token if there is one, takes the client session if there is one,
 * writes payment, charge and intent. A session takes one payment at a time, and none once it is paid or closed, or the link that
 * opened it is switched off. Fails with
 * `isStaleOutcome` when another payment took the session in the very moment in which the token was used: start over.
 */
export async function insertPayment(
  sql: Sql,
  environmentId: string,
  claim: KeyClaim,
  { payment, charge }: NewPayment,
  intent: Intent,
  { paymentTokenId, clientSessionId, guardedConnectionId }: PaymentSource,
): Promise<Reservation> {
  const connected = isConnected(sql, environmentId, guardedConnectionId);
  const token = paymentTokenId
    ? sql`update payment_tokens set payment_id = ${payment.id}::uuid, processor_token = ''
        where environment_id = ${environmentId}::uuid and id = ${paymentTokenId}::uuid
          and payment_id is null and expires_at > now() and (select count(*) from claim) = 1 and ${connected}
          and (client_session_id is null or (
            select client_sessions.status = 'OPEN' and open_payment_id is null and ${linkSells(sql)} from client_sessions
            where client_sessions.environment_id = ${environmentId}::uuid and client_sessions.id = payment_tokens.client_session_id))
        returning 1`
    : sql`select 1 from claim`;
  const session = clientSessionId
    ? sql`update client_sessions set open_payment_id = ${payment.id}::uuid, updated_at = now(),
          attempts = attempts + ${paymentTokenId ? 0 : 1}::int
        where environment_id = ${environmentId}::uuid and id = ${clientSessionId}::uuid
          and status = 'OPEN' and open_payment_id is null and (select count(*) from token) = 1 and ${linkSells(sql)}
          and ${paymentTokenId ? sql`true` : connected}
          and ${paymentTokenId ? sql`true` : sql`expires_at > now() and attempts < ${CLIENT_SESSION_ATTEMPTS}::int`}
        returning 1`
    : sql`select 1 from token`;
  // The statement is undone rather than a token used up for a payment that is not made.
  const usedForNothing =
    paymentTokenId && clientSessionId
      ? sql`, require_written(1 - (select count(*) from token) + (select count(*) from session))`
      : sql``;
  const [row] = await sql<[Reservation]>`
    with claim as (${claimKey(sql, environmentId, claim)}),
    token as (${token}),
    session as (${session}),
    payment as (
      insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, capture_method,
        open_operation_id, customer_id, return_url, connection_id, created_at, updated_at)
      select ${environmentId}::uuid, ${payment.id}::uuid, ${payment.charge_id}::uuid, ${payment.authorization_id}::uuid,
        ${payment.status}, ${payment.currency}, ${payment.amount}::bigint, ${payment.capture_method},
        ${payment.open_operation_id}::uuid, ${payment.customer_id}, ${payment.return_url}, ${payment.connection_id}::uuid,
        ${payment.created_at}::timestamptz, ${payment.updated_at}::timestamptz
      where (select count(*) from session) = 1 and ${paymentTokenId || clientSessionId ? sql`true` : connected}
      returning 1
    ),
    charge as (
      insert into transactions (environment_id, id, payment_id, type, status, amount, currency, customer_id, customer_email,
        customer_name, billing_address, card_brand, card_last4, card_exp_month, card_exp_year, card_bin,
        plan_id, client_session_id, description, metadata, created_at, updated_at)
      select ${environmentId}::uuid, ${charge.id}::uuid, ${charge.payment_id}::uuid, ${charge.type}, ${charge.status},
        ${charge.amount}::bigint, ${charge.currency}, ${charge.customer_id}, ${charge.customer_email},
        ${charge.customer_name}, ${charge.billing_address as never}::jsonb, ${charge.card_brand}, ${charge.card_last4},
        ${charge.card_exp_month}::smallint, ${charge.card_exp_year}::smallint, ${charge.card_bin},
        ${charge.plan_id}::uuid, ${charge.client_session_id}::uuid, ${charge.description},
        ${charge.metadata as never}::jsonb, ${charge.created_at}::timestamptz, ${charge.updated_at}::timestamptz
      where (select count(*) from payment) = 1
    ),
    operation as (
      insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, detail,
        idempotency_key, actor, request_id, lease_until, next_attempt_at, send_until, payment_token_id)
      select ${environmentId}::uuid, ${intent.id}::uuid, ${intent.paymentId}::uuid, ${intent.transactionId}::uuid,
        ${intent.kind}, 'open', ${intent.amount}::bigint, ${intent.currency}, ${intent.detail}, ${claim.key},
        ${intent.actor as never}::jsonb, ${intent.requestId}::uuid,
        now() + ${intent.lease.heldForMs}::int * interval '1 ms', now() + ${intent.lease.heldForMs}::int * interval '1 ms',
        now() + ${intent.lease.sendWithinMs}::int * interval '1 ms', ${paymentTokenId}::uuid
      where (select count(*) from payment) = 1
      returning 1
    )
    select (select count(*) from claim) = 1 as claimed, (select count(*) from operation) = 1 as reserved,
      now() + ${intent.lease.sendWithinMs}::int * interval '1 ms' as not_after${usedForNothing}`;
  return row;
}

/** What to do with a payment that exists. */
export type FollowUp = {
  readonly kind: "capture" | "void" | "refund" | "continue";
  readonly paymentId: string;
  /** The REFUND transaction to write; null for all else. `id`: UUID. */
  readonly refund: {
    readonly id: string;
    readonly created_at: string;
    readonly reason: string | null;
    readonly comment: string | null;
  } | null;
  /** Minor units; null = all there is. */
  readonly amount: number | null;
  /** Void reason, or the challenge's result. */
  readonly detail: string | null;
  /** False when the caller named a refund, on which nothing can be done: the key is claimed, nothing reserved. */
  readonly allowed: boolean;
  /** The processor captures no part of it. */
  readonly wholeOnly?: boolean;
  /** A connection that may be disconnected at any moment: nothing is reserved once it is. */
  readonly guardedConnectionId?: string | null;
  /** It was made at the processor already, by somebody else: only what was captured limits it. */
  readonly outside?: boolean;
  /** The caller knows that the payment is disputed: a lost dispute refuses a refund all the same. */
  readonly acknowledgesDispute?: boolean;
  /** For the void of what was approved after the payment had ended: the version at which nothing of it was given back. */
  readonly endedVersion?: number;
};

export type FollowUpReservation = Reservation & {
  /** Whether the payment exists in this environment. */
  found: boolean;
  /** The amount reserved, in minor units. */
  amount: number | null;
};

/**
 * What each kind requires of the payment, and what it reserves, in the one guarded UPDATE. The guard stands in a CASE, so that
 * it is no search: the payment is found by its key, whatever indexes its states have.
 */
function reserve(sql: Sql | SqlTransaction, environmentId: string, followUp: FollowUp, operationId: string) {
  const exclusive = sql`open_operation_id = ${operationId}::uuid`;
  switch (followUp.kind) {
    case "refund":
      return {
        amount: sql`coalesce(${followUp.amount}::bigint, amount_captured - amount_refunded - refund_pending)`,
        change: sql`refund_pending = refund_pending + (select amount from locked)`,
        // Refunds counted at the same moment may exceed MOST_REFUNDS by a few.
        guard: sql`status in ('CAPTURED', 'SETTLED', 'PARTIALLY_REFUNDED') and (select amount from locked) > 0
          and amount_refunded + refund_pending + (select amount from locked) <= amount_captured
          and (${followUp.outside ?? false}::boolean or (
          capture_reversed_at is null and (dispute_status in ('LOST', 'ACCEPTED')) is not true
          and ((dispute_status in ('NEEDS_RESPONSE', 'UNDER_REVIEW')) is not true or ${followUp.acknowledgesDispute ?? false}::boolean)
          and (select count(*) from transactions where environment_id = ${environmentId}::uuid
            and payment_id = ${followUp.paymentId}::uuid and type = 'REFUND') < ${MOST_REFUNDS}::int))`,
      };
    case "capture":
      return {
        amount: sql`coalesce(${followUp.amount}::bigint, amount)`,
        change: exclusive,
        guard: sql`status = 'AUTHORIZED' and open_operation_id is null and capture_before > now()
          and (select amount from locked) ${followUp.wholeOnly ? sql`=` : sql`<=`} amount`,
      };
    case "void":
      return {
        amount: sql`amount`,
        change: exclusive,
        guard:
          followUp.endedVersion === undefined
            ? sql`status = 'AUTHORIZED' and open_operation_id is null`
            : sql`status in ('DECLINED', 'FAILED') and open_operation_id is null and version = ${followUp.endedVersion}::int`,
      };
    case "continue":
      return {
        amount: sql`amount`,
        change: sql`${exclusive}, status = 'PENDING'`,
        guard: sql`status = 'REQUIRES_ACTION'`,
      };
  }
}

/**
 * T1 of a capture, void, refund or continued authorization: claims the key (if there is one), reserves by one guarded
 * UPDATE of the payment, and writes the intent and, for a refund, its pending transaction.
 */
export async function reserveFollowUp(
  sql: Sql | SqlTransaction,
  environmentId: string,
  claim: KeyClaim | null,
  followUp: FollowUp,
  intent: Pick<Intent, "id" | "actor" | "requestId" | "lease">,
): Promise<FollowUpReservation> {
  const { amount, change, guard } = reserve(sql, environmentId, followUp, intent.id);
  const { refund } = followUp;
  const insertRefund = refund
    ? sql`, refund as (
        insert into transactions (environment_id, id, payment_id, type, status, amount, currency, customer_id, customer_email,
          customer_name, billing_address, card_brand, card_last4, card_exp_month, card_exp_year, card_bin,
          subscription_id, plan_id, client_session_id, refund_of, refund_reason, refund_comment, description, metadata,
          created_at, updated_at)
        select c.environment_id, ${refund.id}::uuid, c.payment_id, 'REFUND', 'PENDING', (select amount from locked), c.currency,
          c.customer_id, c.customer_email, c.customer_name, c.billing_address, c.card_brand, c.card_last4, c.card_exp_month,
          c.card_exp_year, c.card_bin, c.subscription_id, c.plan_id, c.client_session_id, c.id,
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
    claim as (${claim ? claimKey(sql, environmentId, claim, sql`exists (select from target)`) : sql`select 1 from target`}),
    locked as (
      select ${amount} as amount from payments
      where environment_id = ${environmentId}::uuid and id = ${followUp.paymentId}::uuid
        and (select count(*) from claim) = 1 and ${followUp.allowed}::boolean
        and ${isConnected(sql, environmentId, followUp.guardedConnectionId ?? null)}
      for update
    ),
    reserved as (
      update payments set ${change}, version = version + 1, updated_at = now()
      where environment_id = ${environmentId}::uuid and id = ${followUp.paymentId}::uuid
        and (select count(*) from locked) = 1 and case when ${guard} then true end
      returning 1
    )${insertRefund},
    operation as (
      insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, detail,
        idempotency_key, actor, request_id, lease_until, next_attempt_at, send_until)
      select ${environmentId}::uuid, ${intent.id}::uuid, id, ${refund ? sql`${refund.id}::uuid` : sql`charge_id`},
        ${followUp.kind}, 'open', (select amount from locked), currency, ${followUp.detail}, ${claim?.key ?? null},
        ${intent.actor as never}::jsonb, ${intent.requestId}::uuid,
        now() + ${intent.lease.heldForMs}::int * interval '1 ms', now() + ${intent.lease.heldForMs}::int * interval '1 ms',
        now() + ${intent.lease.sendWithinMs}::int * interval '1 ms'
      from target
      where (select count(*) from reserved) = 1
      returning 1
    )
    select (select count(*) from target) = 1 as found, (select count(*) from claim) = 1 as claimed,
      (select count(*) from operation) = 1 as reserved, (select amount from locked) as amount,
      now() + ${intent.lease.sendWithinMs}::int * interval '1 ms' as not_after`;
  return row;
}
