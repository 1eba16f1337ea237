import type { Sql } from "@/db/client";
import { decodeId } from "@/lib/contract/ids";
import { Parameters, runText } from "../statement-text";

/** A search term. */
export type SearchTerm = {
  /** Spellings; a transaction matches if one of its words starts with one. */
  readonly starts: readonly string[];
  /** Or if it has one of these whole words: an amount, a card's last four digits. */
  readonly wholes: readonly string[];
  /** Or if it is one of these: the term is its id, or its payment's. */
  readonly ids: readonly string[];
  /** Approximate index rows per day; 0 if unknown or irrelevant. */
  readonly perDay: number;
  /** All transactions that match, if that was determined and they are few. */
  readonly all: readonly string[] | null;
};

/**
 * Result of a search: these transactions only, newest first; or, if there are more than are counted, terms to
 * check each row for, from the oldest match to the newest.
 */
export type TermMatches =
  | { readonly ids: readonly string[] }
  | { readonly terms: readonly SearchTerm[]; readonly oldest: string; readonly newest: string };

/** Index rows read per term to find the rarest one; a term with fewer is known completely. */
const SAMPLE = 1_000;
/** Reading a row of an index range is this many times cheaper than looking up a transaction's text. */
const CHEAPER = 10;

/** Sorts after every word with the prefix, in byte order. */
const END = "chr(1114111)";

type IdRange = { readonly gte?: string | undefined; readonly lt?: string | undefined };

/**
 * Days for which an environment has terms, to look into one by one: a day's index range is small, so the
 * newest matches of a very common term are found without sorting all. `ids`: placeholders of the first and
 * last id.
 */
const daysText = (environment: string, order: "asc" | "desc", ids: IdRange = {}) => {
  const end = (day: string, order: "asc" | "desc") =>
    `(select ${day} from transaction_words where environment_id = ${environment} order by transaction_words.day ${order} limit 1)`;
  const oldest = end(ids.gte ? `greatest(day, day_of(${ids.gte}::uuid))` : "day", "asc");
  const newest = end(ids.lt ? `least(day, day_of(${ids.lt}::uuid))` : "day", "desc");
  const ends = order === "desc" ? `${newest}, ${oldest}, -1` : `${oldest}, ${newest}`;
  return `generate_series(${ends}) as days (day)`;
};

/** The index range of words with a prefix, in byte order. */
export function beginsWith(parameters: Parameters, start: string): string {
  const prefix = `${parameters.add(start)}::text`;
  return `word >= ${prefix} and word < ${prefix} || ${END}`;
}

/** One day's rows that match a term; a transaction may appear several times. */
function rangeText(
  parameters: Parameters,
  environment: string,
  { starts, wholes }: Pick<SearchTerm, "starts" | "wholes">,
) {
  const from = `select transaction_id from transaction_words where environment_id = ${environment} and day = days.day`;
  return [
    ...starts.map((start) => `${from} and ${beginsWith(parameters, start)}`),
    ...wholes.map((whole) => `${from} and word = ${parameters.add(whole)}`),
  ].join(" union all ");
}

/** Search terms of a text in the index's spelling. */
export async function parseTerms(sql: Sql, q: string): Promise<SearchTerm[]> {
  // JSON, because the driver's arrays lose backslashes.
  const terms = await sql<Pick<SearchTerm, "starts" | "wholes">[]>`
    select to_json(starts) as starts, wholes from asked_words(${q})`;
  return terms.map((term) => ({ ...term, ids: [], perDay: 0, all: null }));
}

/** The same, with the ids they name in an environment, rarest first. */
export async function rankTerms(sql: Sql, environmentId: string, q: string): Promise<SearchTerm[]> {
  const terms: SearchTerm[] = [];
  for (const one of await parseTerms(sql, q))
    terms.push({ ...one, ids: await idsOf(sql, environmentId, one.starts[0] ?? "") });
  if (terms.length < 2) return terms;
  const parameters = new Parameters();
  const environment = parameters.add(environmentId);
  const days = daysText(environment, "desc");
  // A very common term fills the sample in the newest day, a rare one in no day.
  const samples = terms.map(
    (term, i) => `
select ${i} as n, count(*)::float8 / nullif((select count(*) from ${days}) - case when count(*) < ${SAMPLE} then 0 else
  min(day) - (select min(day) from ${days}) end, 0) as per_day,
  case when count(*) < ${SAMPLE} then array_agg(distinct transaction_id) end as "all" from (
  select days.day, found.transaction_id from ${days}
  cross join lateral (${rangeText(parameters, environment, term)} offset 0) found limit ${SAMPLE}) newest`,
  );
  const text = `${samples.join("\nunion all")} order by n`;
  const rows = await runText<{ per_day: number | null; all: string[] | null }>(sql, {
    text,
    parameters,
    prepare: false,
  });
  return terms
    .map((term, i) => {
      const { per_day, all } = rows[i] ?? { per_day: null, all: null };
      // Without rows there is no array.
      const isFew = all !== null || per_day === null || per_day === 0;
      return { ...term, perDay: per_day ?? 0, all: isFew ? [...new Set([...(all ?? []), ...term.ids])] : null };
    })
    .toSorted((a, b) => Number(b.ids.length > 0) - Number(a.ids.length > 0) || a.perDay - b.perDay);
}

/**
 * The transaction with an id, or the transactions of a payment. By primary key and `transactions_refunds`.
 */
async function idsOf(sql: Sql, environmentId: string, term: string): Promise<string[]> {
  const transaction = decodeId("transaction", term);
  const payment = decodeId("payment", term);
  if (transaction === null && payment === null) return [];
  const rows = transaction
    ? await sql<{ id: string }[]>`
        select id from transactions where environment_id = ${environmentId} and id = ${transaction}`
    : await sql<{ id: string }[]>`
        select charge_id as id from payments where environment_id = ${environmentId} and id = ${payment}
        union all
        select id from transactions where environment_id = ${environmentId} and payment_id = ${payment} and type = 'REFUND'`;
  return rows.map(({ id }) => id);
}

/** Transactions that match all rare terms, and the terms still to check; null if no term is rare. */
function amongFew(terms: readonly SearchTerm[]): { ids: readonly string[]; others: SearchTerm[] } | null {
  const few = terms.flatMap(({ all }) => (all ? [new Set(all)] : []));
  const [first, ...more] = few;
  if (!first) return null;
  const ids = [...first].filter((id) => more.every((set) => set.has(id)));
  return { ids, others: terms.filter(({ all }) => all === null) };
}

type Window = {
  readonly order: "asc" | "desc";
  readonly times?: IdRange | undefined;
  /** Only ids after this one, in order. */
  readonly after?: string | undefined;
  readonly limit: number;
  readonly offset?: number;
};

/** Ids of transactions that match all terms, in order. Stops at the limit. */
export async function findByTerms(
  sql: Sql,
  environmentId: string,
  terms: readonly SearchTerm[],
  window: Window,
): Promise<string[]> {
  const parameters = new Parameters();
  const text = findText(parameters, environmentId, terms, window);
  if (text === null) return [];
  const rows = await runText<{ id: string }>(sql, { text, parameters, prepare: false });
  return rows.map(({ id }) => id);
}

/**
 * Number of transactions that match all terms, up to the limit, and some of their ids; no other ids leave the
 * database.
 */
export async function countByTerms(
  sql: Sql,
  environmentId: string,
  terms: readonly SearchTerm[],
  { order, limit, ...window }: Omit<Window, "offset">,
  shown: { limit: number; offset: number; unlessMoreThan?: number },
): Promise<{ total: number; ids: string[] }> {
  const parameters = new Parameters();
  const found = findText(parameters, environmentId, terms, { ...window, order, limit });
  if (found === null) return { total: 0, ids: [] };
  const condition =
    shown.unlessMoreThan === undefined ? "" : ` where (select count(*) from hits) <= ${shown.unlessMoreThan}`;
  const text = `
with hits as materialized (${found})
select (select count(*)::int from hits) as total,
  array(select id from hits${condition} order by id ${order} limit ${shown.limit} offset ${shown.offset}) as ids`;
  const [row] = await runText<{ total: number; ids: string[] }>(sql, { text, parameters, prepare: false });
  return row as { total: number; ids: string[] };
}

/**
 * Rare terms list all their transactions, which are checked for the other terms. Otherwise the rarest leads,
 * by its index range of each day, intersected with terms not much more common; matches are checked for the
 * rest.
 */
function findText(
  parameters: Parameters,
  environmentId: string,
  terms: readonly SearchTerm[],
  { order, times = {}, after, limit, offset = 0 }: Window,
): string | null {
  const [rarest, ...others] = terms;
  if (!rarest) return null;
  const few = amongFew(terms);
  if (few?.ids.length === 0) return null;
  const isCommon = ({ ids, perDay }: SearchTerm) =>
    rarest.ids.length > 0 || ids.length > 0 || perDay > CHEAPER * rarest.perDay;
  const looked = few ? few.others : others.filter(isCommon);
  const read = others.filter((term) => !isCommon(term));
  // An unused parameter has no type.
  const environment = few?.others.length === 0 ? "" : parameters.add(environmentId);
  const gte = times.gte && parameters.add(times.gte);
  const lt = times.lt && parameters.add(times.lt);
  const afterId = after && parameters.add(after);
  const ends = [
    ...(gte ? [`id >= ${gte}`] : []),
    ...(lt ? [`id < ${lt}`] : []),
    ...(afterId ? [`id ${order === "asc" ? ">" : "<"} ${afterId}`] : []),
  ];
  const where = [...ends, ...(looked.length > 0 ? [matchesTerms(parameters, environment, looked, "id")] : [])].join(
    " and ",
  );
  const end = `limit ${limit} offset ${offset}`;
  if (few) return `${namedText(parameters, few.ids, where)} order by id ${order} ${end}`;
  const sets = [rarest, ...read].map(
    (term, i) =>
      `select ${read.length === 0 ? "distinct " : ""}transaction_id as id from (${rangeText(parameters, environment, term)}) range${i}`,
  );
  const walked = order === "asc" ? { gte: afterId ?? gte, lt } : { gte, lt: afterId ?? lt };
  const found = `
select found.id from ${daysText(environment, order, walked)} cross join lateral (
  select id from (${sets.join(" intersect ")} offset 0) hits${where && ` where ${where}`} order by id ${order}) found`;
  return `
${rarest.ids.length === 0 ? found : `select id from (${namedText(parameters, rarest.ids, where)} union ${found}) hits order by id ${order}`}
${end}`;
}

const namedText = (parameters: Parameters, ids: readonly string[], where: string) =>
  `select id from unnest(${parameters.add(`{${ids}}`)}::text::uuid[]) named (id)${where && ` where ${where}`}`;

/**
 * Matches of terms in any environment, as rows of `found (id)`, in order. The longest term leads, since it is
 * probably the rarest.
 */
export function foundText(
  parameters: Parameters,
  environment: string,
  terms: readonly SearchTerm[],
  order: "asc" | "desc",
  times: IdRange = {},
): string {
  const length = ({ starts }: SearchTerm) => starts[0]?.length ?? 0;
  const [lead, ...others] = terms.toSorted((a, b) => length(b) - length(a));
  if (!lead) throw new Error("no words to look for");
  const also = others.length > 0 ? ` where ${matchesTerms(parameters, environment, others, "id")}` : "";
  const ids = { gte: times.gte && parameters.add(times.gte), lt: times.lt && parameters.add(times.lt) };
  return `${daysText(environment, order, ids)} cross join lateral (
    select id from (select distinct transaction_id as id from (${rangeText(parameters, environment, lead)}) hit offset 0) hits${also}
    order by id ${order}) found`;
}

/**
 * SQL condition: the transaction in a column matches all terms. `offset 0` keeps the planner from scanning
 * all texts first.
 */
export function matchesTerms(
  parameters: Parameters,
  environment: string,
  terms: readonly SearchTerm[],
  column: string,
): string {
  const conditions = terms.map(({ starts, wholes, ids }) => {
    const has = (text: string) => `strpos(texts.words, ${parameters.add(text)}) > 0`;
    return [
      ...starts.map((start) => has(` ${start}`)),
      ...wholes.map((whole) => has(` ${whole} `)),
      ...(ids.length > 0 ? [`texts.transaction_id = any(${parameters.add(`{${ids}}`)}::text::uuid[])`] : []),
    ].join(" or ");
  });
  return `exists (
  select from transaction_texts texts where texts.environment_id = ${environment} and texts.transaction_id = ${column}
    and (${conditions.join(") and (")}) offset 0)`;
}
