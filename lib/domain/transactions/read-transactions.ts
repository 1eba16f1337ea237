import type { z } from "zod";
import { moneyOf } from "@/db/queries/transactions/columns";
import {
  sumTransactions as readSums,
  type SumRow,
  sumChosenTransactions as sumChosen,
} from "@/db/queries/transactions/sums";
import {
  type FoundPage,
  findListedTransactions,
  findTransaction,
  findTransactionCursor,
  findTransactions,
} from "@/db/queries/transactions/transactions";
import { decodeId } from "@/lib/contract/ids";
import type { FilterRow } from "@/lib/contract/lists/filters";
import { FILTER_DETAILS } from "@/lib/contract/transactions/filter-details";
import {
  endsOf,
  FILTER_ROWS,
  type FilterName,
  type Range,
  type SearchFilters,
} from "@/lib/contract/transactions/filters";
import type { TransactionSums } from "@/lib/contract/transactions/sums";
import type {
  ListedTransaction,
  ListTransactionsQuery,
  SearchTransactionsBody,
  Transaction,
  transactionList,
} from "@/lib/contract/transactions/transaction";
import { type Context, resourceNotFound } from "../context";
import {
  findBySearchTerms,
  idRange,
  type ListResult,
  presentList,
  toMillisecondRange,
  unknownCursor,
  withCachedTotal,
} from "../lists";
import { presentListed, presentTransaction } from "../payments/present";
import { type FindPage, findByQuery, type WordsFilter, withWordsFound } from "./search-words";

/** One charge or refund. Throws `resource_not_found` for unknown, malformed and foreign ids alike. */
export async function getTransaction(ctx: Context, input: { id: string }): Promise<Transaction> {
  const id = decodeId("transaction", input.id);
  const row = id && (await findTransaction(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id));
  if (!row) throw resourceNotFound("transaction", input.id);
  return presentTransaction(row, moneyOf(row), ctx.environment.mode);
}

/** Transactions, newest first. `…_after` and `…_before` are exclusive, the amounts inclusive. */
export function listTransactions(ctx: Context, query: ListTransactionsQuery): Promise<TransactionList> {
  const { limit = 20, offset = 0, starting_after, ...params } = query;
  const given: Readonly<Record<string, string | number | undefined>> = params;
  const filters = FILTER_ROWS.map(([name, row]) => {
    if (row.kind === "words") return [name, given[name] === undefined ? undefined : [given[name]]];
    if (row.kind === "text") return [name, given[name]];
    const [low, high] = endsOf(name, row).map((end) => given[end]);
    return [name, row.kind === "amount" ? { gte: low, lte: high } : { after: low, before: high }];
  });
  const sort = { field: "created_at", order: "desc" } as const;
  const search = { filters: Object.fromEntries(filters), sort, limit, offset, starting_after };
  return listFound(ctx, search, "q");
}

/** Transactions by all filters and sorts. All ranges are inclusive; ties are in id order. */
export function searchTransactions(ctx: Context, search: SearchTransactionsBody): Promise<TransactionList> {
  return listFound(ctx, search, TERMS_PARAMETER);
}

/** Parameter with the search terms. */
export const TERMS_PARAMETER = "filters.q";

async function listFound(ctx: Context, search: SearchTransactionsBody, words: string): Promise<TransactionList> {
  const { mode } = ctx.environment;
  const found = await findCounted(ctx, search, findTransactions, words);
  return presentList(
    found.rows.map((row) => presentTransaction(row, moneyOf(row), mode)),
    found,
    search.limit,
    search.offset,
  );
}

/**
 * `searchTransactions` for the dashboard's tables, without
 * fields that have no column: metadata alone can be 25 KB a row.
 */
export async function searchTransactionTable(
  ctx: Context,
  search: SearchTransactionsBody,
): Promise<ListResult<ListedTransaction>> {
  const { mode } = ctx.environment;
  const found = await findCounted(ctx, search, findListedTransactions);
  return presentList(
    found.rows.map((row) => presentListed(row, moneyOf(row), mode)),
    found,
    search.limit,
    search.offset,
  );
}

/** Converts search filters for the queries; null if an id is malformed, so that nothing can match. */
export function filterOf(filters: SearchFilters): WordsFilter | null {
  const conditions: [FilterName, unknown][] = [];
  for (const [name, row] of FILTER_ROWS) {
    const value = filters[name];
    if (value === undefined) continue;
    const condition = conditionOf(name, row, value);
    if (condition === null) return null;
    conditions.push([name, condition]);
  }
  return Object.fromEntries(conditions.filter(([, condition]) => condition !== undefined));
}

/** Null if nothing can match, undefined if everything does. */
function conditionOf(name: FilterName, row: FilterRow, value: NonNullable<SearchFilters[FilterName]>) {
  const details = FILTER_DETAILS[name];
  if (typeof value === "string") return details.of ? decodeId(details.of, value) : value;
  if (Array.isArray(value)) {
    const words = [...new Set<string>(value)];
    return row.kind === "words" && details.always && words.length === row.values.length ? undefined : words;
  }
  if (Object.values(value).every((end) => end === undefined)) return undefined;
  return row.kind === "times" ? timesOf(name, value as Range<string>) : value;
}

function timesOf(name: FilterName, ends: Range<string>) {
  if (name === "created_at") return idRange(ends);
  const { gte, lt } = toMillisecondRange(ends);
  return { ...(gte && { gte: gte.toISOString() }), ...(lt && { lt: lt.toISOString() }) };
}

/** Fields that change during a transaction's life. */
const CHANGING = ["status", "decline_code", "captured_at", "attention"] as const;

type TransactionList = z.infer<typeof transactionList>;

/** Shared by list and search. Throws `invalid_parameter` if `starting_after` is not in this environment. */
async function findCounted<Row>(
  ctx: Context,
  { filters, sort, limit, offset, starting_after }: SearchTransactionsBody,
  find: FindPage<Row>,
  words = TERMS_PARAMETER,
): Promise<FoundPage<Row>> {
  const { id } = ctx.environment;
  const { sql } = ctx.service.db.within(id);
  const after = starting_after === undefined ? undefined : await cursorOf(ctx, starting_after);
  const filter = filterOf(filters);
  if (filter === null) return { rows: [], hasMore: false, total: 0 };
  const page = { sort: sort.field, order: sort.order, limit, offset, after };
  const onlyGrows = CHANGING.every((name) => filter[name] === undefined);
  const counted = { filter: `transactions ${JSON.stringify(filter)}`, onlyGrows };
  return findBySearchTerms({ q: filter.q, param: words }, () =>
    withCachedTotal(ctx.service, id, counted, (total) => findByQuery(sql, id, filter, page, total, find)),
  );
}

async function cursorOf(ctx: Context, startingAfter: string) {
  const id = decodeId("transaction", startingAfter);
  const cursor =
    id && (await findTransactionCursor(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id));
  if (!cursor) throw unknownCursor("transaction", startingAfter);
  return cursor;
}

/**
 * Sums by currency of the transactions that a search finds; of very many, only the first ones in its order.
 */
export async function sumTransactions(
  ctx: Context,
  { filters, sort }: Pick<SearchTransactionsBody, "filters" | "sort">,
): Promise<TransactionSums> {
  const filter = filterOf(filters);
  if (filter === null) return sumsOf([]);
  const { id } = ctx.environment;
  const { sql } = ctx.service.db.within(id);
  const order = { sort: sort.field, order: sort.order };
  const found = await findBySearchTerms({ q: filter.q, param: TERMS_PARAMETER }, async () =>
    readSums(sql, id, await withWordsFound(sql, id, filter), order),
  );
  return sumsOf(found);
}

/** Sums of selected transactions; those of other environments are ignored. */
export async function sumChosenTransactions(ctx: Context, publicIds: readonly string[]): Promise<TransactionSums> {
  const ids = publicIds.flatMap((id) => decodeId("transaction", id) ?? []);
  if (ids.length === 0) return sumsOf([]);
  return sumsOf(await sumChosen(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, ids));
}

function sumsOf(found: readonly SumRow[]): TransactionSums {
  return {
    rows: found.reduce((sum, { rows }) => sum + rows, 0),
    capped: found.some(({ capped }) => capped),
    sums: found.map(({ currency, gross, refunded, fees }) => ({
      currency,
      gross,
      refunded,
      fees,
      net: gross - refunded - fees,
    })),
  };
}
