import type { CustomerRow } from "@/db/schema/customers";
import type { CardBrand } from "@/lib/contract/transactions/words";
import { isoFromPostgres, type Sql } from "../client";
import { openPages, UNCAPPED } from "./export";
import { Parameters, runText } from "./statement-text";
import { beginsWith } from "./transactions/search-terms";

export type ShownCustomerRow = Omit<CustomerRow, "environment_id" | "words">;

/** By primary key. */
export async function findCustomer(sql: Sql, environmentId: string, id: string): Promise<ShownCustomerRow | null> {
  const rows = await sql<ShownCustomerRow[]>`
    select id, customer_id, email, name, first_payment_at, last_payment_at from customers where environment_id = ${environmentId} and id = ${id}`;
  return rows[0] ?? null;
}

type Identity = { readonly customer_id: string | null; readonly customer_email: string | null };

export type CustomerOf = { readonly id: string; readonly name: string | null };

/** The customer each payment or subscription belongs to, in order; null if not recorded yet. By primary key. */
export async function findCustomersOf(
  sql: Sql,
  environmentId: string,
  of: readonly Identity[],
): Promise<(CustomerOf | null)[]> {
  if (of.length === 0) return [];
  const asked = of.map(({ customer_id, customer_email }, n) => ({ n, customer_id, customer_email }));
  const rows = await sql<(CustomerOf & { n: number })[]>`
    select a.n, c.id, c.name
    from json_to_recordset(${JSON.stringify(asked)}::text::json) as a(n int, customer_id text, customer_email text)
    cross join lateral (
      select id, name from customers where environment_id = ${environmentId}::uuid
        and id = customer_uuid(${environmentId}::uuid, a.customer_id, lower(a.customer_email)) offset 0) c`;
  const found = new Map(rows.map(({ n, id, name }) => [n, { id, name }]));
  return of.map((_, n) => found.get(n) ?? null);
}

type CustomerPage = {
  readonly limit: number;
  readonly offset: number;
  readonly after: Pick<ShownCustomerRow, "id" | "last_payment_at"> | null;
};

/**
 * Customers by last payment, and their count up to `cap`. Index: `customers_latest`, in order. With search
 * terms, the rarest term's rows by the key of `customer_words`; if those exceed `cap`, a scan in order until
 * enough match.
 */
export async function listCustomers(
  sql: Sql,
  environmentId: string,
  q: string | undefined,
  { limit, offset, after }: CustomerPage,
  cap: number,
): Promise<{ rows: ShownCustomerRow[]; total: number }> {
  const ranked = q === undefined ? [] : await rankTerms(sql, environmentId, q, cap);
  const [rarest] = ranked;
  if (q !== undefined && rarest === undefined) return { rows: [], total: 0 };
  const parameters = new Parameters();
  const environment = parameters.add(environmentId);
  const has = ranked.map(
    ({ starts }) => `(${starts.map((start) => `strpos(words, ${parameters.add(` ${start}`)}) > 0`).join(" or ")})`,
  );
  const where = [`environment_id = ${environment}`, ...has].join(" and ");
  const from =
    rarest && rarest.found < cap
      ? `(select distinct customer from (${rangesText(parameters, environment, rarest.starts)}) ranges) found
      cross join lateral (select * from customers where id = found.customer and ${where} offset 0) customers`
      : `customers where ${where}`;
  const afterCondition = after
    ? `where (last_payment_at, id) < (${parameters.add(after.last_payment_at)}::timestamptz, ${parameters.add(after.id)}::uuid)`
    : "";
  const page = `select id, customer_id, email, name, first_payment_at, last_payment_at from (select customers.* from ${from}) customers ${afterCondition} order by last_payment_at desc, id desc limit ${limit} offset ${offset}`;
  const text = `
select c.total, p.*
from (select count(*)::int as total from (select from ${from} limit ${cap}) counted) c
left join (${page}) p on true order by p.last_payment_at desc, p.id desc`;
  const rows = await runText<ShownCustomerRow & { total: number }>(sql, { text, parameters, prepare: false });
  return { rows: rows[0]?.id ? rows : [], total: rows[0]?.total ?? 0 };
}

/** Counts once: a cap of 1 leaves the total out of the pages. */
export const openCustomerExport = (sql: Sql, environmentId: string, { q }: { q?: string | undefined }) =>
  openPages<ShownCustomerRow>(sql, {
    count: async (tx) =>
      (await listCustomers(tx, environmentId, q, { limit: 1, offset: 0, after: null }, UNCAPPED)).total,
    page: async (tx, after, limit) => (await listCustomers(tx, environmentId, q, { limit, offset: 0, after }, 1)).rows,
  });

/** Rows of all spellings of a term; a customer may appear several times. */
const rangesText = (parameters: Parameters, environment: string, starts: readonly string[]) =>
  starts
    .map(
      (start) =>
        `select customer from customer_words where environment_id = ${environment} and ${beginsWith(parameters, start)}`,
    )
    .join(" union all ");

/**
 * Search terms of a text, rarest first, with the number of rows of `customer_words` each matches, up to
 * `cap`.
 */
async function rankTerms(sql: Sql, environmentId: string, q: string, cap: number) {
  const words = await sql<{ starts: string[] }[]>`select to_json(starts) as starts from asked_words(${q})`;
  const parameters = new Parameters();
  const environment = parameters.add(environmentId);
  const counts = words.map(
    ({ starts }) => `(select count(*)::int from (${rangesText(parameters, environment, starts)} limit ${cap}) rows)`,
  );
  if (counts.length === 0) return [];
  const text = `select unnest(array[${counts.join(", ")}]) as found`;
  const rows = await runText<{ found: number }>(sql, { text, parameters, prepare: false });
  return words.map(({ starts }, i) => ({ starts, found: rows[i]?.found ?? 0 })).toSorted((a, b) => a.found - b.found);
}

export type CustomerFigures = {
  readonly customer: string;
  readonly currency: string;
  readonly payments: number;
  readonly declined: number;
  readonly captured: number;
  readonly refunded: number;
};

/**
 * Amounts of some customers by currency. Indexes: `payments_customer`; for customers known by e-mail only,
 * `transactions_email` and the payments' keys. Cost grows with their payments: 100,000 take a fraction of a
 * second.
 */
export async function readFigures(
  sql: Sql,
  environmentId: string,
  customers: readonly ShownCustomerRow[],
): Promise<CustomerFigures[]> {
  return sql<CustomerFigures[]>`
    select c.id as customer, f.currency, f.payments::float8, f.declined::float8, f.captured::float8, f.refunded::float8
    from customers c cross join lateral (
      select p.currency, count(*) as payments, count(*) filter (where p.status = 'DECLINED') as declined,
        sum(p.amount_captured) as captured, sum(p.amount_refunded) as refunded
      from (
        select currency, status, amount_captured, amount_refunded from payments
        where c.customer_id is not null and environment_id = ${environmentId} and customer_id = c.customer_id
        union all
        select p.currency, p.status, p.amount_captured, p.amount_refunded from transactions t
        cross join lateral (
          select * from payments where environment_id = ${environmentId} and id = t.payment_id offset 0) p
        where c.customer_id is null and t.environment_id = ${environmentId} and t.customer_email_key = c.email
          and t.customer_id is null and t.type = 'CHARGE'
        offset 0
      ) p group by p.currency
    ) f
    where c.environment_id = ${environmentId} and c.id = any(${customers.map(({ id }) => id)}::uuid[])
    order by f.captured desc, f.currency`;
}

export type CustomerCard = {
  readonly customer: string;
  readonly brand: CardBrand | null;
  readonly last4: string;
  readonly exp_month: number | null;
  readonly exp_year: number | null;
  readonly last_used_at: string;
};

/**
 * Cards of some customers' last charges, latest first. Indexes: `transactions_customer`,
 * `transactions_email`.
 */
export async function readCards(
  sql: Sql,
  environmentId: string,
  customers: readonly ShownCustomerRow[],
  { charges, cards }: { charges: number; cards: number },
): Promise<CustomerCard[]> {
  const rows = await sql<CustomerCard[]>`
    select c.id as customer, k.* from customers c cross join lateral (
      select card_brand as brand, card_last4 as last4, card_exp_month as exp_month, card_exp_year as exp_year,
        max(created_at) as last_used_at
      from (
        (select * from transactions
        where c.customer_id is not null and environment_id = ${environmentId} and customer_id = c.customer_id
        order by id desc limit ${charges})
        union all
        (select * from transactions
        where c.customer_id is null and environment_id = ${environmentId} and customer_email_key = c.email and customer_id is null
        order by id desc limit ${charges})
      ) latest
      where type = 'CHARGE' and card_last4 is not null
      group by 1, 2, 3, 4 order by last_used_at desc limit ${cards}
    ) k
    where c.environment_id = ${environmentId} and c.id = any(${customers.map(({ id }) => id)}::uuid[])
    order by k.last_used_at desc`;
  return rows.map((row) => ({ ...row, last_used_at: isoFromPostgres(row.last_used_at) }));
}

/**
 * Assigns up to `limit` queued charges and subscriptions to customers; a first one creates the customer. A
 * subscription has the name from the form that stored its card, because a trial has no charge yet. Known
 * customers come first, then new ones, in key order, so that two instances never deadlock. Known ones are
 * updated, since an INSERT would compute search terms for nothing. Returns the number of queued rows.
 */
export async function noteCustomers(sql: Sql, limit: number): Promise<number> {
  const [row] = await sql<[{ noted: number }]>`
    with due as materialized (
      delete from customers_due where ctid = any(array(select ctid from customers_due limit ${limit} for update skip locked))
      returning environment_id, transaction_id
    ),
    sources as (
      select t.environment_id, customer_uuid(t.environment_id, t.customer_id, t.customer_email_key) as customer, t.customer_id,
        t.customer_email_key as email, t.customer_name as name, t.created_at, t.id, true as is_payment
      from due cross join lateral (
        select * from transactions where environment_id = due.environment_id and id = due.transaction_id offset 0) t
      union all
      select s.environment_id, customer_uuid(s.environment_id, s.customer_id, null), s.customer_id,
        lower(s.customer_email), (
          select f.customer_name from payment_methods m
          join client_sessions f on f.environment_id = m.environment_id and f.id = m.client_session_id
          where m.environment_id = s.environment_id and m.id = s.payment_method_id limit 1),
        s.created_at, s.id, false
      from due cross join lateral (
        select * from subscriptions where environment_id = due.environment_id and id = due.transaction_id offset 0) s
    ),
    seen as (
      select environment_id, customer, customer_id,
        (array_agg(email order by id desc) filter (where email is not null))[1] as email,
        (array_agg(name order by id desc) filter (where name is not null))[1] as name,
        max(created_at) as at,
        min(created_at) filter (where is_payment) as first, max(created_at) filter (where is_payment) as last
      from sources group by 1, 2, 3 order by 1, 2
    ),
    known as materialized (
      select s.* from seen s cross join lateral (
        select from customers where environment_id = s.environment_id and id = s.customer for update) c
    ),
    changed as (
      update customers c set
        email = case when s.at >= c.last_payment_at then coalesce(s.email, c.email) else coalesce(c.email, s.email) end,
        name = case when s.at >= c.last_payment_at then coalesce(s.name, c.name) else coalesce(c.name, s.name) end,
        first_payment_at = least(c.first_payment_at, s.first),
        last_payment_at = coalesce(
          greatest(case when c.first_payment_at is not null then c.last_payment_at end, s.last), c.last_payment_at)
      from known s where c.environment_id = s.environment_id and c.id = s.customer
    ),
    noted as (
      insert into customers as c (environment_id, id, customer_id, email, name, words, first_payment_at, last_payment_at)
      select environment_id, customer, customer_id, email, name, '', first, coalesce(last, at) from seen
      where customer not in (select customer from known)
      -- Another instance has just inserted it.
      on conflict (environment_id, id) do update set
        email = case when excluded.last_payment_at >= c.last_payment_at then coalesce(excluded.email, c.email)
          else coalesce(c.email, excluded.email) end,
        name = case when excluded.last_payment_at >= c.last_payment_at then coalesce(excluded.name, c.name)
          else coalesce(c.name, excluded.name) end,
        first_payment_at = least(c.first_payment_at, excluded.first_payment_at),
        last_payment_at = coalesce(
          greatest(case when c.first_payment_at is not null then c.last_payment_at end,
            case when excluded.first_payment_at is not null then excluded.last_payment_at end),
          c.last_payment_at)
    )
    select count(*)::int as noted from due`;
  return row.noted;
}
