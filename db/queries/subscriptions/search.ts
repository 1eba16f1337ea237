import type { Sql } from "@/db/client";
import type { SubscriptionSort } from "@/lib/contract/subscriptions/list";
import type { SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";
import type { CardBrand } from "@/lib/contract/transactions/words";
import { type CursorPage, countRows, openWholeList, type RowList, readCursorPage } from "../cursor-page";
import { Parameters } from "../statement-text";
import { readSubscriptions } from "./rows";

type Times = { readonly gte?: Date; readonly lt?: Date };

/** The dashboard's filters. Ids are UUIDs, times half-open. */
export type SubscriptionSearch = {
  readonly statuses: readonly SubscriptionStatus[];
  readonly currencies: readonly string[];
  /** True if it is in its trial, or ended in it. */
  readonly stages: readonly ("trial" | "paid")[];
  readonly planId?: string | undefined;
  readonly customerId?: string | undefined;
  /** Part of the customer's id, e-mail address or name. */
  readonly words?: string | undefined;
  readonly id?: string | undefined;
  readonly created: Times;
  readonly ended: Times;
  readonly sort: { readonly field: SubscriptionSort; readonly order: "asc" | "desc" };
};

/** Subscriptions without a next invoice come last in either order. */
const nextAt = (order: "asc" | "desc") => (alias: string) =>
  `coalesce(case when ${alias}.status in ('TRIALING', 'ACTIVE', 'PAST_DUE') and not ${alias}.cancel_at_period_end
    then ${alias}.period_end_at end, '${order === "asc" ? "" : "-"}infinity'::timestamptz)`;

/**
 * Indexes: the primary key, `subscriptions_status`, `subscriptions_plan` and `subscriptions_customer`. By
 * next invoice, and for words, all of the environment's are read.
 */
function listOf(environmentId: string, search: SubscriptionSearch): RowList {
  const parameters = new Parameters();
  const where = ["r.event_sequence > 0"];
  const add = (value: string) => parameters.add(value);
  if (search.statuses.length > 0) where.push(`r.status ${parameters.oneOf(search.statuses)}`);
  if (search.currencies.length > 0) where.push(`r.currency ${parameters.oneOf(search.currencies)}`);
  if (search.stages.length === 1) where.push(`r.period_number ${search.stages[0] === "trial" ? "=" : ">"} 0`);
  if (search.planId !== undefined) where.push(`r.plan_id = ${add(search.planId)}::uuid`);
  if (search.customerId !== undefined) where.push(`r.customer_id = ${add(search.customerId)}`);
  if (search.id !== undefined) where.push(`r.id = ${add(search.id)}::uuid`);
  if (search.words !== undefined) {
    const part = `${add(search.words.toLowerCase())}::text`;
    where.push(`(strpos(lower(r.customer_id), ${part}) > 0 or strpos(lower(r.customer_email), ${part}) > 0
      or exists (select from customers c where c.environment_id = r.environment_id
        and c.id = customer_uuid(r.environment_id, r.customer_id, null) and strpos(lower(c.name), ${part}) > 0))`);
  }
  const within = (column: string, { gte, lt }: Times) => {
    if (gte) where.push(`r.${column} >= ${add(gte.toISOString())}::timestamptz`);
    if (lt) where.push(`r.${column} < ${add(lt.toISOString())}::timestamptz`);
  };
  within("created_at", search.created);
  within("ended_at", search.ended);
  const { field, order } = search.sort;
  const key =
    field === "created_at" ? null : field === "next_at" ? nextAt(order) : (alias: string) => `${alias}.${field}`;
  return { table: "subscriptions", environmentId, where, parameters, key, order };
}

export async function searchSubscriptions(
  sql: Sql,
  environmentId: string,
  search: SubscriptionSearch,
  page: CursorPage,
) {
  const { rows, ...more } = await readCursorPage(sql, listOf(environmentId, search), page);
  return { rows: readSubscriptions(rows), ...more };
}

export const countSubscriptions = (sql: Sql, environmentId: string, search: SubscriptionSearch, cap: number) =>
  countRows(sql, listOf(environmentId, search), cap);

export const openSubscriptionExport = (sql: Sql, environmentId: string, search: SubscriptionSearch) =>
  openWholeList(sql, listOf(environmentId, search));

/** Number of a plan's subscriptions by status. Index: `subscriptions_plan`. */
export async function countByStatus(
  sql: Sql,
  environmentId: string,
  planId: string,
): Promise<{ status: SubscriptionStatus; count: number }[]> {
  return sql<{ status: SubscriptionStatus; count: number }[]>`
    select status, count(*)::integer as count from subscriptions
    where environment_id = ${environmentId}::uuid and plan_id = ${planId}::uuid and event_sequence > 0
    group by status`;
}

export type ListedCard = { id: string; brand: CardBrand | null; last4: string | null };

/** Cards by id. */
export async function findCards(sql: Sql, environmentId: string, ids: readonly string[]): Promise<ListedCard[]> {
  if (ids.length === 0) return [];
  return sql<ListedCard[]>`
    select id, card_brand as brand, card_last4 as last4 from payment_methods
    where environment_id = ${environmentId}::uuid and id = any(${ids as never}::uuid[])`;
}

type UnpaidRow = {
  subscription_id: string;
  id: string;
  number: number | null;
  amount_due: number;
  attempts: number;
  next_attempt_at: string | null;
};

/** The oldest unpaid invoice of each subscription. Index: `invoices_subscription`. */
export async function findUnpaid(
  sql: Sql,
  environmentId: string,
  subscriptionIds: readonly string[],
): Promise<UnpaidRow[]> {
  if (subscriptionIds.length === 0) return [];
  return sql<UnpaidRow[]>`
    select distinct on (subscription_id) subscription_id, id, number, amount_due, attempts, next_attempt_at
    from invoices
    where environment_id = ${environmentId}::uuid and subscription_id = any(${subscriptionIds as never}::uuid[])
      and status = 'OPEN' and event_sequence > 0
    order by subscription_id, id`;
}
