import type { Sql } from "@/db/client";
import type { TransactionFilter, TransactionPage } from "@/db/queries/transactions/page";
import { countByTerms, findByTerms, rankTerms, type TermMatches } from "@/db/queries/transactions/search-terms";
import { type FoundPage, foundPage } from "@/db/queries/transactions/transactions";
import { TOTAL_CAP } from "@/lib/contract/fields";

/** Search filters whose terms are not looked up yet. */
export type WordsFilter = Omit<TransactionFilter, "q"> & { readonly q?: string };

export type FindPage<Row> = (
  sql: Sql,
  environmentId: string,
  filter: TransactionFilter,
  page: TransactionPage,
  total: number | null,
) => Promise<FoundPage<Row>>;

/** Matches that are read for a count: one more than the largest total shown. */
const MAX_COUNTED = TOTAL_CAP + 1;

/** A page of the filter's results, search terms included. `total`: if already known. */
export async function findByQuery<Row>(
  sql: Sql,
  environmentId: string,
  filter: WordsFilter,
  page: TransactionPage,
  total: number | null,
  find: FindPage<Row>,
): Promise<FoundPage<Row>> {
  const { q, created_at, ...others } = filter;
  if (q === undefined) return find(sql, environmentId, { created_at, ...others }, page, total);
  const byWordsAlone = page.sort === "created_at" && Object.values(others).every((value) => value === undefined);
  if (!byWordsAlone) {
    const found = await withWordsFound(sql, environmentId, filter);
    const isAlone = Object.values(others).every((value) => value === undefined);
    return find(sql, environmentId, found, page, total ?? (isAlone && found.q ? countOf(found.q) : null));
  }

  const words = await rankTerms(sql, environmentId, q);
  const { order, limit, offset, after } = page;
  const times = created_at ?? {};
  // One row more than the page shows if there is a next one.
  const need = limit + 1;
  // A page after a transaction, or past the count's limit, does not overlap the counted rows.
  const countsOnTheWay = total === null && !after && offset + need <= MAX_COUNTED;
  const count = (shown: { limit: number; offset: number }) =>
    countByTerms(sql, environmentId, words, { order, times, limit: MAX_COUNTED }, shown);
  const { ids, total: counted } = countsOnTheWay
    ? await count({ limit: need, offset })
    : {
        ids: await findByTerms(sql, environmentId, words, { order, times, after: after?.id, limit: need, offset }),
        total: total ?? (await count({ limit: 0, offset: 0 })).total,
      };
  const found = foundPage(ids, page, counted);
  if (found.rows.length === 0) return { ...found, rows: [] };
  const shown: TransactionPage = { sort: page.sort, order, limit, offset: 0 };
  const { rows } = await find(sql, environmentId, { q: { ids: found.rows } }, shown, found.total);
  return { ...found, rows };
}

/**
 * The filter with its search terms resolved: to a list of transactions, or, if there are more than the
 * count's limit, to the terms. Many rows match those, so walking another index finds matches soon.
 */
export async function withWordsFound(
  sql: Sql,
  environmentId: string,
  { q, ...filter }: WordsFilter,
): Promise<TransactionFilter> {
  if (q === undefined) return filter;
  const words = await rankTerms(sql, environmentId, q);
  const times = filter.created_at ?? {};
  const window = { order: "desc", times, limit: MAX_COUNTED } as const;
  const { total, ids } = await countByTerms(sql, environmentId, words, window, {
    limit: TOTAL_CAP,
    offset: 0,
    unlessMoreThan: TOTAL_CAP,
  });
  if (total < MAX_COUNTED) return { ...filter, q: { ids } };
  const end = async (order: "asc" | "desc") => {
    const [id] = await findByTerms(sql, environmentId, words, { order, times, limit: 1 });
    if (id === undefined) throw new Error("words that many transactions had are gone");
    return id;
  };
  return { ...filter, q: { terms: words, oldest: await end("asc"), newest: await end("desc") } };
}

/** Number of matches of the search terms alone, up to one more than the largest total shown. */
const countOf = (found: TermMatches) => ("ids" in found ? found.ids.length : MAX_COUNTED);
