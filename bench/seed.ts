import type { Sql } from "@/db/client";
import { chargesSql, random, uuidAt } from "@/e2e/fixtures/many-rows";

export type SeedOptions = { transactions: number; merchants: number; say?: (line: string) => void };

/** Connections that `seed` needs; a statement that waits longer than a few seconds for one is refused. */
export const SEED_CONNECTIONS = 3;
/** Rows per statement: bounds the memory and temporary files that one takes. */
const CHUNK = 500_000;
/** The same, in pages of transactions. */
const CHUNK_PAGES = 20_000;
export type SeedEnvironment = { id: string; merchantId: string };

const environmentOf = (index: number) => `0198c000-0000-7000-8000-${String(index).padStart(12, "0")}`;
const merchantOf = (index: number) => `0198c000-0000-7000-9000-${String(index).padStart(12, "0")}`;

/**
 * Fills an empty, migrated database with two years of many shops: every eighth transaction is a refund, and
 * half of everything belongs to the first merchant. Includes search terms, ten rows per transaction, and
 * customers, which jobs would add later. The same options give the same rows, except for the end of the
 * period.
 */
export async function seed(sql: Sql, options: SeedOptions): Promise<SeedEnvironment[]> {
  const { say = () => {} } = options;
  const environments = Array.from({ length: options.merchants }, (_, index) => ({
    id: environmentOf(index),
    merchantId: merchantOf(index),
  }));
  await sql`insert into merchants (id, name) select * from unnest(${environments.map((e) => e.merchantId)}::uuid[], ${environments.map((_, i) => `Shop ${i + 1}`)}::text[])`;
  await sql`
    insert into environments (id, merchant_id, mode, fee_basis_points)
    select id, merchant_id, 'test', 290 from unnest(${environments.map((e) => e.id)}::uuid[], ${environments.map((e) => e.merchantId)}::uuid[]) e (id, merchant_id)`;
  // Bulk load: foreign keys hold by construction, and indexes and keys are built in one pass afterwards.
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid in ('payments'::regclass, 'transactions'::regclass) and not indisunique`;
  const keys = await sql<{ table: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid in ('transaction_words'::regclass, 'transaction_texts'::regclass) and contype = 'p'`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  for (const { table, name } of keys) await sql.unsafe(`alter table ${table} drop constraint ${name}`);

  const charges = Math.round((options.transactions * 7) / 8);
  const chunks = rangesOf(1, charges + 1, CHUNK);
  await runAll(
    sql,
    chunks.map((range) => chargesSql(charges, chosen({ ...range, count: charges }, options.merchants))),
  );
  say("charges");
  await runAll(sql, [refundsSql(options.transactions - charges)]);
  say("refunds");
  await runAll(
    sql,
    indexes.map(({ definition }) => definition),
  );
  say("indexes");
  const [{ pages }] = await sql<[{ pages: number }]>`
    select (pg_relation_size('transactions') / current_setting('block_size')::int)::int as pages`;
  await runAll(sql, rangesOf(0, pages, CHUNK_PAGES).map(wordsSql));
  await runAll(
    sql,
    keys.map(({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`),
  );
  say("search terms");
  for (const { id } of environments) await sql.unsafe(customersSql(id));
  say("customers");
  for (const table of SEEDED) await sql.unsafe(`vacuum (analyze) ${table}`);
  return environments;
}

const SEEDED = ["transaction_words", "transaction_texts", "customers", "customer_words", "transactions", "payments"];

type Range = { from: number; before: number };

const rangesOf = (first: number, end: number, size: number): Range[] =>
  Array.from({ length: Math.ceil((end - first) / size) }, (_, index) => ({
    from: first + index * size,
    before: Math.min(end, first + (index + 1) * size),
  }));

/** Each in a transaction of its own, without triggers, over several connections. */
async function runAll(sql: Sql, statements: readonly string[]): Promise<void> {
  const left = statements.toReversed();
  const work = async () => {
    for (let statement = left.pop(); statement !== undefined; statement = left.pop()) {
      const text = statement;
      await sql.begin(async (transaction) => {
        await transaction`set local session_replication_role = replica`;
        await transaction`set local maintenance_work_mem = '512MB'`;
        await transaction.unsafe(text);
      });
    }
  };
  await Promise.all(Array.from({ length: SEED_CONNECTIONS }, work));
}

/**
 * The rows that the trigger writes. `search_words_of` would take ten times as long; a test compares its terms of
 * these texts.
 */
const wordsSql = ({ from, before }: Range) => `
  with found as materialized (
    select t.environment_id, t.id, array_remove(array['customer', c, email, split_part(email, '@', 2), 'example',
      t.customer_id, substr(t.customer_id, 5), case when t.description is not null then 'order' end,
      case when n <> c then n end, case when t.metadata <> '{}' then 'ord' || n end,
      '=' || amount_word(t.amount, t.currency), '#' || t.card_last4], null) as words
    from transactions t cross join lateral (
      select substr(t.customer_name, 10) as c, lower(t.customer_email) as email,
        coalesce(substr(t.metadata ->> 'order_id', 5), substr(t.description, 7)) as n) parts
    where t.ctid >= '(${from},0)' and t.ctid < '(${before},0)'
  ), texts as (
    insert into transaction_texts (environment_id, transaction_id, words)
    select environment_id, id, ' ' || array_to_string(words, ' ') || ' ' from found
  )
  insert into transaction_words (environment_id, day, word, transaction_id)
  select environment_id, day_of(id), word, id from found, unnest(words) word`;

/** The rows that the job derives from them. */
const customersSql = (environmentId: string) => `
  insert into customers (environment_id, id, customer_id, email, name, words, first_payment_at, last_payment_at)
  select environment_id, customer_uuid(environment_id, customer_id, customer_email_key), customer_id,
    (array_agg(customer_email_key order by id desc) filter (where customer_email_key is not null))[1],
    (array_agg(customer_name order by id desc) filter (where customer_name is not null))[1],
    '', min(created_at), max(created_at)
  from transactions where environment_id = '${environmentId}' and type = 'CHARGE' and coalesce(customer_id, customer_email) is not null
  group by 1, 2, 3`;

/** Two years of charges, half of them of the first merchant. */
const chosen = ({ from, before, count }: Range & { count: number }, merchants: number) => `
  select i, m, ('0198c000-0000-7000-8000-' || lpad(m::text, 12, '0'))::uuid as environment_id, t,
    case when s < 0.60 then 'SETTLED' when s < 0.69 then 'CAPTURED' when s < 0.73 and t > now() - interval '7 days' then 'AUTHORIZED'
      when s < 0.77 then 'VOIDED' when s < 0.86 then 'DECLINED' when s < 0.88 then 'FAILED'
      when s < 0.94 then 'REFUNDED' when s < 0.999 then 'PARTIALLY_REFUNDED' else 'PENDING' end as s
  from (
    select i, case when i % 2 = 0 then 0 else 1 + (${random(11)} * ${merchants - 1})::int % ${merchants - 1} end as m,
      (date_trunc('day', now()) - interval '730 days' + interval '730 days' * (i::float8 / ${count}))::timestamptz(3) as t,
      ${random(13)} as s
    from generate_series(${from}::bigint, ${before - 1}::bigint) i) numbered`;

/** Refunds of charges in a refunded status, in passes until there are enough. */
function refundsSql(count: number): string {
  return `
    insert into transactions (environment_id, id, payment_id, type, status, amount, currency, customer_id, customer_email,
      customer_name, billing_address, card_brand, card_last4, card_exp_month, card_exp_year, card_bin,
      subscription_id, refund_of, refund_reason, description, metadata, captured_at, settled_at, created_at, updated_at)
    select environment_id, ${uuidAt("t", "i || 'ref'")}, payment_id, 'REFUND', 'SETTLED', greatest(1, amount / 2), currency, customer_id,
      customer_email, customer_name, billing_address, card_brand, card_last4, card_exp_month, card_exp_year, card_bin,
      subscription_id, id, 'CUSTOMER_REQUEST', description, '{}', t, t + interval '1 day', t, t
    from (
      select *, row_number() over (order by turn, id) as i, least(created_at + interval '3 days', now())::timestamptz(3) as t
      from transactions, generate_series(1, 2) turn where status in ('REFUNDED', 'PARTIALLY_REFUNDED')
      order by turn, id limit ${count}) r`;
}
