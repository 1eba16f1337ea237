import type { Sql } from "@/db/client";

export type SeedOptions = {
  transactions: number;
  merchants: number;
  /** Also creates search terms, ten rows per transaction, and customers: everything that jobs would add later. */
  words?: boolean;
};
export type SeedEnvironment = { id: string; merchantId: string };

const environmentOf = (index: number) => `0198c000-0000-7000-8000-${String(index).padStart(12, "0")}`;
const merchantOf = (index: number) => `0198c000-0000-7000-9000-${String(index).padStart(12, "0")}`;

/**
 * Fills an empty, migrated database with two years of many shops: every eighth transaction is a refund, and
 * half of everything belongs to the first merchant. The same options give the same rows, except for the end
 * of the period. Without transactions, tables are never analyzed.
 */
export async function seed(sql: Sql, options: SeedOptions): Promise<SeedEnvironment[]> {
  const environments = Array.from({ length: options.merchants }, (_, index) => ({
    id: environmentOf(index),
    merchantId: merchantOf(index),
  }));
  await sql`insert into merchants (id, name) select * from unnest(${environments.map((e) => e.merchantId)}::uuid[], ${environments.map((_, i) => `Shop ${i + 1}`)}::text[])`;
  await sql`
    insert into environments (id, merchant_id, mode, fee_basis_points)
    select id, merchant_id, 'test', 290 from unnest(${environments.map((e) => e.id)}::uuid[], ${environments.map((e) => e.merchantId)}::uuid[]) e (id, merchant_id)`;
  if (options.transactions === 0) return environments;
  await sql.begin(async (transaction) => {
    // Bulk load: foreign keys hold by construction, and indexes are built in one pass afterwards.
    await transaction`set local session_replication_role = replica`;
    await transaction`set local maintenance_work_mem = '256MB'`;
    const indexes = await transaction<{ name: string; definition: string }[]>`
      select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid in ('payments'::regclass, 'transactions'::regclass) and not indisunique`;
    for (const index of indexes) await transaction.unsafe(`drop index ${index.name}`);
    const charges = Math.round((options.transactions * 7) / 8);
    await transaction.unsafe(chargesSql(charges, options.merchants));
    await transaction.unsafe(PAYMENTS_SQL);
    await transaction.unsafe(refundsSql(options.transactions - charges));
    for (const index of indexes) await transaction.unsafe(index.definition);
  });
  if (options.words) {
    await sql.unsafe(WORDS_SQL);
    await sql.unsafe(CUSTOMERS_SQL);
    for (const table of ["transaction_words", "transaction_texts", "customers", "customer_words"])
      await sql.unsafe(`vacuum (analyze) ${table}`);
  }
  await sql`vacuum (analyze) transactions`;
  await sql`vacuum (analyze) payments`;
  return environments;
}

/** The rows that the trigger writes. */
const WORDS_SQL = `
  with found as materialized (select environment_id, id, search_words_of(t) as words from transactions t),
  texts as (
    insert into transaction_texts (environment_id, transaction_id, words)
    select environment_id, id, ' ' || array_to_string(words, ' ') || ' ' from found
  )
  insert into transaction_words (environment_id, day, word, transaction_id)
  select environment_id, day_of(id), word, id from found, unnest(words) word`;

/** The rows that the job derives from them. */
const CUSTOMERS_SQL = `
  insert into customers (environment_id, id, customer_id, email, name, words, first_payment_at, last_payment_at)
  select environment_id, customer_uuid(environment_id, customer_id, customer_email_key), customer_id,
    (array_agg(customer_email_key order by id desc) filter (where customer_email_key is not null))[1],
    (array_agg(customer_name order by id desc) filter (where customer_name is not null))[1],
    '', min(created_at), max(created_at)
  from transactions where type = 'CHARGE' and coalesce(customer_id, customer_email) is not null
  group by 1, 2, 3`;

/** Uniform in [0, 1), the same for the same row and salt. */
const random = (salt: number, row = "i") => `((hashint8extended(${row}, ${salt}) & 1048575) / 1048576.0)`;
/** A UUIDv7 from a timestamptz(3). `salt` keeps the kinds of ids apart. */
const uuid = (time: string, salt: string) =>
  `(lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0') || '7' || substr(md5(i || '${salt}'), 1, 3) || '8' || substr(md5(i || '${salt}'), 4, 15))::uuid`;

function chargesSql(count: number, merchants: number): string {
  return `
    insert into transactions (environment_id, id, payment_id, type, status, amount, currency, customer_id, customer_email,
      customer_name, billing_address, card_brand, card_last4, card_exp_month, card_exp_year, card_bin,
      avs_result, cvv_result, fraud_score, decline_code, subscription_id, description, metadata,
      authorized_at, captured_at, settled_at, voided_at, refunded_at, created_at, updated_at)
    select ('0198c000-0000-7000-8000-' || lpad(m::text, 12, '0'))::uuid, ${uuid("t", "txn")}, ${uuid("t", "pay")}, 'CHARGE', s,
      a, case when ${random(1)} < 0.8 then 'USD' else 'EUR' end,
      case when ${random(2)} < 0.9 then 'cus_' || m || '_' || c end, 'Customer' || c || '@shop' || m || '.example',
      'Customer ' || c,
      jsonb_build_object('line1', (1 + c % 900) || ' Main Street', 'line2', null, 'city', 'Springfield', 'state', 'IL',
        'postal_code', lpad((c % 99999)::text, 5, '0'), 'country', 'US'),
      b, lpad(((c * 7919) % 10000)::text, 4, '0'), 1 + c % 12, 2028 + c % 5, '411111', 'Y', 'M',
      (power(${random(3)}, 3) * 60)::int, case when s = 'DECLINED' then 'insufficient_funds' end,
      case when ${random(4)} < 0.15 then ('0198c000-0000-7000-a000-' || lpad((m * 1000000 + c)::text, 12, '0'))::uuid end,
      case when ${random(5)} < 0.5 then 'Order ' || i end, jsonb_build_object('order_id', 'ord-' || i),
      case when s not in ('DECLINED', 'FAILED', 'PENDING') then t + interval '300 ms' end,
      case when s in ('CAPTURED', 'SETTLED', 'REFUNDED', 'PARTIALLY_REFUNDED') then t + interval '300 ms' end,
      case when s in ('SETTLED', 'REFUNDED', 'PARTIALLY_REFUNDED') then t + interval '1 day' end,
      case when s = 'VOIDED' then t + interval '2 days' end,
      case when s in ('REFUNDED', 'PARTIALLY_REFUNDED') then t + interval '3 days' end, t, t + interval '300 ms'
    from (
      select i, m, t, (power(${random(6)}, 2) * greatest(20, ${count} / case when m = 0 then 20 else 200 end))::int as c,
        (array[999, 1999, 2999, 4900, 9900])[1 + (${random(7)} * 5)::int % 5] * (${random(8)} < 0.3)::int
          + (exp(7.9 + 1.1 * sqrt(-2 * ln(1 - ${random(9)})) * cos(6.2831853 * ${random(10)})))::bigint
            * (${random(8)} >= 0.3)::int + 50 as a,
        case when b < 0.55 then 'visa' when b < 0.85 then 'mastercard' when b < 0.95 then 'amex' else 'discover' end as b,
        case when s < 0.60 then 'SETTLED' when s < 0.69 then 'CAPTURED' when s < 0.73 then 'AUTHORIZED'
          when s < 0.77 then 'VOIDED' when s < 0.86 then 'DECLINED' when s < 0.88 then 'FAILED'
          when s < 0.94 then 'REFUNDED' when s < 0.999 then 'PARTIALLY_REFUNDED' else 'PENDING' end as s
      from (
        select i, case when i % 2 = 0 then 0 else 1 + (${random(11)} * ${merchants - 1})::int % ${merchants - 1} end as m,
          (date_trunc('day', now()) - interval '730 days' + interval '730 days' * (i::float8 / ${count}))::timestamptz(3) as t,
          ${random(12)} as b, ${random(13)} as s
        from generate_series(1, ${count}::bigint) i) chosen) r`;
}

const PAYMENTS_SQL = `
  insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, capture_method,
    amount_captured, amount_refunded, capture_before, customer_id, created_at, updated_at)
  select environment_id, payment_id, id, id, status, currency, amount,
    case when status in ('AUTHORIZED', 'VOIDED') then 'manual' else 'automatic' end,
    case when captured_at is null then 0 else amount end,
    case status when 'REFUNDED' then amount when 'PARTIALLY_REFUNDED' then amount / 2 else 0 end,
    case when status = 'AUTHORIZED' then created_at + interval '7 days' end, customer_id, created_at, updated_at
  from transactions`;

/** Refunds of charges in a refunded status, in passes until there are enough. */
function refundsSql(count: number): string {
  return `
    insert into transactions (environment_id, id, payment_id, type, status, amount, currency, customer_id, customer_email,
      customer_name, billing_address, card_brand, card_last4, card_exp_month, card_exp_year, card_bin,
      subscription_id, refund_of, refund_reason, description, metadata, captured_at, settled_at, created_at, updated_at)
    select environment_id, ${uuid("t", "ref")}, payment_id, 'REFUND', 'SETTLED', greatest(1, amount / 2), currency, customer_id,
      customer_email, customer_name, billing_address, card_brand, card_last4, card_exp_month, card_exp_year, card_bin,
      subscription_id, id, 'CUSTOMER_REQUEST', description, '{}', t, t + interval '1 day', t, t
    from (
      select *, row_number() over (order by turn, id) as i, least(created_at + interval '3 days', now())::timestamptz(3) as t
      from transactions, generate_series(1, 2) turn where status in ('REFUNDED', 'PARTIALLY_REFUNDED')
      order by turn, id limit ${count}) r`;
}
