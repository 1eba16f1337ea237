import { type Sql, withLimit } from "@/db/client";
import type { SortField } from "@/lib/contract/transactions/words";
import { Parameters } from "../statement-text";
import { conditions, ordering, type TransactionFilter } from "../transactions/page";
import { foundText, parseTerms } from "../transactions/search-terms";
import type { FoundRow } from "./search";

export type EverywhereFilter = Omit<TransactionFilter, "q"> & {
  /** Search terms as typed. */
  readonly q?: string | undefined;
  /** Charges with at least two successful refunds. */
  readonly refundedAgain: boolean;
};

type EverywherePage = {
  readonly sort: SortField;
  readonly order: "asc" | "desc";
  readonly offset: number;
  readonly limit: number;
};

const REFUNDED_AGAIN = `status in ('PARTIALLY_REFUNDED', 'REFUNDED') and (
  select count(*) from transactions refunds
  where refunds.environment_id = transactions.environment_id and refunds.payment_id = transactions.payment_id
    and refunds.type = 'REFUND' and refunds.status in ('CAPTURED', 'SETTLED')) > 1`;

/** Matches of the filter in environment `e`, in page order, by an index of that environment. */
function inEnvironmentText(parameters: Parameters, filter: EverywhereFilter, page: EverywherePage, found: string) {
  const { q: _, refundedAgain, ...others } = filter;
  const where = `${conditions(parameters, "e.id", others)}${refundedAgain ? ` and ${REFUNDED_AGAIN}` : ""}`;
  const end = `limit ${page.offset + page.limit}`;
  if (found === "")
    return `select id, currency, amount, status from transactions where ${where} order by ${ordering(page)} ${end}`;
  // Search terms yield time order; any other sort must read all matches.
  const order = page.sort === "created_at" ? "" : `order by ${ordering(page, "hit.")}`;
  return `select hit.id, hit.currency, hit.amount, hit.status from ${found} cross join lateral (
    select id, currency, amount, status from transactions where id = found.id and ${where} offset 0) hit ${order} ${end}`;
}

/**
 * Transactions of all environments, searched one after the other by existing indexes, so the money path needs
 * none for this. Throws 57014 (query_canceled) if that takes longer than `limitMs`.
 */
export function searchTransactionsEverywhere(
  sql: Sql,
  filter: EverywhereFilter,
  page: EverywherePage,
  limitMs: number,
): Promise<FoundRow[]> {
  return withLimit(sql, limitMs, async (tx) => {
    const parameters = new Parameters();
    const words = filter.q === undefined ? [] : await parseTerms(tx as unknown as Sql, filter.q);
    const wordOrder = page.sort === "created_at" ? page.order : "desc";
    if (filter.q !== undefined && words.length === 0) return [];
    const found = words.length === 0 ? "" : foundText(parameters, "e.id", words, wordOrder, filter.created_at);
    const text = `
with hit as materialized (
  select e.id as environment_id, e.mode, e.merchant_id, h.*
  from environments e cross join lateral (${inEnvironmentText(parameters, filter, page, found)}) h
  order by ${ordering(page, "h.")} limit ${page.limit} offset ${page.offset}
)
select t.id::text, t.type::text as title, t.status::text, t.amount, t.currency, t.card_brand::text, t.card_last4, t.customer_email,
  t.payment_id, t.created_at as at, hit.environment_id, hit.mode, m.id as merchant_id, m.name as merchant_name
from hit
join transactions t on t.environment_id = hit.environment_id and t.id = hit.id
join merchants m on m.id = hit.merchant_id
order by ${ordering(page, "hit.")}`;
    return await tx.unsafe<FoundRow[]>(text, parameters.values);
  });
}
