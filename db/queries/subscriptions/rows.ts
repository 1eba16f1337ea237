import { sql as builder, getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Orm, Sql, Transaction } from "@/db/client";
import type { ActorRecord } from "@/db/schema/operations";
import { type InvoiceRow, invoices, type SubscriptionRow, subscriptions } from "@/db/schema/subscriptions";
import type { TaxColumns } from "@/lib/contract/invoices/tax";
import type { NextAction } from "@/lib/contract/payments/payment";
import type { NumberedEvent } from "../../schema/events";
import type { Fragment } from "../statement-text";
import { queueMails } from "./mails";

/*
 * Subscriptions and invoices are read and written as whole rows, in JSON. Lock order: subscription → invoice
 * → counter. Requests use the query builder's transactions, the money path those of postgres.js: `Run` is
 * either.
 */

/** postgres.js and the query builder both build statements from templates. */
export type Tag = ((text: TemplateStringsArray, ...values: unknown[]) => Fragment) & {
  /** Raw SQL, never from a caller. */
  raw(text: string): Fragment;
};

/** Runs a statement in a transaction, or alone. */
export type Run = <Row extends object>(build: (sql: Tag) => Fragment) => Promise<Row[]>;

export function runOn(sql: Sql | Transaction): Run {
  const tag = Object.assign((text: TemplateStringsArray, ...values: unknown[]) => sql(text, ...(values as never[])), {
    raw: (text: string) => sql.unsafe(text),
  }) as unknown as Tag;
  return async (build) => (await build(tag)) as never;
}

export function runIn(orm: Orm): Run {
  const tag = Object.assign((text: TemplateStringsArray, ...values: unknown[]) => builder(text, ...values), {
    raw: (text: string) => builder.raw(text),
  }) as unknown as Tag;
  return async (build) => (await orm.execute(build(tag) as never)) as never;
}

type Table<Row> = {
  readonly name: string;
  /** Time columns, which JSON has in PostgreSQL's format. */
  readonly times: readonly (keyof Row)[];
  /** Mutable columns, separated by commas. */
  readonly changing: string;
};

function tableOf<Row>(name: string, table: PgTable): Table<Row> {
  const columns = Object.values(getTableColumns(table));
  const keys = ["environment_id", "id", "created_at"];
  return {
    name,
    times: columns
      .filter((column) => column.getSQLType().startsWith("timestamp"))
      .map((column) => column.name as keyof Row),
    changing: columns
      .map((column) => column.name)
      .filter((column) => !keys.includes(column))
      .join(", "),
  };
}

const SUBSCRIPTIONS = tableOf<SubscriptionRow>("subscriptions", subscriptions);
const INVOICES = tableOf<InvoiceRow>("invoices", invoices);

function readRows<Row extends object>({ times }: Table<Row>, found: readonly { row: unknown }[]): Row[] {
  return found.map(({ row: json }) => {
    const row = json as Row;
    for (const name of times) {
      const time = row[name];
      if (typeof time === "string") row[name] = new Date(time).toISOString() as never;
    }
    return row;
  });
}

/** Rows that were selected as JSON. */
export const readSubscriptions = (found: readonly { row: unknown }[]) => readRows(SUBSCRIPTIONS, found);
export const readInvoices = (found: readonly { row: unknown }[]) => readRows(INVOICES, found);

const selectRows = (sql: Tag, table: string, where: Fragment, rest: Fragment = sql``) =>
  sql`select to_jsonb(r) as row from ${sql.raw(table)} r where ${where} ${rest}`;

/**
 * Locks a subscription until the transaction ends; null if there is none. Also returns one that callers can't
 * see yet.
 */
export async function lockSubscription(run: Run, environmentId: string, id: string): Promise<SubscriptionRow | null> {
  const found = await run<{ row: unknown }>((sql) =>
    selectRows(sql, "subscriptions", byId(sql, environmentId, id), sql`for update`),
  );
  return readRows(SUBSCRIPTIONS, found)[0] ?? null;
}

/** Locks the subscriptions whose charges to this card were refused. Index: `subscriptions_payment_method`. */
export async function lockRefusedSubscriptions(
  run: Run,
  environmentId: string,
  methodId: string,
): Promise<SubscriptionRow[]> {
  const found = await run<{ row: unknown }>((sql) =>
    selectRows(
      sql,
      "subscriptions",
      sql`r.environment_id = ${environmentId}::uuid and r.payment_method_id = ${methodId}::uuid
        and case when r.card_refused and r.status not in ('CANCELLED', 'EXPIRED') then true end`,
      sql`order by r.id for update`,
    ),
  );
  return readRows(SUBSCRIPTIONS, found);
}

const byId = (sql: Tag, environmentId: string, id: string) =>
  sql`r.environment_id = ${environmentId}::uuid and r.id = ${id}::uuid`;

/** Locks a subscription that is due by `now`; null if it no longer is, or another process holds its lock. */
export async function lockDueSubscription(
  run: Run,
  environmentId: string,
  id: string,
  now: string,
): Promise<SubscriptionRow | null> {
  const found = await run<{ row: unknown }>((sql) =>
    selectRows(
      sql,
      "subscriptions",
      sql`${byId(sql, environmentId, id)} and r.due_at <= ${now}::timestamptz`,
      sql`for update skip locked`,
    ),
  );
  return readRows(SUBSCRIPTIONS, found)[0] ?? null;
}

/** Locks a subscription's DRAFT and OPEN invoices, oldest first. Index: `invoices_subscription`. */
export async function lockOpenInvoices(run: Run, environmentId: string, subscriptionId: string): Promise<InvoiceRow[]> {
  const found = await run<{ row: unknown }>((sql) =>
    selectRows(
      sql,
      "invoices",
      sql`r.environment_id = ${environmentId}::uuid and r.subscription_id = ${subscriptionId}::uuid
        and case when r.status in ('DRAFT', 'OPEN') then true end`,
      sql`order by r.id for update`,
    ),
  );
  return readRows(INVOICES, found);
}

/** Locks an invoice. The caller holds its subscription's lock. */
export async function lockInvoice(run: Run, environmentId: string, id: string): Promise<InvoiceRow | null> {
  const found = await run<{ row: unknown }>((sql) =>
    selectRows(sql, "invoices", byId(sql, environmentId, id), sql`for update`),
  );
  return readRows(INVOICES, found)[0] ?? null;
}

export async function findSubscription(run: Run, environmentId: string, id: string): Promise<SubscriptionRow | null> {
  const found = await run<{ row: unknown }>((sql) => selectRows(sql, "subscriptions", byId(sql, environmentId, id)));
  return readRows(SUBSCRIPTIONS, found)[0] ?? null;
}

export async function findInvoice(run: Run, environmentId: string, id: string): Promise<InvoiceRow | null> {
  const found = await run<{ row: unknown }>((sql) => selectRows(sql, "invoices", byId(sql, environmentId, id)));
  return readRows(INVOICES, found)[0] ?? null;
}

/**
 * Invoices that can be refunded if a subscription ends early, last paid first: those of its period, and those
 * paid after its end.
 */
export async function listPaidInvoices(
  run: Run,
  environmentId: string,
  period: Pick<SubscriptionRow, "id" | "cycle" | "period_number" | "ended_at">,
): Promise<InvoiceRow[]> {
  const found = await run<{ row: unknown }>((sql) =>
    selectRows(
      sql,
      "invoices",
      sql`r.environment_id = ${environmentId}::uuid and r.subscription_id = ${period.id}::uuid
        and case when r.status = 'PAID' and (r.paid_at >= ${period.ended_at}::timestamptz
          or r.cycle = ${period.cycle}::int and r.period_number = ${period.period_number}::int) then true end`,
      sql`order by r.paid_at desc, r.id desc`,
    ),
  );
  return readRows(INVOICES, found);
}

export type ListFilter = {
  readonly status?: string | undefined;
  readonly planId?: string | undefined;
  readonly subscriptionId?: string | undefined;
  readonly customerId?: string | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
};
export type ListPage = { readonly limit: number; readonly offset: number; readonly after: string | null };

function matching(sql: Tag, environmentId: string, filter: ListFilter): Fragment {
  const parts = [sql`r.environment_id = ${environmentId}::uuid and r.event_sequence > 0`];
  if (filter.status !== undefined) parts.push(sql`and r.status = ${filter.status}`);
  if (filter.planId !== undefined) parts.push(sql`and r.plan_id = ${filter.planId}::uuid`);
  if (filter.subscriptionId !== undefined) parts.push(sql`and r.subscription_id = ${filter.subscriptionId}::uuid`);
  if (filter.customerId !== undefined) parts.push(sql`and r.customer_id = ${filter.customerId}`);
  if (filter.from !== undefined) parts.push(sql`and r.created_at >= ${filter.from.toISOString()}::timestamptz`);
  if (filter.until !== undefined) parts.push(sql`and r.created_at < ${filter.until.toISOString()}::timestamptz`);
  return parts.reduce((all, part) => sql`${all} ${part}`);
}

async function listRows(run: Run, table: string, environmentId: string, filter: ListFilter, page: ListPage) {
  return run<{ row: unknown }>((sql) =>
    selectRows(
      sql,
      table,
      page.after === null
        ? matching(sql, environmentId, filter)
        : sql`${matching(sql, environmentId, filter)} and r.id < ${page.after}::uuid`,
      sql`order by r.id desc limit ${page.limit}::int offset ${page.offset}::int`,
    ),
  );
}

/** A page of subscriptions, newest first. */
export async function listSubscriptions(run: Run, environmentId: string, filter: ListFilter, page: ListPage) {
  return readRows(SUBSCRIPTIONS, await listRows(run, "subscriptions", environmentId, filter, page));
}

/** A page of invoices, newest first. */
export async function listInvoices(run: Run, environmentId: string, filter: ListFilter, page: ListPage) {
  return readRows(INVOICES, await listRows(run, "invoices", environmentId, filter, page));
}

/** Number of matches, counted no further than `cap` + 1. */
export async function countMatches(
  run: Run,
  table: "subscriptions" | "invoices",
  environmentId: string,
  filter: ListFilter,
  cap: number,
): Promise<number> {
  const [row] = await run<{ count: number }>(
    (sql) => sql`select count(*)::integer as count from (
      select 1 from ${sql.raw(table)} r where ${matching(sql, environmentId, filter)} limit ${cap + 1}::int) matched`,
  );
  return row?.count ?? 0;
}

/**
 * Updates a row. Its `version` must be one above the stored one; throws if the row changed in the meantime.
 */
async function updateRow<Row extends { environment_id: string; id: string; version: number }>(
  run: Run,
  { name, changing }: Table<Row>,
  row: Row,
): Promise<void> {
  const written = await run(
    (sql) => sql`
      update ${sql.raw(name)} set (${sql.raw(changing)}) =
        (select ${sql.raw(changing)} from jsonb_populate_record(null::${sql.raw(name)}, ${JSON.stringify(row)}::text::jsonb))
      where environment_id = ${row.environment_id}::uuid and id = ${row.id}::uuid and version = ${row.version - 1}::int
      returning 1 as one`,
  );
  if (written.length !== 1) throw new Error(`a row of ${name} changed while it was locked`);
}

/** Selects a whole row to insert. */
export const rowToInsert = (sql: Tag, table: "subscriptions" | "invoices", row: object): Fragment =>
  sql`select r.* from jsonb_populate_record(null::${sql.raw(table)}, ${JSON.stringify(row)}::text::jsonb) r`;

export const updateSubscription = (run: Run, row: SubscriptionRow) => updateRow(run, SUBSCRIPTIONS, row);
export const updateInvoice = (run: Run, row: InvoiceRow) => updateRow(run, INVOICES, row);

export async function insertSubscription(run: Run, row: SubscriptionRow): Promise<void> {
  await run((sql) => sql`insert into subscriptions ${rowToInsert(sql, "subscriptions", row)} returning 1 as one`);
}

export async function insertInvoice(run: Run, row: InvoiceRow): Promise<void> {
  await run((sql) => sql`insert into invoices ${rowToInsert(sql, "invoices", row)} returning 1 as one`);
}

/** Removes the invoice of a declined first payment, and its subscription if new. No caller has seen them. */
export async function forgetUnpaid(
  run: Run,
  environmentId: string,
  { invoiceId, subscriptionId }: { invoiceId: string; subscriptionId: string | null },
): Promise<void> {
  await run(
    (sql) => sql`delete from invoices where environment_id = ${environmentId}::uuid and id = ${invoiceId}::uuid
      and status = 'DRAFT' returning 1 as one`,
  );
  if (subscriptionId === null) return;
  await run(
    (sql) => sql`with trials as (
        delete from subscription_trials
        where environment_id = ${environmentId}::uuid and subscription_id = ${subscriptionId}::uuid)
      delete from subscriptions where environment_id = ${environmentId}::uuid and id = ${subscriptionId}::uuid
        and event_sequence = 0 returning 1 as one`,
  );
}

/** Frees the trial of a subscription that never began. */
export async function forgetTrials(run: Run, environmentId: string, subscriptionId: string): Promise<void> {
  await run(
    (sql) => sql`delete from subscription_trials
      where environment_id = ${environmentId}::uuid and subscription_id = ${subscriptionId}::uuid returning 1 as one`,
  );
}

/** Gives invoices ascending numbers as they are issued, and the environment's tax at that moment. */
export type Issued = TaxColumns & { readonly firstNumber: number };

/** Takes `count` invoice numbers of an environment. The counter stays locked. */
export async function takeInvoiceNumbers(run: Run, environmentId: string, count: number): Promise<Issued> {
  const [row] = await run<TaxColumns & { last: number }>(
    (sql) => sql`
      with taken as (
        insert into invoice_counters as c (environment_id, last) values (${environmentId}::uuid, ${count}::int)
        on conflict (environment_id) do update set last = c.last + ${count}::int
        returning last
      )
      select taken.last, e.tax_name, e.tax_rate from taken cross join environments e where e.id = ${environmentId}::uuid`,
  );
  if (!row) throw new Error("an environment has no invoice counter");
  const { last, ...tax } = row;
  return { firstNumber: last - count + 1, ...tax };
}

/**
 * Records the trial of a customer, a card and an e-mail address. False: one of them already had a trial.
 * `keys`: hex digests.
 */
export async function claimTrial(
  run: Run,
  environmentId: string,
  { planId, subscriptionId, keys }: { planId: string; subscriptionId: string; keys: readonly string[] },
): Promise<boolean> {
  const made = await run(
    (sql) => sql`
      insert into subscription_trials (environment_id, plan_id, key, subscription_id)
      select ${environmentId}::uuid, ${planId}::uuid, decode(k, 'hex'), ${subscriptionId}::uuid
      from unnest(string_to_array(${keys.join()}, ',')) k
      order by k
      on conflict do nothing returning 1 as one`,
  );
  return made.length === keys.length;
}

/** True if any of these keys already had a trial of the plan. */
export async function hasUsedTrial(
  run: Run,
  environmentId: string,
  { planId, keys }: { planId: string; keys: readonly string[] },
): Promise<boolean> {
  const found = await run(
    (sql) => sql`
      select 1 as one from subscription_trials
      where environment_id = ${environmentId}::uuid and plan_id = ${planId}::uuid
        and key in (select decode(k, 'hex') from unnest(string_to_array(${keys.join()}, ',')) k)
      limit 1`,
  );
  return found.length > 0;
}

/**
 * Customer actions that payments in progress require, by subscription; "pay": an open invoice has no payment
 * in progress.
 */
export async function findNextActions(
  sql: Sql,
  environmentId: string,
  subscriptionIds: readonly string[],
): Promise<Map<string, NextAction | "pay">> {
  if (subscriptionIds.length === 0) return new Map();
  const rows = await sql<{ id: string; action: NextAction | null }[]>`
    select i.subscription_id as id, p.next_action as action
    from invoices i left join payments p on p.environment_id = i.environment_id and p.id = i.open_payment_id
    where i.environment_id = ${environmentId}::uuid and i.subscription_id = any(${subscriptionIds as never}::uuid[])
      and ((p.status = 'REQUIRES_ACTION' and p.next_action is not null)
        or (i.status = 'OPEN' and i.open_payment_id is null))`;
  // A challenge in progress comes before an unpaid invoice.
  const sorted = rows.toSorted((one, other) => Number(one.action !== null) - Number(other.action !== null));
  return new Map(sorted.map(({ id, action }) => [id, action ?? "pay"]));
}

/** True if a subscription that hasn't ended uses the card. Index: `subscriptions_payment_method`. */
export async function usesPaymentMethod(run: Run, environmentId: string, methodId: string): Promise<boolean> {
  const found = await run(
    (sql) => sql`
      select 1 as one from subscriptions
      where environment_id = ${environmentId}::uuid and payment_method_id = ${methodId}::uuid
        and case when status not in ('CANCELLED', 'EXPIRED') then true end
      limit 1`,
  );
  return found.length > 0;
}

/** The actor of a change; `requestId` is null for background work. */
export type By = { readonly actor: ActorRecord; readonly requestId: string | null };

/**
 * Writes events, which continue the rows' sequence numbers, queues their mails, and an entry of the audit log.
 */
export async function insertMoveEvents(
  run: Run,
  environmentId: string,
  events: readonly NumberedEvent[],
  { actor, requestId }: By,
): Promise<void> {
  const [first] = events;
  if (!first) return;
  await run(
    (sql) => sql`
      with given as (
        select * from jsonb_to_recordset(${JSON.stringify(events)}::text::jsonb)
          as e (id uuid, type text, operation_id uuid, object_id uuid, sequence int, data text, created_at timestamptz)
      ), written as (
        insert into events (environment_id, id, type, operation_id, object_id, sequence, data, created_at)
        select ${environmentId}::uuid, e.id, e.type, e.operation_id, e.object_id, e.sequence, e.data::json, e.created_at
        from given e
      ), mails as (
        ${queueMails(sql, environmentId, sql`select id, type from given`)}
      )
      insert into audit_log (environment_id, id, actor, action, object_id, request_id)
      values (${environmentId}::uuid, ${first.id}::uuid, ${JSON.stringify(actor)}::text::jsonb, ${first.type},
        ${first.object_id}::uuid, ${requestId}::uuid)
      returning 1 as one`,
  );
}
