import type { Sql, Transaction as SqlTransaction } from "@/db/client";
import { SYSTEM } from "@/db/schema/operations";
import { MAX_SESSION_ATTEMPTS } from "@/lib/contract/checkout/attempts";
import { MAX_REFUNDS } from "@/lib/contract/payments/payment";
import type { Mode } from "@/lib/contract/transactions/words";
import { countedDay, countsToday } from "../api-keys";
import { type AloneRefund, approveInside, countAlone, type RefundApproval } from "../approvals";
import { checksNoCard, linkSells } from "../checkout/card-checks";
import { type ClockColumns, clockColumns, clockNow } from "../clock";
import { claimKey, type KeyClaim } from "../idempotency/keys";
import { claimInvoice, type InvoiceClaim } from "../subscriptions/claims";
import type { Lease } from "./operations";
import type { PaymentSnapshot } from "./payments";

/**
 * T1, written before the processor is called: one SQL statement each, so atomic and one round trip. Locks are
 * taken in the order key → payment → operation, as each step has a scalar subquery on the previous step,
 * which PostgreSQL evaluates first, and once.
 */

/** A movement of money, before T1 writes its intent. */
export type Order = {
  /** UUID: the operation's id, and the processor's reference. */
  readonly id: string;
  readonly environment: { readonly id: string; readonly mode: Mode };
  /** Void reason, or the challenge's result. */
  readonly detail: string | null;
} & (
  | {
      readonly kind: "authorize";
      /** The first use of the request's key. */
      readonly claim: KeyClaim;
      /** The payment and its charge, as T1 writes them. */
      readonly snapshot: PaymentSnapshot;
      /** The token that the payment uses up. */
      readonly paymentTokenId: string | null;
      /**
       * The client session that it pays. A card counts as an attempt here; a token did when it was created.
       */
      readonly clientSessionId: string | null;
      /** The invoice that it pays. */
      readonly invoice: InvoiceClaim | null;
    }
  | {
      readonly kind: "capture" | "void" | "refund" | "continue";
      /** The first use of the request's key; null for Cardlane's own operations. */
      readonly claim: KeyClaim | null;
      readonly paymentId: string;
      /** Minor units; null = all. */
      readonly amount: number | null;
      /** The REFUND transaction to write; null for other kinds. `id`: UUID. */
      readonly refund: {
        readonly id: string;
        readonly created_at: string;
        readonly reason: string | null;
        readonly comment: string | null;
      } | null;
      /**
       * False if the caller named a refund, which allows no operation: the key is claimed, nothing reserved.
       */
      readonly allowed: boolean;
      /**
       * The processor has already executed the refund or capture: only the amount limits it, not the time or a
       * dispute.
       */
      readonly outside?: boolean;
      /** The caller knows that the payment is disputed. A lost dispute still refuses a refund. */
      readonly acknowledgesDispute?: boolean;
      /** A refund that a member makes alone; absent for API keys, support staff and Cardlane itself. */
      readonly alone?: AloneRefund;
      /** The request whose approval is this refund. */
      readonly approval?: RefundApproval;
      /** For the void of a late approval: the payment's version at which it had no such void. */
      readonly endedVersion?: number;
    }
);

type FollowUp = Exclude<Order, { kind: "authorize" }>;

/** Result of T1. `claimed` without `reserved`: the key is claimed, and the guard refused. */
type Reservation = {
  claimed: boolean;
  reserved: boolean;
  /** The processor must not execute the call after this time of the database. */
  not_after: string;
} & ClockColumns;

/**
 * Condition that a connection which merchants can disconnect is connected; true for any other. Its key share
 * lock delays a disconnect until this commits, so that the disconnect sees the open operation.
 */
const isConnected = (sql: Sql | SqlTransaction, environmentId: string, connectionId: string | null) =>
  connectionId === null
    ? sql`true`
    : sql`exists (select from processor_connections where environment_id = ${environmentId}::uuid
        and id = ${connectionId}::uuid and status = 'CONNECTED' for key share)`;

/**
 * Condition that a stored card is not removed; true for any other card. Its share lock delays a removal until
 * this transaction commits, and an earlier removal is visible to it.
 */
const isChargeable = (
  sql: Sql | SqlTransaction,
  { environment_id, payment_method_id, initiator }: PaymentSnapshot["payment"],
) =>
  initiator === null
    ? sql`true`
    : sql`exists (select from payment_methods where environment_id = ${environment_id}::uuid
        and id = ${payment_method_id}::uuid and removed_at is null for share)`;

/**
 * T1 of a new payment: claims the key, uses up the payment token, claims the client session, writes payment,
 * charge and intent. A session has one payment at a time, and none once it is paid or closed or its link is
 * off. Fails with `isStaleOutcome` if another payment claimed the session while the token was used: start
 * over.
 */
export async function insertPayment(
  sql: Sql | SqlTransaction,
  {
    id,
    environment,
    claim,
    snapshot,
    detail,
    paymentTokenId,
    clientSessionId,
    invoice,
  }: Extract<Order, { kind: "authorize" }>,
  { lease, guardedConnectionId }: { lease: Lease; guardedConnectionId: string | null },
): Promise<Reservation> {
  const environmentId = environment.id;
  const { payment } = snapshot;
  const [charge] = snapshot.transactions;
  if (!charge) throw new Error("a new payment has no charge");
  const connected = isConnected(sql, environmentId, guardedConnectionId);
  const now = clockNow(sql, environmentId, environment.mode);
  const token = paymentTokenId
    ? sql`update payment_tokens set payment_id = ${payment.id}::uuid, processor_token = ''
        where environment_id = ${environmentId}::uuid and id = ${paymentTokenId}::uuid
          and payment_id is null and payment_method_id is null and expires_at > now() and (select count(*) from claim) = 1 and ${connected}
          and (client_session_id is null or (
            select client_sessions.status = 'OPEN' and open_payment_id is null and ${checksNoCard(sql, now)} and ${linkSells(sql, now)}
            from client_sessions
            where client_sessions.environment_id = ${environmentId}::uuid and client_sessions.id = payment_tokens.client_session_id))
        returning 1`
    : sql`select 1 from claim`;
  const session = clientSessionId
    ? sql`update client_sessions set open_payment_id = ${payment.id}::uuid, updated_at = ${now},
          subscription_id = coalesce(${invoice?.subscriptionId ?? null}::uuid, subscription_id),
          attempts = attempts + ${paymentTokenId ? 0 : 1}::int
        where environment_id = ${environmentId}::uuid and id = ${clientSessionId}::uuid
          and status = 'OPEN' and open_payment_id is null and (select count(*) from token) = 1
          and ${checksNoCard(sql, now)} and ${linkSells(sql, now)}
          and ${paymentTokenId ? sql`true` : connected}
          and ${paymentTokenId ? sql`true` : sql`expires_at > ${now} and attempts < ${MAX_SESSION_ATTEMPTS}::int`}
        returning 1`
    : sql`select 1 from token`;
  // The statement fails rather than use up a token, or claim a session, without making the payment.
  const usedForNothing =
    paymentTokenId && clientSessionId
      ? sql`, require_written(1 - (select count(*) from token) + (select count(*) from session))`
      : sql``;
  const claimedForNothing =
    clientSessionId && invoice
      ? sql`, require_written(1 - (select count(*) from session) + (select count(*) from billing))`
      : sql``;
  const billing = invoice
    ? claimInvoice(sql, environmentId, payment.id, invoice)
    : { ctes: sql`billing as (select 1 from session),`, check: sql`` };
  const [row] = await sql<[Reservation]>`
    with claim as (${claimKey(sql, environmentId, claim)}),
    token as (${token}),
    session as (${session}),
    ${billing.ctes}
    payment as (
      insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, capture_method,
        open_operation_id, customer_id, return_url, connection_id, payment_method_id, initiator, saves_card,
        invoice_id, created_at, updated_at)
      select ${environmentId}::uuid, ${payment.id}::uuid, ${payment.charge_id}::uuid, ${payment.authorization_id}::uuid,
        ${payment.status}, ${payment.currency}, ${payment.amount}::bigint, ${payment.capture_method},
        ${payment.open_operation_id}::uuid, ${payment.customer_id}, ${payment.return_url}, ${payment.connection_id}::uuid,
        ${payment.payment_method_id}::uuid, ${payment.initiator}, ${payment.saves_card}::boolean,
        ${payment.invoice_id}::uuid, ${payment.created_at}::timestamptz, ${payment.updated_at}::timestamptz
      where (select count(*) from billing) = 1 and ${paymentTokenId || clientSessionId ? sql`true` : connected}
        and ${isChargeable(sql, payment)}
      returning 1
    ),
    charge as (
      insert into transactions (environment_id, id, payment_id, type, status, amount, currency, customer_id, customer_email,
        customer_name, billing_address, card_brand, card_last4, card_exp_month, card_exp_year, card_bin,
        subscription_id, plan_id, client_session_id, description, metadata, created_at, updated_at)
      select ${environmentId}::uuid, ${charge.id}::uuid, ${charge.payment_id}::uuid, ${charge.type}, ${charge.status},
        ${charge.amount}::bigint, ${charge.currency}, ${charge.customer_id}, ${charge.customer_email},
        ${charge.customer_name}, ${charge.billing_address as never}::jsonb, ${charge.card_brand}, ${charge.card_last4},
        ${charge.card_exp_month}::smallint, ${charge.card_exp_year}::smallint, ${charge.card_bin},
        ${charge.subscription_id}::uuid, ${charge.plan_id}::uuid, ${charge.client_session_id}::uuid, ${charge.description},
        ${charge.metadata as never}::jsonb, ${charge.created_at}::timestamptz, ${charge.updated_at}::timestamptz
      where (select count(*) from payment) = 1
    ),
    operation as (
      insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, detail,
        idempotency_key, actor, request_id, lease_until, next_attempt_at, send_until, payment_token_id)
      select ${environmentId}::uuid, ${id}::uuid, ${payment.id}::uuid, ${charge.id}::uuid,
        'authorize', 'open', ${payment.amount}::bigint, ${payment.currency}, ${detail}, ${claim.key},
        ${claim.actor as never}::jsonb, ${claim.requestId}::uuid,
        now() + ${lease.heldForMs}::int * interval '1 ms', now() + ${lease.heldForMs}::int * interval '1 ms',
        now() + ${lease.sendWithinMs}::int * interval '1 ms', ${paymentTokenId}::uuid
      where (select count(*) from payment) = 1
      returning 1
    )
    select (select count(*) from claim) = 1 as claimed, (select count(*) from operation) = 1 as reserved,
      now() + ${lease.sendWithinMs}::int * interval '1 ms' as not_after,
      ${clockColumns(sql, environmentId, environment.mode)}${usedForNothing}${claimedForNothing}${billing.check}`;
  return row;
}

/**
 * True if the payment's subscription ended, or was paused after the payment began. The share lock waits for a
 * cancellation or pause that is being written, and sees it.
 */
const isNotWanted = (sql: Sql | SqlTransaction, environmentId: string, paymentId: string) =>
  sql`(select s.status in ('CANCELLED', 'EXPIRED') or coalesce(s.paused_at > p.created_at, false)
    from payments p
    join invoices i on i.environment_id = p.environment_id and i.id = p.invoice_id
    join subscriptions s on s.environment_id = p.environment_id and s.id = i.subscription_id
    where p.environment_id = ${environmentId}::uuid and p.id = ${paymentId}::uuid
    for share of s)`;

/**
 * Counts a reserved refund against its key's limits, by one guarded UPDATE that waits for other refunds of the
 * key. A limit that it exceeds fails the statement, which undoes the reservation. The count is never given
 * back: a refund of unknown outcome may have moved the money, and one that failed is a try, of which a stolen
 * key must not have any number.
 */
function countLimited(sql: Sql | SqlTransaction, environmentId: string, keyId: string) {
  const day = sql.unsafe(countedDay("counter"));
  const isToday = sql.unsafe(countsToday("counter"));
  const refunds = sql`case when ${isToday} then counter.limited_refunds else 0 end + 1`;
  const amount = sql`(select amount from locked)`;
  const refunded = sql`case when ${isToday} then counter.limited_amount else 0 end + ${amount}`;
  const ctes = sql`, limiting as (
      select coalesce(limits_counted_in, id) as counted_in, limits from api_keys
      where environment_id = ${environmentId}::uuid and id = ${keyId}::uuid and limits is not null
    ),
    counted as (
      update api_keys counter set limited_day = ${day}, limited_refunds = ${refunds}, limited_amount = ${refunded}
      from limiting
      where counter.environment_id = ${environmentId}::uuid and counter.id = (select counted_in from limiting)
        and (select count(*) from reserved) = 1
        and (limiting.limits ->> 'currency' is null or limiting.limits ->> 'currency' = (select currency from target))
        and (limiting.limits ->> 'refund_max' is null or ${amount} <= (limiting.limits ->> 'refund_max')::bigint)
        and (limiting.limits ->> 'refunds_per_day' is null or ${refunds} <= (limiting.limits ->> 'refunds_per_day')::int)
        and (limiting.limits ->> 'refund_amount_per_day' is null or ${refunded} <= (limiting.limits ->> 'refund_amount_per_day')::bigint)
      returning 1
    )`;
  const check = sql`, require_written(1 - (select count(*) from reserved) * (select count(*) from limiting) + (select count(*) from counted))`;
  return { ctes, check };
}

/**
 * The parts of the guarded UPDATE for each kind: amount, change and guard. The guard is evaluated in a CASE,
 * so that the planner finds the payment by its primary key and not by an index on its states. `detail`: the
 * operation's, unless it is the order's.
 */
function reserve(sql: Sql | SqlTransaction, followUp: FollowUp, wholeOnly: boolean) {
  const environmentId = followUp.environment.id;
  const exclusive = sql`open_operation_id = ${followUp.id}::uuid`;
  const now = clockNow(sql, environmentId, followUp.environment.mode);
  switch (followUp.kind) {
    case "refund":
      return {
        amount: sql`coalesce(${followUp.amount}::bigint, amount_captured - amount_refunded - refund_pending)`,
        change: sql`refund_pending = refund_pending + (select amount from locked)`,
        // Concurrent refunds may exceed MAX_REFUNDS by a few. Cardlane's own don't count against it: nobody
        // could later refund what a subscription owes.
        guard: sql`status in ('CAPTURED', 'SETTLED', 'PARTIALLY_REFUNDED') and (select amount from locked) > 0
          and amount_refunded + refund_pending + (select amount from locked) <= amount_captured
          and (${followUp.outside ?? false}::boolean or (
          capture_reversed_at is null and (dispute_status in ('LOST', 'ACCEPTED')) is not true
          and ((dispute_status in ('NEEDS_RESPONSE', 'UNDER_REVIEW')) is not true or ${followUp.acknowledgesDispute ?? false}::boolean)
          and (${followUp.claim === null}::boolean or (select count(*) from transactions where environment_id = ${environmentId}::uuid
            and payment_id = ${followUp.paymentId}::uuid and type = 'REFUND') < ${MAX_REFUNDS}::int)))`,
      };
    case "capture":
      return {
        amount: sql`coalesce(${followUp.amount}::bigint, amount)`,
        change: exclusive,
        guard: sql`status = 'AUTHORIZED' and open_operation_id is null and (${followUp.outside ?? false}::boolean or capture_before > ${now})
          and (select amount from locked) ${wholeOnly ? sql`=` : sql`<=`} amount
          and (invoice_id is null or (select amount from locked) = amount)`,
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
        // A challenge that is passed too late takes no money.
        detail: sql`case when ${isNotWanted(sql, environmentId, followUp.paymentId)} then 'abandoned' else ${followUp.detail} end`,
      };
  }
}

/** Guards of a refund besides its payment: limits of the key, or the rule and the approval of members. */
function limitsOf(sql: Sql | SqlTransaction, { id, environment, claim, paymentId, refund, alone, approval }: FollowUp) {
  if (approval && refund) {
    return approveInside(sql, environment.id, { paymentId, operationId: id, refundId: refund.id }, approval);
  }
  if (alone) return countAlone(sql, environment.id, alone);
  const keyId = claim?.actor.type === "api_key" ? claim.actor.id : null;
  return keyId === null ? { ctes: sql``, check: sql`` } : countLimited(sql, environment.id, keyId);
}

type FollowUpReservation = Reservation & { found: boolean; amount: number | null; detail: string | null };

/**
 * T1 of a capture, void, refund or continued authorization: claims the key, if any, reserves by one guarded
 * UPDATE, and writes the intent and, for a refund, its pending transaction. `found`: the payment exists.
 * `amount`: as reserved. `detail`: as written. Fails with `isStaleOutcome` if the limits of its API key, the
 * rule for its member's role, or its approval refuse a refund.
 */
export async function reserveFollowUp(
  sql: Sql | SqlTransaction,
  followUp: FollowUp,
  { lease, guardedConnectionId, wholeOnly }: { lease: Lease; guardedConnectionId: string | null; wholeOnly: boolean },
): Promise<FollowUpReservation> {
  const { amount, change, guard, detail = sql`${followUp.detail}` } = reserve(sql, followUp, wholeOnly);
  const { claim, refund } = followUp;
  const environmentId = followUp.environment.id;
  const limited = refund ? limitsOf(sql, followUp) : { ctes: sql``, check: sql`` };
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
        and ${isConnected(sql, environmentId, guardedConnectionId)}
      for update
    ),
    reserved as (
      update payments set ${change}, version = version + 1,
        updated_at = greatest(updated_at, ${clockNow(sql, environmentId, followUp.environment.mode)})
      where environment_id = ${environmentId}::uuid and id = ${followUp.paymentId}::uuid
        and (select count(*) from locked) = 1 and case when ${guard} then true end
      returning 1
    )${insertRefund},
    operation as (
      insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, detail,
        idempotency_key, actor, request_id, lease_until, next_attempt_at, send_until)
      select ${environmentId}::uuid, ${followUp.id}::uuid, id, ${refund ? sql`${refund.id}::uuid` : sql`charge_id`},
        ${followUp.kind}, 'open', (select amount from locked), currency, ${detail}, ${claim?.key ?? null},
        ${(claim?.actor ?? SYSTEM) as never}::jsonb, ${claim?.requestId ?? null}::uuid,
        now() + ${lease.heldForMs}::int * interval '1 ms', now() + ${lease.heldForMs}::int * interval '1 ms',
        now() + ${lease.sendWithinMs}::int * interval '1 ms'
      from target
      where (select count(*) from reserved) = 1
      returning detail
    )${limited.ctes}
    select (select count(*) from target) = 1 as found, (select count(*) from claim) = 1 as claimed,
      (select count(*) from operation) = 1 as reserved, (select amount from locked) as amount,
      (select detail from operation) as detail,
      now() + ${lease.sendWithinMs}::int * interval '1 ms' as not_after,
      ${clockColumns(sql, environmentId, followUp.environment.mode)}${limited.check}`;
  return row;
}
