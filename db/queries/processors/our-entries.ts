import type { Sql } from "@/db/client";
import type { OperationState } from "@/db/schema/operations";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import type { Fragment } from "../statement-text";

/**
 * One of our payments or refunds, to compare with an entry in the processor's list. Amounts in minor units.
 */
export type OurEntry = {
  readonly environment_id: string;
  /** Id of the payment, or of the refund's operation. */
  readonly id: string;
  readonly payment_id: string;
  readonly transaction_id: string;
  /** The processor's reference, and that of the authorization. */
  readonly reference: string;
  readonly authorization: string;
  readonly amount: number;
  readonly currency: string;
  /**
   * Set for a payment that ended unpaid and was approved late: the money was returned, or still has to be.
   */
  readonly late_approval: "reversed" | "to_reverse" | null;
  /** The entry is changing, or changed a moment ago. */
  readonly under_way: boolean;
  readonly created_at: string;
  /** The processor's own id for it, if stored. */
  readonly object_kind: string | null;
  readonly object_id: string | null;
} & (
  | { readonly kind: "payment"; readonly state: PaymentStatus; readonly captured: number; readonly refunded: number }
  | { readonly kind: "refund"; readonly state: OperationState }
);

/**
 * Scope of a comparison: a connection's payments, in one environment or, if it is the operator's, in several.
 */
export type Compared = {
  readonly connectionId: string;
  /** Key under which the processor's own ids are stored. */
  readonly processor: string;
  readonly environmentIds: readonly string[];
  /** Entries changed after this count as in progress. */
  readonly quietSince: Date;
  /**
   * The processor's list is complete up to this time, so our later movements count as in progress. Null = up
   * to now.
   */
  readonly knownUntil: Date | null;
};

const paymentColumns = (sql: Sql, { quietSince, knownUntil }: Compared): Fragment => sql`
  p.environment_id, 'payment' as kind, p.id, p.id as payment_id, p.charge_id as transaction_id, p.authorization_id as reference,
  p.authorization_id as "authorization", p.amount, p.currency, p.status::text as state, p.amount_captured as captured,
  p.amount_refunded as refunded,
  case when p.status in ('DECLINED', 'FAILED') then (
    select case when bool_or(v.state = 'succeeded') then 'reversed' when count(*) > 0 then 'to_reverse' end from operations v
    where v.environment_id = p.environment_id and v.payment_id = p.id and v.kind = 'void') end as late_approval,
  p.open_operation_id is not null or p.refund_pending > 0 or p.updated_at > ${quietSince}::timestamptz
    or p.status in ('PENDING', 'REQUIRES_ACTION') or ${movedSince(sql, knownUntil)} as under_way,
  p.created_at, k.kind as object_kind, k.object_id`;
/** True if an operation on the payment has ended since. Settlement doesn't concern the processor. */
const movedSince = (sql: Sql, time: Date | null): Fragment =>
  time === null
    ? sql`false`
    : sql`exists (select from operations m
        where m.environment_id = p.environment_id and m.payment_id = p.id and m.completed_at > ${time}::timestamptz)`;
/** The object stored first is the payment itself. */
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
 * Our entries that a processor's list mentions, by our reference or by its own stored id; each with the one
 * that matched. Indexes: the primary key of operations in each environment, `processor_objects_id`.
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
    -- The money of a late approval may be returned by a refund.
    where (found.kind = 'refund' or (found.kind = 'void' and p.status in ('DECLINED', 'FAILED')))
      and p.connection_id = ${of.connectionId}::uuid`;
}

/** A range of ids, which are in time order: `from` inclusive, `before` exclusive. */
export type IdRange = { readonly from: string; readonly before: string };

/** Payments of one environment in a range, oldest first. Index: `payments_connection`. */
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

/** Refunds of one environment in a range, oldest first. Indexes: primary keys of operations and payments. */
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

/**
 * Number of payments in a range, up to `limit`: the number a comparison holds in memory. Index:
 * `payments_connection`.
 */
export async function countOurPayments(
  sql: Sql,
  of: Compared,
  { from, before }: IdRange,
  limit: number,
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from (
      select from payments p
      where p.environment_id = any(${of.environmentIds}::uuid[]) and p.connection_id = ${of.connectionId}::uuid
        and p.id >= ${from}::uuid and p.id < ${before}::uuid
      limit ${limit}::int
    ) counted`;
  return row.count;
}
