import { and, asc, desc, eq, gte, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { DisputeNotice, DisputeReason, DisputeStatus } from "@/lib/contract/disputes/statuses";
import type { EventTypeOf } from "@/lib/contract/events/event";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Orm, Sql, Transaction } from "../client";
import { type DisputeRow, disputes } from "../schema/disputes";
import type { ActorRecord } from "../schema/operations";
import { transactions } from "../schema/transactions";
import { openPages } from "./export";
import { countUpTo } from "./statement-text";

/** Members of the merchant's response, which no report changes. */
type ResponseMembers = "evidence" | "response" | "response_id" | "response_by" | "response_due_at";

export type NewDispute = Omit<
  DisputeRow,
  "environment_id" | "customer" | "transaction_id" | "customer_id" | "last_notice" | ResponseMembers
>;

/** The database's time, by which all processes order what they read at a processor. */
export async function readInstant(sql: Sql): Promise<string> {
  const [row] = await sql<[{ at: string }]>`select clock_timestamp() as at`;
  return row.at;
}

/**
 * Inserts a dispute; null if it is already known. Call it in the transaction that reports it: a concurrent
 * insert of the same dispute waits for its end.
 */
export async function insertDispute(orm: Orm, environmentId: string, dispute: NewDispute): Promise<DisputeRow | null> {
  const ofCharge = (value: SQL) => sql`(select ${value} from payments p
    join transactions t on t.environment_id = p.environment_id and t.id = p.charge_id
    where p.environment_id = ${environmentId}::uuid and p.id = ${dispute.payment_id}::uuid)`;
  const customer = ofCharge(sql`case when coalesce(t.customer_id, t.customer_email_key) is not null
    then customer_uuid(${environmentId}::uuid, t.customer_id, t.customer_email_key) end`);
  const transaction_id = ofCharge(sql`t.id`);
  const customer_id = ofCharge(sql`t.customer_id`);
  const [row] = await orm
    .insert(disputes)
    .values({ environment_id: environmentId, ...dispute, customer, transaction_id, customer_id })
    .onConflictDoNothing()
    .returning();
  return row ?? null;
}

/** Locked, so that its events are numbered in commit order; null for a dispute of another environment. */
export async function lockDispute(
  orm: Orm,
  environmentId: string,
  { processor, processor_dispute_id }: Pick<DisputeRow, "processor" | "processor_dispute_id">,
): Promise<DisputeRow | null> {
  const [row] = await orm
    .select()
    .from(disputes)
    .where(
      and(
        eq(disputes.environment_id, environmentId),
        eq(disputes.processor, processor),
        eq(disputes.processor_dispute_id, processor_dispute_id),
      ),
    )
    .for("update");
  return row ?? null;
}

type ChangedDispute = Omit<NewDispute, "id" | "payment_id" | "processor" | "processor_dispute_id" | "created_at"> &
  Pick<DisputeRow, "evidence" | "response_due_at">;

/** Call it in the transaction that holds its row. */
export async function updateDispute(
  orm: Orm,
  environmentId: string,
  id: string,
  changed: Partial<ChangedDispute>,
): Promise<void> {
  await orm
    .update(disputes)
    .set(changed)
    .where(and(eq(disputes.environment_id, environmentId), eq(disputes.id, id)));
}

/**
 * Copies the decisive dispute to the payment's row, where refunds see it: a lost one, else an open one, else
 * the latest; and the sum of those that are open or lost. Call it in the transaction that holds the dispute's
 * row. The payment is locked first, so that the second of two concurrent calls sees both disputes.
 */
export async function showOnPayment(orm: Orm, environmentId: string, paymentId: string): Promise<void> {
  await orm.execute(sql`
    select from payments where environment_id = ${environmentId}::uuid and id = ${paymentId}::uuid for update`);
  await orm.execute(sql`
    update payments set dispute_id = d.id, dispute_status = d.status, amount_disputed = s.amount, version = version + 1,
      updated_at = greatest(payments.updated_at, clock_now(${environmentId}::uuid))
    from (select id, status from disputes where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid
      order by ${sql.raw(DECISIVE_FIRST)} limit 1) d,
      (select coalesce(sum(x.amount), 0)::bigint as amount from payments p
      join disputes x on x.environment_id = p.environment_id and x.payment_id = p.id and x.currency = p.currency and x.status <> 'WON'
      where p.environment_id = ${environmentId}::uuid and p.id = ${paymentId}::uuid) s
    where payments.environment_id = ${environmentId}::uuid and payments.id = ${paymentId}::uuid
      and (dispute_id, dispute_status, amount_disputed) is distinct from (d.id, d.status, s.amount)`);
}

/** Sort order that puts the payment's decisive dispute first. */
export const DECISIVE_FIRST = `case status when 'LOST' then 1 when 'ACCEPTED' then 1 when 'WON' then 3 else 2 end,
  created_at desc, id desc`;

/** A payment's disputes, oldest first. Index: `disputes_payment`. */
export async function listDisputesOf(
  sql: Sql | Transaction,
  environmentId: string,
  paymentId: string,
  limit: number,
): Promise<DisputeRow[]> {
  return sql<DisputeRow[]>`
    select * from disputes where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid
    order by created_at, id limit ${limit}::int`;
}

/**
 * Disputed amounts of some customers, by currency: what banks took back or may keep, excluding won disputes
 * and inquiries. Index: `disputes_customer`.
 */
export async function readDisputed(
  sql: Sql,
  environmentId: string,
  customers: readonly { id: string }[],
): Promise<{ customer: string; currency: string; disputed: number }[]> {
  return sql<{ customer: string; currency: string; disputed: number }[]>`
    select customer, currency, sum(amount)::float8 as disputed from disputes
    where environment_id = ${environmentId}::uuid and customer = any(${customers.map(({ id }) => id)}::uuid[])
      and status in ('NEEDS_RESPONSE', 'UNDER_REVIEW', 'LOST', 'ACCEPTED')
    group by 1, 2 order by 3 desc, 2`;
}

export async function findDispute(orm: Orm, environmentId: string, id: string): Promise<DisputeRow | null> {
  const [row] = await orm
    .select()
    .from(disputes)
    .where(and(eq(disputes.environment_id, environmentId), eq(disputes.id, id)));
  return row ?? null;
}

export type DisputeFilter = {
  /** Any of these, which are not none. */
  readonly status?: readonly DisputeStatus[] | undefined;
  readonly reason?: readonly DisputeReason[] | undefined;
  readonly customerId?: string | undefined;
  /** The merchant's own id of the customer, or the address that the charge names. */
  readonly payer?: string | undefined;
  readonly paymentId?: string | undefined;
  readonly respondByFrom?: Date | undefined;
  readonly respondByUntil?: Date | undefined;
  /** The deadline has not passed by this time; a dispute without one counts, too. */
  readonly openAt?: Date | undefined;
};

const isAhead = (now: Date) => or(isNull(disputes.respond_by), gte(disputes.respond_by, now.toISOString())) as SQL;

const matching = (environmentId: string, filter: DisputeFilter) =>
  and(
    eq(disputes.environment_id, environmentId),
    filter.status === undefined ? undefined : inArray(disputes.status, [...filter.status]),
    filter.reason === undefined ? undefined : inArray(disputes.reason, [...filter.reason]),
    filter.customerId === undefined
      ? undefined
      : sql`${disputes.customer} = customer_uuid(${environmentId}::uuid, ${filter.customerId}::text, null)`,
    filter.payer === undefined
      ? undefined
      : sql`(${disputes.customer_id} = ${filter.payer} or exists (select from ${transactions} t
          where t.environment_id = ${disputes.environment_id} and t.id = ${disputes.transaction_id}
            and t.customer_email_key = lower(${filter.payer})))`,
    filter.paymentId === undefined ? undefined : eq(disputes.payment_id, filter.paymentId),
    filter.respondByFrom === undefined ? undefined : gte(disputes.respond_by, filter.respondByFrom.toISOString()),
    filter.respondByUntil === undefined ? undefined : lt(disputes.respond_by, filter.respondByUntil.toISOString()),
    filter.openAt === undefined ? undefined : isAhead(filter.openAt),
  );

/** Newest first. Indexes: the primary key, and one for each filter but the reason. */
export function listDisputes(
  orm: Orm,
  environmentId: string,
  filter: DisputeFilter,
  page: { limit: number; offset: number; after: string | null },
): Promise<DisputeRow[]> {
  return orm
    .select()
    .from(disputes)
    .where(and(matching(environmentId, filter), page.after === null ? undefined : lt(disputes.id, page.after)))
    .orderBy(desc(disputes.id))
    .limit(page.limit)
    .offset(page.offset);
}

export function openDisputeExport(
  sql: Sql,
  environmentId: string,
  filter: Omit<DisputeFilter, "customerId" | "paymentId">,
) {
  const where = (tx: Sql) => tx`environment_id = ${environmentId}::uuid
    ${filter.status === undefined ? tx`` : tx`and status in ${tx([...filter.status])}`}
    ${filter.reason === undefined ? tx`` : tx`and reason in ${tx([...filter.reason])}`}
    ${
      filter.payer === undefined
        ? tx``
        : tx`and (customer_id = ${filter.payer} or exists (select from transactions t
            where t.environment_id = ${environmentId}::uuid and t.id = disputes.transaction_id
              and t.customer_email_key = lower(${filter.payer})))`
    }
    ${filter.respondByFrom === undefined ? tx`` : tx`and respond_by >= ${filter.respondByFrom}`}
    ${filter.respondByUntil === undefined ? tx`` : tx`and respond_by < ${filter.respondByUntil}`}
    ${filter.openAt === undefined ? tx`` : tx`and (respond_by is null or respond_by >= ${filter.openAt})`}`;
  return openPages<DisputeRow>(sql, {
    count: async (tx) => {
      const [row] = await tx<[{ count: number }]>`select count(*) as count from disputes where ${where(tx)}`;
      return row.count;
    },
    page: (tx, last, limit) => tx<DisputeRow[]>`
      select * from disputes where ${where(tx)} ${last === null ? tx`` : tx`and id < ${last.id}::uuid`}
      order by id desc limit ${limit}::int`,
  });
}

/** Number of matches, counted no further than `cap` + 1. */
export const countDisputes = (orm: Orm, environmentId: string, filter: DisputeFilter, cap: number) =>
  countUpTo(orm, disputes, matching(environmentId, filter), cap + 1);

type NamedDispute = { dispute: DisputeRow; name: string | null; email: string | null };

/**
 * Disputes with the customer whom the charge names: those that still take a response by deadline, then the
 * others, newest first. Sorts all matches, as an environment has few disputes.
 */
export function listByDeadline(
  orm: Orm,
  environmentId: string,
  filter: DisputeFilter,
  page: { limit: number; offset: number; now: Date },
): Promise<NamedDispute[]> {
  const isOpen = sql`(${disputes.status} = 'NEEDS_RESPONSE' and ${isAhead(page.now)})`;
  return orm
    .select({ dispute: disputes, name: transactions.customer_name, email: transactions.customer_email })
    .from(disputes)
    .innerJoin(
      transactions,
      and(eq(transactions.environment_id, disputes.environment_id), eq(transactions.id, disputes.transaction_id)),
    )
    .where(matching(environmentId, filter))
    .orderBy(sql`${isOpen} desc`, asc(sql`case when ${isOpen} then ${disputes.respond_by} end`), desc(disputes.id))
    .limit(page.limit)
    .offset(page.offset);
}

/** The newest disputes of a customer, by the customer's uuid, and their number. Index: `disputes_customer`. */
export async function listDisputesOfCustomer(
  sql: Sql,
  environmentId: string,
  customer: string,
  limit: number,
): Promise<{ rows: DisputeRow[]; total: number }> {
  const rows = await sql<(DisputeRow & { total: number })[]>`
    select *, count(*) over ()::int as total from disputes
    where environment_id = ${environmentId}::uuid and customer = ${customer}::uuid
    order by id desc limit ${limit}::int`;
  return { rows, total: rows[0]?.total ?? 0 };
}

export type DisputeStepRow = { id: string; type: EventTypeOf<"dispute">; at: string; actor: ActorRecord | null };

/** A dispute's latest events with their actors, oldest first. Indexes: `events_object`, `audit_log_object`. */
export async function listDisputeSteps(
  sql: Sql,
  environmentId: string,
  dispute: { id: string; payment_id: string; publicId: string },
  limit: number,
): Promise<DisputeStepRow[]> {
  return sql<DisputeStepRow[]>`
    select e.id, e.type, e.created_at as at, a.actor
    from (
      select id, type, created_at, sequence from events
      where environment_id = ${environmentId}::uuid and object_id = ${dispute.id}::uuid
      order by sequence desc limit ${limit}::int
    ) e
    left join lateral (
      select actor from audit_log
      where environment_id = ${environmentId}::uuid and object_id = ${dispute.payment_id}::uuid
        and action = e.type and detail ->> 'dispute' = ${dispute.publicId}
        and coalesce(detail ->> 'event' = e.id::text, true)
      order by id desc limit 1
    ) a on true
    order by e.sequence`;
}

export type DisputeNoticeDue = Pick<DisputeRow, "id" | "amount" | "currency" | "reason" | "status" | "respond_by"> & {
  environment_id: string;
  merchant_id: string;
  time_zone: string;
  mode: Mode;
  notice: DisputeNotice;
  /** Its deadline is near and has not passed. */
  is_soon: boolean;
  /** The environment's time. */
  at: string;
};

/**
 * Claims the next pending notice, except for the disputes in `failed`: an open dispute without one, or one
 * whose deadline is within `days` by the environment's time. A dispute that opens that late gets only the
 * first. Spans all environments, or is of one, and skips rows locked by another process; call it in the
 * transaction that writes the mails. Indexes: `disputes_to_notify`, `disputes_respond_by`.
 */
export async function takeDisputeNotice(
  tx: Orm,
  days: number,
  failed: readonly string[],
  environmentId: string | null = null,
): Promise<DisputeNoticeDue | null> {
  const now = sql`clock_now(d.environment_id)`;
  const isNear = sql`d.status = 'NEEDS_RESPONSE' and d.respond_by <= ${now} + make_interval(days => ${days}::int)`;
  const rows = (await tx.execute(sql`
    with due as (
      select d.environment_id, d.id, coalesce(${isNear}, false) as is_near,
        coalesce(${isNear} and d.respond_by > ${now}, false) as is_soon,
        case when d.last_notice is null then 'opened' else 'due_soon' end as notice
      from disputes d
      where d.status in ('NEEDS_RESPONSE', 'UNDER_REVIEW') and d.last_notice is distinct from 'due_soon'
        ${environmentId === null ? sql`` : sql`and d.environment_id = ${environmentId}::uuid`}
        and (d.last_notice is null or (${isNear} and d.respond_by > ${now}))
        and d.id <> all(${`{${failed.join(",")}}`}::text::uuid[])
      order by d.respond_by, d.environment_id, d.id limit 1
      for update of d skip locked
    )
    update disputes d set last_notice = case when due.is_near then 'due_soon' else due.notice end
    from due
    join environments e on e.id = due.environment_id
    join merchants m on m.id = e.merchant_id
    where d.environment_id = due.environment_id and d.id = due.id
    returning d.environment_id, d.id, d.amount, d.currency, d.reason, d.status, d.respond_by, e.mode, e.merchant_id,
      m.time_zone, due.notice, due.is_soon, ${now} as at`)) as unknown as DisputeNoticeDue[];
  return rows[0] ?? null;
}

/** When the next deadline comes near, later than `after`. Index: `disputes_respond_by`. */
export async function nextDisputeNotice(
  sql: Sql,
  environmentId: string,
  after: string,
  days: number,
): Promise<string | null> {
  const [row] = await sql<{ at: string | null }[]>`
    select min(respond_by) - make_interval(days => ${days}::int) as at from disputes
    where environment_id = ${environmentId}::uuid and status = 'NEEDS_RESPONSE' and last_notice is distinct from 'due_soon'
      and respond_by > ${after}::timestamptz + make_interval(days => ${days}::int)`;
  return row?.at ?? null;
}
