import { makePgArray } from "drizzle-orm/pg-core";
import { inBatches, type Pauses, perEnvironment } from "@/db/batches";
import type { Sql } from "@/db/client";
import type { NumberedEvent } from "@/db/schema/events";
import { arrayTable, JSON_TEXT, json, PATIENCE } from "../statement-text";
import { lastNumber, type NewLedgerLine, type OutcomeWrite, writeOutcome } from "./outcomes";

/**
 * T2s of one environment that come at the same time: several in one statement, with the guarantees that each has alone. Each
 * is fenced for itself, by what it was worked out for, and locked in the one order: keys, payments, operations. One that
 * another holds, or that no longer fits, is left out and goes alone, where it may wait, and gets the error. `= any(array(…))`
 * makes each look-up one by keys, whatever a plan that was made for empty tables thinks of the join.
 */

type Numbered<T> = T & { readonly operationId: string };

const OUTCOMES = arrayTable<OutcomeWrite>(
  {
    operation_id: ["uuid", ({ operation }) => operation.id],
    from_state: ["text", ({ from }) => from.state],
    epoch: ["int", ({ from }) => from.epoch],
    version: ["int", ({ from }) => from.version],
    state: ["text", ({ operation }) => operation.state],
    last_answer: ["text", ({ operation }) => operation.lastAnswer],
    key: ["text", ({ answer }) => answer?.key ?? null],
    status_code: ["smallint", ({ answer }) => answer?.status ?? null],
    response_body: [JSON_TEXT, ({ answer }) => answer?.body ?? null],
    payment_id: ["uuid", ({ payment }) => payment.id],
    currency: ["text", ({ payment }) => payment.currency],
    payment_status: ["text", ({ payment }) => payment.status],
    amount_captured: ["bigint", ({ payment }) => payment.amount_captured],
    amount_refunded: ["bigint", ({ payment }) => payment.amount_refunded],
    refund_pending: ["bigint", ({ payment }) => payment.refund_pending],
    open_operation_id: ["uuid", ({ payment }) => payment.open_operation_id],
    capture_before: ["timestamptz", ({ payment }) => payment.capture_before],
    next_action: ["jsonb", ({ payment }) => json(payment.next_action)],
    payment_at: ["timestamptz", ({ payment }) => payment.updated_at],
    event_count: ["int", ({ events, payment }) => events.filter(({ object_id }) => object_id === payment.id).length],
    fee_on: ["bigint", ({ feeOn }) => feeOn],
    charge_id: ["uuid", ({ charge }) => charge.id],
    charge_status: ["text", ({ charge }) => charge.status],
    avs_result: ["text", ({ charge }) => charge.avs_result],
    cvv_result: ["text", ({ charge }) => charge.cvv_result],
    fraud_score: ["smallint", ({ charge }) => charge.fraud_score],
    // An array of arrays of different lengths is none in PostgreSQL: each goes as its text.
    fraud_reasons: ["text", ({ charge }) => charge.fraud_reasons && makePgArray(charge.fraud_reasons)],
    decline_code: ["text", ({ charge }) => charge.decline_code],
    void_reason: ["text", ({ charge }) => charge.void_reason],
    authorized_at: ["timestamptz", ({ charge }) => charge.authorized_at],
    captured_at: ["timestamptz", ({ charge }) => charge.captured_at],
    voided_at: ["timestamptz", ({ charge }) => charge.voided_at],
    refunded_at: ["timestamptz", ({ charge }) => charge.refunded_at],
    charge_at: ["timestamptz", ({ charge }) => charge.updated_at],
    charge_number: ["int", (outcome) => lastNumber(outcome, outcome.charge)],
    refund_id: ["uuid", ({ refund }) => refund?.id ?? null],
    refund_status: ["text", ({ refund }) => refund?.status ?? null],
    refund_captured_at: ["timestamptz", ({ refund }) => refund?.captured_at ?? null],
    refund_refunded_at: ["timestamptz", ({ refund }) => refund?.refunded_at ?? null],
    refund_at: ["timestamptz", ({ refund }) => refund?.updated_at ?? null],
    refund_number: ["int", (outcome) => outcome.refund && lastNumber(outcome, outcome.refund)],
    audit_id: ["uuid", ({ audit }) => audit.id],
    audit_action: ["text", ({ audit }) => audit.action],
    audit_actor: ["jsonb", ({ audit }) => json(audit.actor)],
    audit_request: ["uuid", ({ audit }) => audit.requestId],
  },
  "i",
  2,
);
const LINES = arrayTable<Numbered<NewLedgerLine>>(
  {
    operation_id: ["uuid", ({ operationId }) => operationId],
    line: ["smallint", ({ line }) => line],
    debit: ["text", ({ debit }) => debit],
    credit: ["text", ({ credit }) => credit],
    amount: ["bigint", ({ amount }) => amount],
  },
  "l",
  2 + OUTCOMES.length,
);
const EVENTS = arrayTable<Numbered<NumberedEvent>>(
  {
    of: ["uuid", ({ operationId }) => operationId],
    id: ["uuid", ({ id }) => id],
    type: ["text", ({ type }) => type],
    operation_id: ["uuid", ({ operation_id }) => operation_id],
    object_id: ["uuid", ({ object_id }) => object_id],
    sequence: ["int", ({ sequence }) => sequence],
    data: [JSON_TEXT, ({ data }) => data],
  },
  "e",
  2 + OUTCOMES.length + LINES.length,
);

// $1 environment.
const WRITE_OUTCOMES = `
  with ${PATIENCE},
  input as materialized (select i.* from ${OUTCOMES.text} where exists (select from patience)),
  held as materialized (
    select k.key from input i join idempotency_keys k on k.environment_id = $1::uuid and k.key = i.key
      and k.operation_id = i.operation_id and k.key = any(array(select key from input))
    order by k.key for update of k skip locked
  ),
  -- An outcome for another version of the payment, operation or time, or held by another process, is left out.
  fenced as materialized (
    select i.*, o.environment_id as environment from input i
    join payments p on p.environment_id = $1::uuid and p.id = i.payment_id and p.version = i.version
      and p.id = any(array(select payment_id from input))
    join operations o on o.environment_id = $1::uuid and o.id = i.operation_id and o.state = i.from_state and o.epoch = i.epoch
      and o.id = any(array(select operation_id from input))
    where i.payment_at between now() - interval '1 minute' and now() + interval '1 minute'
      and (i.key is null or i.key in (select key from held) or not exists (
        select from idempotency_keys k where k.environment_id = $1::uuid and k.key = i.key and k.operation_id = i.operation_id
          and k.key = any(array(select key from input))))
    order by p.id for update of p, o skip locked
  ),
  answered as (
    update idempotency_keys k set state = 'done', status_code = i.status_code, response_body = i.response_body,
      completed_at = now()
    from fenced i where k.environment_id = $1::uuid and k.key = i.key and k.operation_id = i.operation_id
      and k.key = any(array(select key from fenced))
  ),
  paid as (
    update payments p set status = i.payment_status, amount_captured = i.amount_captured, amount_refunded = i.amount_refunded,
      refund_pending = i.refund_pending, open_operation_id = i.open_operation_id, capture_before = i.capture_before,
      next_action = i.next_action, version = p.version + 1, updated_at = i.payment_at,
      event_sequence = p.event_sequence + i.event_count
    from fenced i where p.environment_id = $1::uuid and p.id = i.payment_id
      and p.id = any(array(select payment_id from fenced))
  ),
  operation as (
    update operations o set state = i.state, last_answer = i.last_answer, completed_at = now(),
      captured = o.captured or i.fee_on > 0,
      fee_basis_points = case when i.fee_on > 0 then (select fee_basis_points from environments where id = $1::uuid)
        else o.fee_basis_points end
    from fenced i where o.environment_id = $1::uuid and o.id = i.operation_id
      and o.id = any(array(select operation_id from fenced))
    returning o.id, o.fee_basis_points
  ),
  charge as (
    update transactions t set status = i.charge_status, avs_result = i.avs_result, cvv_result = i.cvv_result,
      fraud_score = i.fraud_score, fraud_reasons = i.fraud_reasons::text[], decline_code = i.decline_code,
      void_reason = i.void_reason, authorized_at = i.authorized_at, captured_at = i.captured_at, voided_at = i.voided_at,
      refunded_at = i.refunded_at, updated_at = i.charge_at, event_sequence = i.charge_number
    from fenced i where t.environment_id = $1::uuid and t.id = i.charge_id
      and t.id = any(array(select charge_id from fenced))
  ),
  refund as (
    update transactions t set status = i.refund_status, captured_at = i.refund_captured_at,
      refunded_at = i.refund_refunded_at, updated_at = i.refund_at, event_sequence = i.refund_number
    from fenced i where t.environment_id = $1::uuid and t.id = i.refund_id
      and t.id = any(array(select refund_id from fenced))
  ),
  ledger as (
    insert into ledger_entries (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency)
    select $1::uuid, l.operation_id, l.line, i.payment_id, l.debit, l.credit, l.amount, i.currency
    from ${LINES.text} join fenced i on i.operation_id = l.operation_id
    union all
    select $1::uuid, i.operation_id, 2, i.payment_id, 'merchant_payable', 'fees',
      (i.fee_on * o.fee_basis_points + 5000) / 10000, i.currency
    from fenced i join operation o on o.id = i.operation_id
    where i.fee_on > 0 and (i.fee_on * o.fee_basis_points + 5000) / 10000 > 0
  ),
  events as (
    insert into events (environment_id, id, type, operation_id, object_id, sequence, data)
    select $1::uuid, e.id, e.type, e.operation_id, e.object_id, e.sequence, e.data::json
    from ${EVENTS.text} join fenced i on i.operation_id = e.of
    order by e.n
  ),
  audit as (
    insert into audit_log (environment_id, id, actor, action, object_id, request_id)
    select $1::uuid, audit_id, audit_actor, audit_action, payment_id, audit_request from fenced order by n
  )
  select n::int from fenced`;

/** For each row whether it was written. */
async function writeOutcomes(
  sql: Sql,
  environmentId: string,
  rows: readonly OutcomeWrite[],
): Promise<(true | undefined)[]> {
  const lines = rows.flatMap(({ operation, ledger }) => ledger.map((line) => ({ operationId: operation.id, ...line })));
  const events = rows.flatMap(({ operation, events }) =>
    events.map((event) => ({ operationId: operation.id, ...event })),
  );
  const written = await sql.unsafe<{ n: number }[]>(
    WRITE_OUTCOMES,
    [environmentId, ...OUTCOMES.values(rows), ...LINES.values(lines), ...EVENTS.values(events)],
    { prepare: true },
  );
  const answers: (true | undefined)[] = rows.map(() => undefined);
  for (const { n } of written) answers[n - 1] = true;
  return answers;
}

const batchesOf = perEnvironment((sql, environmentId, timer) =>
  inBatches<OutcomeWrite, true>(
    {
      send: (outcomes) => writeOutcomes(sql, environmentId, outcomes),
      alone: (outcome) => writeOutcome(sql, environmentId, outcome).then(() => true),
      subjectsOf: ({ payment }) => [payment.id],
    },
    timer,
  ),
);

/** {@link writeOutcome}, together with others of the environment. One that ends a session's payment, or tells more of its card, goes alone. */
export async function writeOutcomeTogether(
  sql: Sql,
  environmentId: string,
  outcome: OutcomeWrite,
  timer: Pauses,
): Promise<void> {
  if (outcome.session || outcome.knowsMoreOfCard) return writeOutcome(sql, environmentId, outcome);
  await batchesOf(sql, environmentId, timer)(outcome);
}
