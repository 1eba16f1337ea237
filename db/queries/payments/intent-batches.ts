import { inBatches, type Pauses, perEnvironment } from "@/db/batches";
import type { Sql } from "@/db/client";
import { MOST_REFUNDS } from "@/lib/contract/payments/payment";
import { type KeyClaim, TAKE_OLD_KEY } from "../idempotency/claims";
import { type ArrayColumns, arrayTable, JSON_TEXT, json, PATIENCE } from "../statement-text";
import {
  type FollowUp,
  type FollowUpReservation,
  type Intent,
  IS_DISPUTED,
  insertPayment,
  MAY_REFUND,
  type NewPayment,
  type PaymentSource,
  type Reservation,
  reserveFollowUp,
} from "./intents";
import type { Lease } from "./operations";

/**
 * T1s of one environment that come at the same time: several in one statement, with the guarantees that each has alone. One
 * that cannot be written with the others goes alone, where it may wait for what another holds. `= any(array(…))` makes each
 * look-up one by keys, whatever a plan that was made for empty tables thinks of the join.
 */

/** What `claimKey` writes. */
const CLAIM: ArrayColumns<{ readonly claim: KeyClaim }> = {
  key: ["text", ({ claim }) => claim.key],
  endpoint: ["text", ({ claim }) => claim.endpoint],
  path: ["text", ({ claim }) => claim.path],
  digest: ["bytea", ({ claim }) => `\\x${claim.digest.toString("hex")}`],
  body: [JSON_TEXT, ({ claim }) => claim.body],
  key_request: ["uuid", ({ claim }) => claim.requestId],
  key_actor: ["jsonb", ({ claim }) => json(claim.actor)],
  locked_ms: ["int", ({ claim }) => claim.leaseMs],
};

/** Claims the keys of these rows, by the rules of `claimKey`; answers those that were free. */
const claimFrom = (rows: string) => `
    insert into idempotency_keys as k (environment_id, key, operation_name, path, request_digest, request_body, request_id,
      actor, operation_id, state, locked_until)
    select $1::uuid, i.key, i.endpoint, i.path, i.digest, i.body::jsonb, i.key_request, i.key_actor, i.operation_id, 'running',
      now() + i.locked_ms * interval '1 ms'
    from ${rows} i
    where not exists (
      select from idempotency_keys used
      where used.environment_id = $1::uuid and used.key = i.key and used.created_at > now() - interval '24 hours'
        and used.key = any(array(select key from ${rows})))
    order by i.key
    ${TAKE_OLD_KEY}
    returning k.key`;

/** All operations of a process have the same. */
function leaseOf([first]: readonly { readonly lease: Lease }[]): Lease {
  if (!first) throw new Error("a statement for several writes at least one");
  return first.lease;
}

type NewRow = { readonly claim: KeyClaim; readonly made: NewPayment; readonly intent: Intent };

const NEW = arrayTable<NewRow>(
  {
    ...CLAIM,
    payment_id: ["uuid", ({ made }) => made.payment.id],
    charge_id: ["uuid", ({ made }) => made.payment.charge_id],
    currency: ["text", ({ made }) => made.payment.currency],
    amount: ["bigint", ({ made }) => made.payment.amount],
    capture_method: ["text", ({ made }) => made.payment.capture_method],
    return_url: ["text", ({ made }) => made.payment.return_url],
    connection_id: ["uuid", ({ made }) => made.payment.connection_id],
    payment_at: ["timestamptz", ({ made }) => made.payment.created_at],
    customer_id: ["text", ({ made }) => made.charge.customer_id],
    customer_email: ["text", ({ made }) => made.charge.customer_email],
    customer_name: ["text", ({ made }) => made.charge.customer_name],
    billing_address: ["jsonb", ({ made }) => json(made.charge.billing_address)],
    card_brand: ["text", ({ made }) => made.charge.card_brand],
    card_last4: ["text", ({ made }) => made.charge.card_last4],
    card_exp_month: ["smallint", ({ made }) => made.charge.card_exp_month],
    card_exp_year: ["smallint", ({ made }) => made.charge.card_exp_year],
    card_bin: ["text", ({ made }) => made.charge.card_bin],
    plan_id: ["uuid", ({ made }) => made.charge.plan_id],
    description: ["text", ({ made }) => made.charge.description],
    metadata: ["jsonb", ({ made }) => json(made.charge.metadata)],
    charge_at: ["timestamptz", ({ made }) => made.charge.created_at],
    operation_id: ["uuid", ({ intent }) => intent.id],
    actor: ["jsonb", ({ intent }) => json(intent.actor)],
    request_id: ["uuid", ({ intent }) => intent.requestId],
  },
  "i",
  4,
);

// $1 environment, $2 lease: held for, $3 sent within (milliseconds).
const INSERT_PAYMENTS = `
  with ${PATIENCE},
  input as materialized (select i.* from ${NEW.text} where exists (select from patience)),
  claim as (${claimFrom("input")}),
  made as materialized (select i.* from input i where i.key in (select key from claim) order by i.key),
  payment as (
    insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, capture_method,
      open_operation_id, customer_id, return_url, connection_id, created_at, updated_at)
    select $1::uuid, payment_id, charge_id, operation_id, 'PENDING', currency, amount, capture_method, operation_id,
      customer_id, return_url, connection_id, payment_at, payment_at
    from made
  ),
  charge as (
    insert into transactions (environment_id, id, payment_id, type, status, amount, currency, customer_id, customer_email,
      customer_name, billing_address, card_brand, card_last4, card_exp_month, card_exp_year, card_bin,
      plan_id, description, metadata, created_at, updated_at)
    select $1::uuid, charge_id, payment_id, 'CHARGE', 'PENDING', amount, currency, customer_id, customer_email,
      customer_name, billing_address, card_brand, card_last4, card_exp_month, card_exp_year, card_bin,
      plan_id, description, metadata, charge_at, charge_at
    from made
  ),
  operation as (
    insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency,
      idempotency_key, actor, request_id, lease_until, next_attempt_at, send_until)
    select $1::uuid, operation_id, payment_id, charge_id, 'authorize', 'open', amount, currency,
      key, actor, request_id, now() + $2::int * interval '1 ms', now() + $2::int * interval '1 ms',
      now() + $3::int * interval '1 ms'
    from made
  )
  select i.n, i.key in (select key from made) as claimed, now() + $3::int * interval '1 ms' as not_after
  from input i order by i.n`;

async function insertPayments(sql: Sql, environmentId: string, rows: readonly NewRow[]): Promise<Reservation[]> {
  const { heldForMs, sendWithinMs } = leaseOf(rows.map(({ intent }) => intent));
  const written = await sql.unsafe<{ claimed: boolean; not_after: string }[]>(
    INSERT_PAYMENTS,
    [environmentId, heldForMs, sendWithinMs, ...NEW.values(rows)],
    { prepare: true },
  );
  return written.map(({ claimed, not_after }) => ({ claimed, reserved: claimed, not_after }));
}

type FollowUpRow = { readonly claim: KeyClaim; readonly followUp: FollowUp };

const FOLLOW_UPS = arrayTable<FollowUpRow>(
  {
    ...CLAIM,
    kind: ["text", ({ followUp }) => followUp.kind],
    payment_id: ["uuid", ({ followUp }) => followUp.paymentId],
    operation_id: ["uuid", ({ followUp }) => followUp.operationId],
    requested: ["bigint", ({ followUp }) => followUp.amount],
    whole_only: ["boolean", ({ followUp }) => followUp.wholeOnly],
    detail: ["text", ({ followUp }) => followUp.detail],
    acknowledges: ["boolean", ({ followUp }) => followUp.acknowledgesDispute],
    refund_id: ["uuid", ({ followUp }) => followUp.refund?.id ?? null],
    refund_reason: ["text", ({ followUp }) => followUp.refund?.reason ?? null],
    refund_comment: ["text", ({ followUp }) => followUp.refund?.comment ?? null],
    refund_at: ["timestamptz", ({ followUp }) => followUp.refund?.created_at ?? null],
    actor: ["jsonb", ({ followUp }) => json(followUp.actor)],
    request_id: ["uuid", ({ followUp }) => followUp.requestId],
  },
  "i",
  5,
);

// $1 environment, $2 lease: held for, $3 sent within (milliseconds), $4 refunds that a payment takes. A payment that another
// holds is left out before its key is claimed, so that it can go alone: payments are locked without waiting, then keys.
const RESERVE_FOLLOW_UPS = `
  with ${PATIENCE},
  input as materialized (select i.* from ${FOLLOW_UPS.text} where exists (select from patience)),
  locked as materialized (
    select i.*, p.charge_id, p.currency, case i.kind
        when 'refund' then coalesce(i.requested, p.amount_captured - p.amount_refunded - p.refund_pending)
        when 'capture' then coalesce(i.requested, p.amount)
        else p.amount end as amount
    from input i join payments p on p.environment_id = $1::uuid and p.id = i.payment_id
      and p.id = any(array(select payment_id from input))
    order by p.id for update of p skip locked
  ),
  claim as (${claimFrom("locked")}),
  reserved as (
    update payments p set version = p.version + 1, updated_at = now(),
      refund_pending = p.refund_pending + case l.kind when 'refund' then l.amount else 0 end,
      open_operation_id = case l.kind when 'refund' then p.open_operation_id else l.operation_id end
    from locked l
    where p.environment_id = $1::uuid and p.id = l.payment_id and p.id = any(array(select payment_id from locked))
      and l.key in (select key from claim) and case l.kind
      when 'refund' then p.status in ('CAPTURED', 'SETTLED', 'PARTIALLY_REFUNDED') and l.amount > 0
        and p.amount_refunded + p.refund_pending + l.amount <= p.amount_captured
        and ${MAY_REFUND("p")} and (not ${IS_DISPUTED("p")} or l.acknowledges)
        and (select count(*) from transactions where environment_id = $1::uuid and payment_id = l.payment_id
          and type = 'REFUND') < $4::int
      when 'capture' then p.status = 'AUTHORIZED' and p.open_operation_id is null and p.capture_before > now()
        and l.amount <= p.amount and (l.amount = p.amount or not l.whole_only)
      when 'void' then p.status = 'AUTHORIZED' and p.open_operation_id is null end
    returning l.operation_id
  ),
  begun as materialized (select l.* from locked l where l.operation_id in (select operation_id from reserved)),
  refund as (
    insert into transactions (environment_id, id, payment_id, type, status, amount, currency, customer_id, customer_email,
      customer_name, billing_address, card_brand, card_last4, card_exp_month, card_exp_year, card_bin,
      subscription_id, plan_id, client_session_id, refund_of, refund_reason, refund_comment, description, metadata,
      created_at, updated_at)
    select $1::uuid, l.refund_id, c.payment_id, 'REFUND', 'PENDING', l.amount, c.currency,
      c.customer_id, c.customer_email, c.customer_name, c.billing_address, c.card_brand, c.card_last4, c.card_exp_month,
      c.card_exp_year, c.card_bin, c.subscription_id, c.plan_id, c.client_session_id, c.id,
      l.refund_reason, l.refund_comment, c.description, c.metadata, l.refund_at, l.refund_at
    from begun l join transactions c on c.environment_id = $1::uuid and c.id = l.charge_id
      and c.id = any(array(select charge_id from begun))
    where l.refund_id is not null
  ),
  operation as (
    insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, detail,
      idempotency_key, actor, request_id, lease_until, next_attempt_at, send_until)
    select $1::uuid, operation_id, payment_id, coalesce(refund_id, charge_id), kind, 'open', amount, currency, detail,
      key, actor, request_id, now() + $2::int * interval '1 ms', now() + $2::int * interval '1 ms',
      now() + $3::int * interval '1 ms'
    from begun
  )
  select n::int, key in (select key from claim) as claimed, operation_id in (select operation_id from reserved) as reserved,
    amount, now() + $3::int * interval '1 ms' as not_after
  from locked`;

async function reserveFollowUps(
  sql: Sql,
  environmentId: string,
  rows: readonly FollowUpRow[],
): Promise<(FollowUpReservation | undefined)[]> {
  const { heldForMs, sendWithinMs } = leaseOf(rows.map(({ followUp }) => followUp));
  const found = await sql.unsafe<({ n: number } & Omit<FollowUpReservation, "found">)[]>(
    RESERVE_FOLLOW_UPS,
    [environmentId, heldForMs, sendWithinMs, MOST_REFUNDS, ...FOLLOW_UPS.values(rows)],
    { prepare: true },
  );
  const answers: (FollowUpReservation | undefined)[] = rows.map(() => undefined);
  for (const { n, ...reservation } of found) answers[n - 1] = { found: true, ...reservation };
  return answers;
}

const payments = perEnvironment((sql, environmentId, timer) =>
  inBatches<NewRow, Reservation>(
    {
      send: (rows) => insertPayments(sql, environmentId, rows),
      alone: ({ claim, made, intent }) => insertPayment(sql, environmentId, claim, made, intent, NO_SOURCE),
      subjectsOf: ({ claim }) => [claim.key],
    },
    timer,
  ),
);
const followUps = perEnvironment((sql, environmentId, timer) =>
  inBatches<FollowUpRow, FollowUpReservation>(
    {
      send: (rows) => reserveFollowUps(sql, environmentId, rows),
      alone: ({ claim, followUp }) => reserveFollowUp(sql, environmentId, claim, followUp),
      subjectsOf: ({ claim, followUp }) => [`key ${claim.key}`, followUp.paymentId],
    },
    timer,
  ),
);

const NO_SOURCE: PaymentSource = { paymentTokenId: null, clientSessionId: null, guardedConnectionId: null };

/**
 * {@link insertPayment}, together with others of the environment. One that uses a token, takes a session or shares a connection
 * goes alone.
 */
export function insertPaymentTogether(
  sql: Sql,
  environmentId: string,
  claim: KeyClaim,
  made: NewPayment,
  intent: Intent,
  source: PaymentSource,
  timer: Pauses,
): Promise<Reservation> {
  if (source.paymentTokenId || source.clientSessionId || source.guardedConnectionId)
    return insertPayment(sql, environmentId, claim, made, intent, source);
  return payments(sql, environmentId, timer)({ claim, made, intent });
}

/**
 * {@link reserveFollowUp}, together with others of the environment. Cardlane's own, which have no key, and those that share a
 * connection go alone.
 */
export function reserveFollowUpTogether(
  sql: Sql,
  environmentId: string,
  claim: KeyClaim | null,
  followUp: FollowUp,
  timer: Pauses,
): Promise<FollowUpReservation> {
  if (claim === null || !followUp.allowed || followUp.kind === "continue" || followUp.guardedConnectionId) {
    return reserveFollowUp(sql, environmentId, claim, followUp);
  }
  return followUps(sql, environmentId, timer)({ claim, followUp });
}
