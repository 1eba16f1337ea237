import { TOTAL_CAP } from "@/lib/contract/fields";
import { FILTERS, type FilterName, type FilterValues, type Range } from "@/lib/contract/transactions/filters";
import {
  type ATTENTION,
  type SortField,
  TRANSACTION_STATUSES,
  type TransactionStatus,
} from "@/lib/contract/transactions/words";
import { NEEDS_ATTENTION } from "../reporting/attention";
import { columnList, fetchSize, Parameters, type StatementText } from "../statement-text";
import { MONEY_COLUMNS, TRANSACTION_COLUMNS } from "./columns";
import { hasWords, type WordsFound } from "./words";

const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];
const ALL_COLUMNS = columnList("t", TRANSACTION_COLUMNS);
const MONEY = columnList("p", MONEY_COLUMNS, "p_");

/** What to find. Times are half-open ranges, of `created_at` as ids: an id is made in the millisecond of it. */
type Values = FilterValues<Range<number>, { readonly gte?: string; readonly lt?: string }>;
export type TransactionFilter = Omit<Values, "q"> & { readonly q?: WordsFound };

export type TransactionCursor = {
  readonly id: string;
  readonly currency: string;
  readonly amount: number;
  readonly status: TransactionStatus;
};

export type TransactionPage = {
  readonly sort: SortField;
  readonly order: "asc" | "desc";
  readonly limit: number;
  readonly offset: number;
  /** The page starts after this transaction, in the order of the sort. */
  readonly after?: TransactionCursor | undefined;
};

/**
 * A page with its capped total, in one statement, or without it where the total is known. Both are read from indexes alone, and
 * only the page's own rows are then looked up, one by one (`offset 0`: PostgreSQL may not turn that round, as it does while it
 * has no statistics of many new rows, and find the page again for each of them). Which index:
 * - customer, e-mail, subscription, last four digits, plan, decline code: transactions_customer, _email, _subscription,
 *   _last4, _plan, _decline; time of capture: transactions_captured;
 * - brands, with or without statuses: transactions_brand; statuses: transactions_status, which also sorts by status;
 * - amounts, and sorting by amount: transactions_amount, or whichever of the above PostgreSQL reckons is narrower;
 * - a currency that is rare: transactions_amount; refunds that are rare: transactions_refunds;
 * - needs attention: the few rows of the partial indexes that the overview counts them by (reporting/attention.ts);
 * - words: transaction_words (words.ts) has told which transactions have them, or, where these are too many to list, each row
 *   that another index leads to is asked for them;
 * - nothing, or times only: the primary key. Times narrow every one of them, as the id is its last column.
 */
export function transactionPageText(
  environmentId: string,
  filter: TransactionFilter,
  page: TransactionPage,
  { counts, columns = ALL_COLUMNS }: { counts: boolean; columns?: string },
): StatementText {
  const parameters = new Parameters();
  const environment = parameters.add(environmentId);
  const prepare = page.offset === 0 && (counts ? keepsItsPlan(filter, page) : pageKeepsItsPlan(filter, page));
  // One text for all values, where a connection keeps it.
  const groups = groupsToMerge(filter, page, prepare && !counts ? parameters.once() : quoted);
  // Groups have conditions of their own; a parameter that nothing uses has no type.
  const where = counts || groups === null ? conditions(parameters, environment, filter) : "";
  const window = pageText(parameters, environment, groups ?? where, filter, page);
  const rows = `
select ${columns}, ${MONEY}
from (${window}) page
cross join lateral (
  select * from transactions where environment_id = ${environment} and id = page.id offset 0) t
cross join lateral (
  select * from payments where environment_id = ${environment} and id = t.payment_id offset 0) p`;
  if (!counts) {
    const text = `${rows}\norder by ${ordering(page, "t.")}`;
    return { text, parameters, prepare };
  }
  const text = `
select r.*, c.total
from (select count(*)::int as total from (select from transactions where ${where}${countOrder(filter, page)} limit ${TOTAL_CAP + 1}) hits) c
left join (${rows}
) r on true
order by ${ordering(page, "r.")}`;
  return { text, parameters, prepare };
}

/** What a filter compares, where it is not the column of its name. */
const COLUMNS: Partial<Record<FilterName, string>> = { created_at: "id", customer_email: "customer_email_key" };
const COMPARISONS = { gte: ">=", lte: "<=", lt: "<" } as const;

/** The filter's terms, without a table's name. */
export function conditions(parameters: Parameters, environment: string, filter: TransactionFilter): string {
  const terms = FILTER_NAMES.flatMap((name) =>
    name === "q" || name === "attention" ? [] : conditionsOf(parameters, name, filter[name]),
  );
  if (filter.attention) terms.push(attentionText(environment, filter.attention));
  const words = filter.q ? [wordsText(parameters, environment, filter.q)] : [];
  return [`environment_id = ${environment}`, ...terms, ...words].join(" and ");
}

/** Its ids are read first, whatever PostgreSQL reckons: they are few, and no statistics know it. */
function attentionText(environment: string, kinds: readonly (typeof ATTENTION)[number][]): string {
  const ids = kinds.map((kind) => {
    const { from, id, where } = NEEDS_ATTENTION[kind];
    return `select ${id} from ${from} where environment_id = ${environment} and ${where}`;
  });
  return `id = any(array(${ids.join(" union all ")}))`;
}

function wordsText(parameters: Parameters, environment: string, found: WordsFound): string {
  if ("ids" in found) return `id = any(${parameters.add(`{${found.ids}}`)}::text::uuid[])`;
  const range = `id between ${parameters.add(found.oldest)} and ${parameters.add(found.newest)}`;
  return `${range} and ${hasWords(parameters, environment, found.words, "transactions.id")}`;
}

function conditionsOf(parameters: Parameters, name: FilterName, value: Values[FilterName]): string[] {
  const column = COLUMNS[name] ?? name;
  if (value === undefined) return [];
  if (name === "customer_email") return [`${column} = lower(${parameters.add(value as string)})`];
  if (typeof value === "string") return [`${column} = ${parameters.add(value)}`];
  if (Array.isArray(value)) return [`${column} ${parameters.oneOf(value)}`];
  const ends = Object.entries(value) as [keyof typeof COMPARISONS, string | number | undefined][];
  return ends.flatMap(([end, at]) => (at === undefined ? [] : [`${column} ${COMPARISONS[end]} ${parameters.add(at)}`]));
}

/** `range`: the filter's terms, or the groups to merge. */
function pageText(
  parameters: Parameters,
  environment: string,
  range: string | readonly string[],
  filter: TransactionFilter,
  page: TransactionPage,
): string {
  const size = fetchSize(page.limit);
  const after = page.after ? ` and ${afterText(parameters, page, page.after)}` : "";
  if (typeof range === "string") {
    return `select id from transactions where ${range}${after} order by ${ordering(page)} limit ${size} offset ${page.offset}`;
  }
  // Within one brand and status an index is in the order of the ids; these many short scans are merged, not sorted.
  const times = conditionsOf(parameters, "created_at", filter.created_at).map((term) => ` and ${term}`);
  const columns = SORT_COLUMNS[page.sort].join(", ");
  const scans = range.map(
    (group) =>
      `(select ${columns} from transactions where environment_id = ${environment} and ${group}${times.join("")}${after} order by ${ordering(page)} limit ${page.offset + size})`,
  );
  return `select id from (${scans.join(" union all ")}) merged order by ${ordering(page)} limit ${size} offset ${page.offset}`;
}

/** The ids of the first rows that a filter matches, in the order of the sort: the page without what it shows. */
export function windowText(
  parameters: Parameters,
  environment: string,
  filter: TransactionFilter,
  page: TransactionPage,
): string {
  const range = groupsToMerge(filter, page) ?? conditions(parameters, environment, filter);
  return pageText(parameters, environment, range, filter, page);
}

/** The contract's own values can stand in the text, where the planner sees them. */
const quoted = (value: string) => `'${value}'`;

/** The groups to merge; null when one index range answers in order, or when it is better left to the planner. */
function groupsToMerge(filter: TransactionFilter, page: TransactionPage, write = quoted): string[] | null {
  const { card_brand: brands, status: statuses } = filter;
  const others = usedOf(filter).filter((name) => name !== "card_brand" && name !== "status");
  if (page.sort === "amount" || others.length > 0) return null;
  if (!brands && (page.sort === "status" || (statuses ?? []).length < 2)) return null;
  const ofStatus = (statuses ?? (brands ? TRANSACTION_STATUSES : [])).map((status) => `status = ${write(status)}`);
  if (page.sort === "status")
    return brands ? brands.map((brand) => `card_brand = ${write(brand)} and (${ofStatus.join(" or ")})`) : null;
  if (brands) return brands.flatMap((brand) => ofStatus.map((status) => `card_brand = ${write(brand)} and ${status}`));
  return ofStatus;
}

/**
 * Where one index is in the order of the page, it is also the one to count in, from its oldest end: what is old no longer
 * changes, so the index alone tells that its rows are there.
 */
function countOrder(filter: TransactionFilter, page: TransactionPage): string {
  const isOneRange = groupsToMerge(filter, page) === null && keepsItsPlan(filter, page);
  return isOneRange ? ` order by ${SORT_COLUMNS[page.sort].join(", ")}` : "";
}

const FEW_GROUPS = 3;
const SORT_COLUMNS: Record<SortField, readonly string[]> = {
  created_at: ["id"],
  // Amounts of several currencies compare to nothing: each currency by itself.
  amount: ["currency", "amount", "id"],
  status: ["status", "id"],
};

export function ordering(page: Pick<TransactionPage, "sort" | "order">, table = ""): string {
  return SORT_COLUMNS[page.sort].map((column) => `${table}${column} ${page.order}`).join(", ");
}

function afterText(parameters: Parameters, page: TransactionPage, after: TransactionCursor): string {
  const columns = SORT_COLUMNS[page.sort];
  const values = columns.map((column) => parameters.add(after[column as keyof TransactionCursor]));
  return `(${columns.join(", ")}) ${page.order === "asc" ? ">" : "<"} (${values.join(", ")})`;
}

/** The filters in use but for times of creation, which narrow whatever index is read. */
const usedOf = (filter: TransactionFilter) =>
  FILTER_NAMES.filter((name) => name !== "created_at" && filter[name] !== undefined);

/** How much these find depends on the value so much that no plan is good for all. */
const PLANNED_ANEW: ReadonlySet<FilterName> = new Set(["q", "amount", "captured_at", "currency", "type", "attention"]);

/** Newest first by at most one filter, or a sort without any: one plan is the best for whatever values. */
function keepsItsPlan(filter: TransactionFilter, page: TransactionPage): boolean {
  const [name, ...more] = usedOf(filter);
  if (page.order !== "desc" || more.length > 0 || (name && PLANNED_ANEW.has(name))) return false;
  if (page.sort !== "created_at") return name === undefined && filter.created_at === undefined;
  const value = name && filter[name];
  return !Array.isArray(value) || value.length === 1;
}

/**
 * The same of a page that is not counted. What is read in the order of one index, or merged from few of its ranges, needs no
 * more than its rows, whatever the values; but what many filters leave of an index may be little, and is better planned for.
 */
function pageKeepsItsPlan(filter: TransactionFilter, page: TransactionPage): boolean {
  const used = usedOf(filter);
  switch (page.sort) {
    case "created_at": {
      const groups = groupsToMerge(filter, page);
      // Each number of them is a plan to keep.
      if (groups !== null)
        return filter.card_brand ? used.length === 1 && filter.card_brand.length === 1 : groups.length <= FEW_GROUPS;
      return used.length <= 1 && !used.some((name) => PLANNED_ANEW.has(name));
    }
    case "amount":
      return filter.created_at === undefined && used.every((name) => name === "amount" || name === "card_brand");
    case "status":
      return used.length === 0 && filter.created_at === undefined;
    default:
      return page.sort satisfies never;
  }
}
