import type { Sql } from "@/db/client";
import type { InvoiceSort } from "@/lib/contract/invoices/list";
import type { InvoiceKind, InvoiceStatus } from "@/lib/contract/subscriptions/statuses";
import { type CursorPage, openWholeList, type RowList, readCursorPage } from "../cursor-page";
import { Parameters } from "../statement-text";
import { readInvoices } from "../subscriptions/rows";

type Times = { readonly gte?: Date; readonly lt?: Date };

/** The dashboard's filters. Ids are UUIDs, times half-open. */
export type InvoiceSearch = {
  readonly statuses: readonly InvoiceStatus[];
  readonly kinds: readonly InvoiceKind[];
  readonly currencies: readonly string[];
  /** Only OPEN ones that could not be charged so far, or that no attempt is planned for. */
  readonly payments: readonly ("failed" | "waiting")[];
  readonly subscriptionId?: string | undefined;
  readonly customerId?: string | undefined;
  /** Part of the customer's id, e-mail address or name. */
  readonly words?: string | undefined;
  readonly number?: number | undefined;
  readonly id?: string | undefined;
  readonly created: Times;
  readonly sort: { readonly field: InvoiceSort; readonly order: "asc" | "desc" };
};

/**
 * Condition of an OPEN invoice `r` that could not be charged so far. An attempt in progress doesn't end it.
 */
export const PAYMENT_FAILED_WHERE = `r.status = 'OPEN' and case when r.open_payment_id is null
  then r.attempts > 0 or r.next_attempt_at is null else r.attempts > 1 end`;

/** Condition of an invoice `r` that only another card, a payment by hand or a resumption pays. */
export const WAITING_WHERE = "r.status = 'OPEN' and r.open_payment_id is null and r.next_attempt_at is null";

/**
 * Indexes: the primary key, `invoices_status`, `invoices_subscription`, `invoices_customer` and
 * `invoices_number`. For words, the environment's subscriptions are read; by amount, all of its invoices.
 */
function listOf(environmentId: string, search: InvoiceSearch): RowList {
  const parameters = new Parameters();
  const where = ["r.event_sequence > 0"];
  const add = (value: string | number) => parameters.add(value);
  if (search.statuses.length > 0) where.push(`r.status ${parameters.oneOf(search.statuses)}`);
  if (search.kinds.length > 0) where.push(`r.kind ${parameters.oneOf(search.kinds)}`);
  if (search.currencies.length > 0) where.push(`r.currency ${parameters.oneOf(search.currencies)}`);
  if (search.payments.length > 0) {
    const of = { failed: PAYMENT_FAILED_WHERE, waiting: WAITING_WHERE };
    where.push(`(${search.payments.map((payment) => `(${of[payment]})`).join(" or ")})`);
  }
  if (search.subscriptionId !== undefined) where.push(`r.subscription_id = ${add(search.subscriptionId)}::uuid`);
  if (search.customerId !== undefined) where.push(`r.customer_id = ${add(search.customerId)}`);
  if (search.id !== undefined) where.push(`r.id = ${add(search.id)}::uuid`);
  const terms: string[] = [];
  if (search.number !== undefined) terms.push(`r.number = ${add(search.number)}::int`);
  if (search.words !== undefined) {
    const part = `${add(search.words.toLowerCase())}::text`;
    terms.push(`r.subscription_id in (select s.id from subscriptions s where s.environment_id = ${add(environmentId)}::uuid
      and (strpos(lower(s.customer_id), ${part}) > 0 or strpos(lower(s.customer_email), ${part}) > 0
      or exists (select from customers c where c.environment_id = s.environment_id
        and c.id = customer_uuid(s.environment_id, s.customer_id, null) and strpos(lower(c.name), ${part}) > 0)))`);
  }
  if (terms.length > 0) where.push(`(${terms.join(" or ")})`);
  const { gte, lt } = search.created;
  if (gte) where.push(`r.created_at >= ${add(gte.toISOString())}::timestamptz`);
  if (lt) where.push(`r.created_at < ${add(lt.toISOString())}::timestamptz`);
  const { field, order } = search.sort;
  const key =
    field === "created_at"
      ? null
      : field === "amount_due"
        ? // Amounts of different currencies can't be compared.
          (alias: string) => `row(${alias}.currency, ${alias}.amount_due)`
        : (alias: string) => `${alias}.${field}`;
  return { table: "invoices", environmentId, where, parameters, key, order };
}

export async function searchInvoices(sql: Sql, environmentId: string, search: InvoiceSearch, page: CursorPage) {
  const { rows, ...more } = await readCursorPage(sql, listOf(environmentId, search), page);
  return { rows: readInvoices(rows), ...more };
}

export type InvoiceSums = { currency: string; count: number; due: number; paid: number; open: number }[];

/**
 * Amounts by currency of the first `cap` + 1 invoices, in no particular order; `open`: what OPEN ones are
 * due.
 */
export async function sumInvoices(
  sql: Sql,
  environmentId: string,
  search: InvoiceSearch,
  cap: number,
): Promise<InvoiceSums> {
  const { parameters, where } = listOf(environmentId, search);
  const conditions = [`r.environment_id = ${parameters.add(environmentId)}::uuid`, ...where].join(" and ");
  return sql.unsafe<InvoiceSums>(
    `select currency, count(*)::int as count,
        coalesce(sum(amount_due) filter (where status in ('OPEN', 'PAID')), 0)::float8 as due,
        sum(amount_paid)::float8 as paid,
        coalesce(sum(amount_due) filter (where status = 'OPEN'), 0)::float8 as open
      from (select currency, status, amount_due, amount_paid from invoices r where ${conditions} limit ${cap + 1}) matched
      group by currency order by count(*) desc, currency`,
    parameters.values,
    { prepare: false },
  );
}

export const openInvoiceExport = (sql: Sql, environmentId: string, search: InvoiceSearch) =>
  openWholeList(sql, listOf(environmentId, search));

export type BilledRow = { id: string; customer_email: string | null; plan_name: string };

/** Customers and plans of subscriptions. By primary key. */
export async function findBilled(sql: Sql, environmentId: string, ids: readonly string[]): Promise<BilledRow[]> {
  if (ids.length === 0) return [];
  return sql<BilledRow[]>`
    select id, customer_email, plan ->> 'name' as plan_name from subscriptions
    where environment_id = ${environmentId}::uuid and id = any(${ids as never}::uuid[])`;
}
