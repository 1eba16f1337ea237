import type { Database } from "@/db/client";

/**
 * Settled charges of a few sizes, in bulk: enough for what must also work with very many rows. They are older than now by a
 * second each, newest first. Only for lists and exports: the books do not know them.
 */
export async function insertManyTransactions(db: Database, environmentId: string, count: number): Promise<void> {
  await db.long.begin(async (tx) => {
    // Their words would be a million rows more, which take minutes: nobody searches for these by word.
    await tx`set local session_replication_role = replica`;
    await tx`
    with numbered as (
      select i, date_trunc('milliseconds', now()) - i * interval '1 second' as at from generate_series(1, ${count}::int) i
    ), timed as (
      select i, at, lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as time from numbered
    ), made as (
      select i, at,
        (substr(time, 1, 8) || '-' || substr(time, 9, 4) || '-7' || substr(md5('p' || i || ${environmentId}::text), 1, 3) || '-8'
          || substr(md5('p' || i || ${environmentId}::text), 4, 3) || '-' || substr(md5(random()::text), 1, 12))::uuid as payment,
        (substr(time, 1, 8) || '-' || substr(time, 9, 4) || '-7' || substr(md5('t' || i || ${environmentId}::text), 1, 3) || '-8'
          || substr(md5('t' || i || ${environmentId}::text), 4, 3) || '-' || substr(md5(random()::text), 1, 12))::uuid as charge,
        100 + (i * 7919) % 90000 as amount
      from timed
    ), paid as (
      insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, amount_captured,
        capture_method, created_at, updated_at)
      select ${environmentId}::uuid, payment, charge, charge, 'SETTLED', 'USD', amount, amount, 'automatic', at, at from made
    )
    insert into transactions (environment_id, id, payment_id, type, status, amount, currency, card_brand, card_last4,
      customer_email, description, metadata, created_at, updated_at)
    select ${environmentId}::uuid, charge, payment, 'CHARGE', 'SETTLED', amount, 'USD',
      (array['visa', 'mastercard', 'amex'])[1 + i % 3], lpad((i % 10000)::text, 4, '0'),
      'customer' || i % 5000 || '@shop.example', 'Order ' || i, '{}', at, at from made`;
  });
}
