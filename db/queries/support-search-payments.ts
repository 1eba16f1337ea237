import type { Sql } from "../client";
import { everywhere, type FoundRow, type Fragment } from "./support-search";

/** By primary key; what describes a payment is on its charge. */
export function findPayments(sql: Sql, id: string, limit: number): Promise<FoundRow[]> {
  return everywhere(
    sql,
    sql`select p.id::text, null::text as title, p.status::text, p.amount, p.currency, c.card_brand::text, c.card_last4,
        c.customer_email, p.id as payment_id, p.created_at as at
      from payments p
      join transactions c on c.environment_id = p.environment_id and c.id = p.charge_id
      where p.environment_id = e.id and p.id = ${id}::uuid`,
    limit,
  );
}

/**
 * The newest transactions anywhere. The ids come first, out of the index that serves `condition` in each environment, and
 * only what is left of them is read.
 */
function findTransactionsWhere(sql: Sql, condition: Fragment, limit: number): Promise<FoundRow[]> {
  return sql<FoundRow[]>`
    with hit as materialized (
      select e.id as environment_id, e.mode, e.merchant_id, h.id
      from environments e
      cross join lateral (
        select t.id from transactions t where t.environment_id = e.id and ${condition} order by t.id desc limit ${limit}::int
      ) h
      order by h.id desc
      limit ${limit}::int
    )
    select t.id::text, t.type::text as title, t.status::text, t.amount, t.currency, t.card_brand::text, t.card_last4, t.customer_email,
      t.payment_id, t.created_at as at, h.environment_id, h.mode, m.id as merchant_id, m.name as merchant_name
    from hit h
    join transactions t on t.environment_id = h.environment_id and t.id = h.id
    join merchants m on m.id = h.merchant_id
    order by t.id desc`;
}

export type TransactionClue =
  | { by: "id" | "subscription"; uuid: string }
  | { by: "email" | "last4" | "customer"; text: string }
  /** Minor units, in one of the currencies. */
  | { by: "amount"; minor: number; currencies: readonly string[] };

/** Index: primary key, transactions_subscription, _email, _last4, _customer or _amount. */
export function findTransactions(sql: Sql, clue: TransactionClue, limit: number): Promise<FoundRow[]> {
  return findTransactionsWhere(sql, conditionOf(sql, clue), limit);
}

function conditionOf(sql: Sql, clue: TransactionClue): Fragment {
  switch (clue.by) {
    case "id":
      return sql`t.id = ${clue.uuid}::uuid`;
    case "subscription":
      return sql`t.subscription_id = ${clue.uuid}::uuid`;
    case "email":
      return sql`t.customer_email_key = lower(${clue.text})`;
    case "last4":
      return sql`t.card_last4 = ${clue.text}`;
    case "customer":
      return sql`t.customer_id = ${clue.text}`;
    case "amount":
      return sql`t.amount = ${clue.minor}::bigint and t.currency = any(${[...clue.currencies]}::text[])`;
    default:
      return clue satisfies never;
  }
}
