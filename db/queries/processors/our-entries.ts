import type { Sql } from "@/db/client";
import type { OperationState } from "@/db/schema/operations";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import type { Fragment } from "../statement-text";

/** A payment or refund of ours, beside which an entry of a processor's own list is held. Amounts in minor units. */
export type OurEntry = {
  readonly environment_id: string;
  /** The payment's, or the refund's operation's. */
  readonly id: string;
  readonly payment_id: string;
  readonly transaction_id: string;
  /** The processor's reference, and that of the authorization. */
  readonly reference: string;
  readonly authorization: string;
  readonly amount: number;
  readonly currency: string;
  /** Of a payment that ended unpaid and that the processor approved later: whether its money was given back, or still is to be. */
  readonly late_approval: "given_back" | "to_give_back" | null;
  /** Something is happening to it, or has a moment ago. */
  readonly under_way: boolean;
  readonly created_at: string;
  /** The processor's own id of it, where one was kept. */
  readonly object_kind: string | null;
  readonly object_id: string | null;
} & (
  | { readonly kind: "payment"; readonly state: PaymentStatus; readonly captured: number; readonly refunded: number }
  | { readonly kind: "refund"; readonly state: OperationState }
);

/** What is compared: the payments of a connection in some environments, which are one unless it is the operator's. */
export type Compared = {
  readonly connectionId: string;
  /** The name under which the processor's own ids are kept. */
  readonly processor: string;
  readonly environmentIds: readonly string[];
  /** What changed after it is under way. */
  readonly quietSince: Date;
  /** Past it what the processor did is not known: so is what money of ours has moved since. Null: it is known up to now. */
  readonly knownUntil: Date | null;
};

const paymentColumns = (sql: Sql, { quietSince, knownUntil }: Compared): Fragment => sql`
  p.environment_id, 'payment' as kind, p.id, p.id as payment_id, p.charge_id as transaction_id, p.authorization_id as reference,
  p.authorization_id as "authorization", p.amount, p.currency, p.status::text as state, p.amount_captured as captured,
  p.amount_refunded as refunded,
  case when p.status in ('DECLINED', 'FAILED') then (
    select case when bool_or(v.state = 'succeeded') then 'given_back' when count(*) > 0 then 'to_give_back' end from operations v
    where v.environment_id = p.environment_id and v.payment_id = p.id and v.kind = 'void') end as late_approval,
  p.open_operation_id is not null or p.refund_pending > 0 or p.updated_at > ${quietSince}::timestamptz
    or p.status in ('PENDING', 'REQUIRES_ACTION') or ${movedSince(sql, knownUntil)} as under_way,
  p.created_at, k.kind as object_kind, k.object_id`;
/** Whether an operation of the payment ended since; its settlement is no matter of the processor's. */
const movedSince = (sql: Sql, time: Date | null): Fragment =>
  time === null
    ? sql`false`
    : sql`exists (select from operations m
        where m.environment_id = p.environment_id and m.payment_id = p.id and m.completed_at > ${time}::timestamptz)`;
/** The object that was kept first is the payment itself. */
const keptOf = (sql: Sql, { processor }: Compared, operation: Fragment): Fragment => sql`
  left join lateral (
    select kind, object_id from processor_objects
    where environment_id = p.environment_id and payment_id = p.id and processor = ${processor} and operation_id = ${operation}
    order by created_at, object_id limit 1
  ) k on true`;
const refundColumns = (sql: Sql, { quietSince, knownUntil }: Compared): Fragment => sql`
  o.environment_id, 'refund' as kind, o.id, o.payment_id, o.transaction_id, o.id as reference,
  p.authorization_id as "authorization", o.amount, o.currency, o.state::text as state, 0::bigint as captured, 0::bigint as refunded, null as late_approval,
  o.state = 'open' or o.completed_at > ${knownUntil ?? quietSince}::timestamptz as under_way,
  o.created_at, k.kind as object_kind, k.object_id`;

/**
 * Those that entries of a processor's list name, by our references or by the processor's own ids that were kept; each with what it
 * was found by. Indexes: the primary key of operations in each environment, `processor_objects_id`.
 */
export async function findOurEntries(
  sql: Sql,
  of: Compared,
  named: { readonly references: readonly string[]; readonly objects: readonly string[] },
): Promise<(OurEntry & { readonly named_reference: string | null; readonly named_object: string | null })[]> {
  const found = sql`
    with found as (
      select o.environment_id, o.id, o.kind, o.payment_id, o.id::text as named_reference, null as named_object
      from unnest(${of.environmentIds}::uuid[]) e(id)
      join operations o on o.environment_id = e.id and o.id = any(${named.references}::uuid[])
      union all
      select o.environment_id, o.id, o.kind, o.payment_id, null, k.object_id
      from processor_objects k join operations o on o.environment_id = k.environment_id and o.id = k.operation_id
      where k.processor = ${of.processor} and k.object_id = any(${named.objects}::text[])
        and k.environment_id = any(${of.environmentIds}::uuid[])
    )`;
  return sql`
    ${found}
    select ${paymentColumns(sql, of)}, found.named_reference, found.named_object
    from found join payments p on p.environment_id = found.environment_id and p.id = found.payment_id
    ${keptOf(sql, of, sql`p.authorization_id`)}
    where found.kind <> 'refund' and p.connection_id = ${of.connectionId}::uuid
    union all
    select ${refundColumns(sql, of)}, found.named_reference, found.named_object
    from found join operations o on o.environment_id = found.environment_id and o.id = found.id
    join payments p on p.environment_id = o.environment_id and p.id = o.payment_id
    ${keptOf(sql, of, sql`o.id`)}
    -- What was approved after the payment had ended here may be given back by a refund.
    where (found.kind = 'refund' or (found.kind = 'void' and p.status in ('DECLINED', 'FAILED')))
      and p.connection_id = ${of.connectionId}::uuid`;
}

/** A stretch of ids, which are in the order of their times: from the first to before the last. */
export type IdRange = { readonly from: string; readonly before: string };

/** Payments of one environment in a stretch, oldest first. Index: `payments_connection`. */
export async function listOurPayments(
  sql: Sql,
  of: Compared,
  environmentId: string,
  { from, before }: IdRange,
  limit: number,
): Promise<OurEntry[]> {
  return sql<OurEntry[]>`
    select ${paymentColumns(sql, of)} from payments p ${keptOf(sql, of, sql`p.authorization_id`)}
    where p.environment_id = ${environmentId}::uuid and p.connection_id = ${of.connectionId}::uuid
      and p.id >= ${from}::uuid and p.id < ${before}::uuid
    order by p.id limit ${limit}::int`;
}

/** Refunds of one environment in a stretch, oldest first. By the primary keys of operations and payments. */
export async function listOurRefunds(
  sql: Sql,
  of: Compared,
  environmentId: string,
  { from, before }: IdRange,
  limit: number,
): Promise<OurEntry[]> {
  return sql<OurEntry[]>`
    select ${refundColumns(sql, of)} from operations o
    join payments p on p.environment_id = o.environment_id and p.id = o.payment_id
    ${keptOf(sql, of, sql`o.id`)}
    where o.environment_id = ${environmentId}::uuid and o.id >= ${from}::uuid and o.id < ${before}::uuid
      and o.kind = 'refund' and p.connection_id = ${of.connectionId}::uuid
    order by o.id limit ${limit}::int`;
}

/** How many payments a stretch holds, up to `most`: what a comparison has in memory at once. Index: `payments_connection`. */
export async function countOurPayments(
  sql: Sql,
  of: Compared,
  { from, before }: IdRange,
  most: number,
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from (
      select from payments p
      where p.environment_id = any(${of.environmentIds}::uuid[]) and p.connection_id = ${of.connectionId}::uuid
        and p.id >= ${from}::uuid and p.id < ${before}::uuid
      limit ${most}::int
    ) counted`;
  return row.count;
}
