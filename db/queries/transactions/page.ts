import { TOTAL_CAP } from "@/lib/contract/fields";
import type { FilterValues } from "@/lib/contract/lists/filters";
import { FILTERS, type FilterName, type Range } from "@/lib/contract/transactions/filters";
import {
  type ATTENTION,
  type SortField,
  TRANSACTION_STATUSES,
  type TransactionStatus,
} from "@/lib/contract/transactions/words";
import { attentionWhere, NEEDS_ATTENTION } from "../reporting/attention";
import { columnList, fetchSize, Parameters, type StatementText } from "../statement-text";
import { MONEY_COLUMNS, TRANSACTION_COLUMNS } from "./columns";
import { matchesTerms, type TermMatches } from "./search-terms";

const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];
const ALL_COLUMNS = columnList("t", TRANSACTION_COLUMNS);
const MONEY = columnList("p", MONEY_COLUMNS, "p_");

/** Filter values. Times are half-open ranges; `created_at` is given as ids, which carry its millisecond. */
type Values = FilterValues<typeof FILTERS, Range<number>, { readonly gte?: string; readonly lt?: string }>;
export type TransactionFilter = Omit<Values, "q"> & { readonly q?: TermMatches };

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
  /** The page starts after this transaction in sort order. */
  readonly after?: TransactionCursor | undefined;
};

/**
 * A page with its capped total in one statement; without it if the total is known. Both use only the indexes
 * of db/schema/transactions.ts, which times narrow further, as the id comes last. Page rows are then looked
 * up by key: `offset 0` stops the planner from reversing that on stale statistics.
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
  // One text for all values if the connection keeps its plan.
  const groups = groupsToMerge(filter, page, prepare && !counts ? parameters.once() : quoted);
  // Groups have their own conditions; an unused parameter has no type.
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

/** Column that a filter compares, if not the one with its name. */
const COLUMNS: Partial<Record<FilterName, string>> = { created_at: "id", customer_email: "customer_email_key" };
const COMPARISONS = { gte: ">=", lte: "<=", lt: "<" } as const;

/** The filter's conditions, without a table name. */
export function conditions(parameters: Parameters, environment: string, filter: TransactionFilter): string {
  const terms = FILTER_NAMES.flatMap((name) =>
    name === "q" || name === "attention" ? [] : conditionsOf(parameters, name, filter[name]),
  );
  if (filter.attention) terms.push(attentionText(environment, filter.attention));
  const words = filter.q ? [termsText(parameters, environment, filter.q)] : [];
  return [`environment_id = ${environment}`, ...terms, ...words].join(" and ");
}

/** Reads these ids first whatever the planner estimates: they are few, which no statistics show. */
function attentionText(environment: string, kinds: readonly (typeof ATTENTION)[number][]): string {
  const ids = kinds.map((kind) => {
    const { from, id } = NEEDS_ATTENTION[kind];
    return `select ${id} from ${from} where environment_id = ${environment} and ${attentionWhere(kind, environment)}`;
  });
  return `id = any(array(${ids.join(" union all ")}))`;
}

function termsText(parameters: Parameters, environment: string, found: TermMatches): string {
  if ("ids" in found) return `id = any(${parameters.add(`{${found.ids}}`)}::text::uuid[])`;
  const range = `id between ${parameters.add(found.oldest)} and ${parameters.add(found.newest)}`;
  return `${range} and ${matchesTerms(parameters, environment, found.terms, "transactions.id")}`;
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

/** `range`: the filter's conditions, or the groups to merge. */
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
  // Within one brand and status an index is in id order; these short scans are merged, not sorted.
  const times = conditionsOf(parameters, "created_at", filter.created_at).map((term) => ` and ${term}`);
  const columns = SORT_COLUMNS[page.sort].join(", ");
  const scans = range.map(
    (group) =>
      `(select ${columns} from transactions where environment_id = ${environment} and ${group}${times.join("")}${after} order by ${ordering(page)} limit ${page.offset + size})`,
  );
  return `select id from (${scans.join(" union all ")}) merged order by ${ordering(page)} limit ${size} offset ${page.offset}`;
}

/** Ids of the first rows that match a filter, in sort order: a page without its columns. */
export function windowText(
  parameters: Parameters,
  environment: string,
  filter: TransactionFilter,
  page: TransactionPage,
): string {
  const range = groupsToMerge(filter, page) ?? conditions(parameters, environment, filter);
  return pageText(parameters, environment, range, filter, page);
}

/** The contract's enum values are safe as literals, which the planner can see. */
const quoted = (value: string) => `'${value}'`;

/** Groups to merge; null if one index range is in order, or the planner does better. */
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
 * If one index is in page order, the count uses it too, from its oldest end: old rows no longer change, so
 * the visibility map makes the scan index-only.
 */
function countOrder(filter: TransactionFilter, page: TransactionPage): string {
  const isOneRange = groupsToMerge(filter, page) === null && keepsItsPlan(filter, page);
  return isOneRange ? ` order by ${SORT_COLUMNS[page.sort].join(", ")}` : "";
}

const FEW_GROUPS = 3;
const SORT_COLUMNS: Record<SortField, readonly string[]> = {
  created_at: ["id"],
  // Amounts of several currencies are not comparable, so each currency is sorted separately.
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

/** Filters in use except creation times, which narrow any index. */
const usedOf = (filter: TransactionFilter) =>
  FILTER_NAMES.filter((name) => name !== "created_at" && filter[name] !== undefined);

/** Filters whose selectivity varies so much with the value that no single plan fits. */
const REPLANNED: ReadonlySet<FilterName> = new Set(["q", "amount", "captured_at", "currency", "type", "attention"]);

/** Newest first with at most one filter, or another sort without any: one plan is best for all values. */
function keepsItsPlan(filter: TransactionFilter, page: TransactionPage): boolean {
  const [name, ...more] = usedOf(filter);
  if (page.order !== "desc" || more.length > 0 || (name && REPLANNED.has(name))) return false;
  if (page.sort !== "created_at") return name === undefined && filter.created_at === undefined;
  const value = name && filter[name];
  return !Array.isArray(value) || value.length === 1;
}

/**
 * The same for a page without a count. Reading one index in order, or merging few ranges, costs only the
 * page's rows for any value; but several filters may leave few rows of an index, which is better planned each
 * time.
 */
function pageKeepsItsPlan(filter: TransactionFilter, page: TransactionPage): boolean {
  const used = usedOf(filter);
  switch (page.sort) {
    case "created_at": {
      const groups = groupsToMerge(filter, page);
      // Each number of groups is another plan to keep.
      if (groups !== null)
        return filter.card_brand ? used.length === 1 && filter.card_brand.length === 1 : groups.length <= FEW_GROUPS;
      return used.length <= 1 && !used.some((name) => REPLANNED.has(name));
    }
    case "amount":
      return filter.created_at === undefined && used.every((name) => name === "amount" || name === "card_brand");
    case "status":
      return used.length === 0 && filter.created_at === undefined;
    default:
      return page.sort satisfies never;
  }
}
