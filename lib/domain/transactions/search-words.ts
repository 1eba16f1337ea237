import type { Sql } from "@/db/client";
import type { TransactionFilter, TransactionPage } from "@/db/queries/transactions/page";
import { type FoundPage, foundPage } from "@/db/queries/transactions/transactions";
import { countByWords, findByWords, rankWords, type WordsFound } from "@/db/queries/transactions/words";
import { TOTAL_CAP } from "@/lib/contract/fields";

/** The filters of a search whose words are not looked up yet. */
export type AskedFilter = Omit<TransactionFilter, "q"> & { readonly q?: string };

export type FindPage<Row> = (
  sql: Sql,
  environmentId: string,
  filter: TransactionFilter,
  page: TransactionPage,
  total: number | null,
) => Promise<FoundPage<Row>>;

/** How many matches are read to know their number: one more than a total says. */
const COUNTED = TOTAL_CAP + 1;

/** A page of what the filter finds, words included. `total`: when it is known. */
export async function findByQuery<Row>(
  sql: Sql,
  environmentId: string,
  filter: AskedFilter,
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

  const words = await rankWords(sql, environmentId, q);
  const { order, limit, offset, after } = page;
  const times = created_at ?? {};
  // One row more than the page shows whether there is a next one.
  const need = limit + 1;
  // A page after a transaction is no part of what is counted, nor is one past it.
  const countsOnTheWay = total === null && !after && offset + need <= COUNTED;
  const count = (shown: { limit: number; offset: number }) =>
    countByWords(sql, environmentId, words, { order, times, limit: COUNTED }, shown);
  const { ids, total: counted } = countsOnTheWay
    ? await count({ limit: need, offset })
    : {
        ids: await findByWords(sql, environmentId, words, { order, times, after: after?.id, limit: need, offset }),
        total: total ?? (await count({ limit: 0, offset: 0 })).total,
      };
  const found = foundPage(ids, page, counted);
  if (found.rows.length === 0) return { ...found, rows: [] };
  const shown: TransactionPage = { sort: page.sort, order, limit, offset: 0 };
  const { rows } = await find(sql, environmentId, { q: { ids: found.rows } }, shown, found.total);
  return { ...found, rows };
}

/**
 * The filter with what its words find: a list of transactions, or, where they are more than the contract counts, the words, which
 * many rows then have, so that no walk along another index is long.
 */
export async function withWordsFound(
  sql: Sql,
  environmentId: string,
  { q, ...filter }: AskedFilter,
): Promise<TransactionFilter> {
  if (q === undefined) return filter;
  const words = await rankWords(sql, environmentId, q);
  const times = filter.created_at ?? {};
  const window = { order: "desc", times, limit: COUNTED } as const;
  const { total, ids } = await countByWords(sql, environmentId, words, window, {
    ...{ limit: TOTAL_CAP, offset: 0, unlessMoreThan: TOTAL_CAP },
  });
  if (total < COUNTED) return { ...filter, q: { ids } };
  const end = async (order: "asc" | "desc") => {
    const [id] = await findByWords(sql, environmentId, words, { order, times, limit: 1 });
    if (id === undefined) throw new Error("words that many transactions had are gone");
    return id;
  };
  return { ...filter, q: { words, oldest: await end("asc"), newest: await end("desc") } };
}

/** What the words alone find, up to one more than a total says. */
const countOf = (found: WordsFound) => ("ids" in found ? found.ids.length : COUNTED);
