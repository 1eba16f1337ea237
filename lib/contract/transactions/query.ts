/** Query of the transaction list: as in the page's address, and as in the API. */
import { amountText, DEFAULT_UNIT, isAmountUnit, MINOR_UNITS, parseAmount } from "@/lib/contract/currencies";
import { type QueryProblem, readable, readFilter } from "@/lib/contract/lists/address";
import { type AmountFilter, readWords } from "@/lib/contract/lists/filters";
import {
  contradicted,
  FILTER_ROWS,
  FILTERS,
  onlyOf,
  type SearchFilters,
  type TransactionFilters,
  usedFilters,
} from "./filters";
import { formatTimes, resolveTimes } from "./time-range";
import { SORT_FIELDS, type SortField } from "./words";

/** The list's query: everything in its address except open panels. */
export type TransactionQuery = TransactionFilters & {
  sort: { field: SortField; order: "asc" | "desc" };
  /** 1-based. */
  page: number;
  perPage: PerPage;
};

export const PER_PAGE = [20, 50, 100] as const;
export type PerPage = (typeof PER_PAGE)[number];
/** The API's max offset is a billion. */
export const MAX_PAGE = 10_000_000;

export const FIRST_QUERY: TransactionQuery = { sort: { field: "created_at", order: "desc" }, page: 1, perPage: 20 };

/** Parameters of the same address outside the query: an open side panel, the saved view it came from. */
const BESIDE_PARAMS = ["panel", "view"] as const;

type Reader = (value: string) => Partial<TransactionQuery> | string;

const FILTER_READERS = FILTER_ROWS.flatMap(([name, row]): [string, Reader][] =>
  row.kind === "amount"
    ? // Parsed together in readAmount; listed here only to be recognized.
      ["min", "max", "unit"].map((param) => [param, () => ({})])
    : [
        [
          row.param,
          (value) => {
            const result = readFilter(row, value);
            return typeof result === "string" ? result : { [name]: result.value };
          },
        ],
      ],
);

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...FILTER_READERS,
  [
    "sort",
    (value) => {
      const field = SORT_FIELDS.find((known) => known === value.replace(/^-/, ""));
      return field
        ? { sort: { field, order: value.startsWith("-") ? "desc" : "asc" } }
        : `Sort by ${SORT_FIELDS.join(", ")}; with a minus for the other direction.`;
    },
  ],
  [
    "page",
    (value) => {
      const page = /^\d{1,8}$/.test(value) ? Number(value) : 0;
      return page >= 1 && page <= MAX_PAGE ? { page } : "Pages are numbered from 1.";
    },
  ],
  [
    "per",
    (value) => {
      const perPage = PER_PAGE.find((size) => String(size) === value);
      return perPage ? { perPage } : `A page has ${PER_PAGE.join(", ")} rows.`;
    },
  ],
]);

/** Parses an address's parameters. Invalid ones are dropped and listed in `problems`. */
export function parseQuery(params: Iterable<readonly [string, string]>): {
  query: TransactionQuery;
  problems: QueryProblem[];
} {
  const problems: QueryProblem[] = [];
  const all = new Map<string, string>();
  for (const [param, value] of params) {
    if (all.has(param)) problems.push({ param, value, message: "Given more than once. The first one counts." });
    else all.set(param, value);
  }
  const query: { -readonly [Name in keyof TransactionQuery]: TransactionQuery[Name] } = { ...FIRST_QUERY };
  for (const [param, value] of all) {
    if (BESIDE_PARAMS.some((beside) => beside === param)) continue;
    const result = READERS.get(param)?.(value) ?? "There is no such filter.";
    if (typeof result === "string") problems.push({ param, value, message: result });
    else Object.assign(query, result);
  }
  const amount = readAmount(all, problems);
  if (amount) query.amount = amount;
  const currency = contradicted(query);
  if (currency !== null) {
    problems.push({ param: "currency", value: String(query.currency), message: onlyOf(currency) });
    Object.assign(query, { currency: [currency] });
  }
  return { query, problems };
}

function readAmount(all: ReadonlyMap<string, string>, problems: QueryProblem[]): AmountFilter | null {
  const min = all.get("min");
  const max = all.get("max");
  const unit = all.get("unit") ?? DEFAULT_UNIT;
  if (!isAmountUnit(unit)) {
    problems.push({
      param: "unit",
      value: unit,
      message: "Use a currency such as USD, or minor. Amounts can't be read without one.",
    });
    return null;
  }
  if (min === undefined && max === undefined) return null;
  const read = (param: string, value: string | undefined) => {
    if (value === undefined) return null;
    const amount = parseAmount(value, unit);
    if (amount === null) problems.push({ param, value, message: "Use an amount such as 50 or 49.90." });
    return amount;
  };
  const gte = read("min", min);
  const lte = read("max", max);
  if (gte !== null && lte !== null && gte > lte) {
    problems.push({ param: "min", value: min ?? "", message: "The smallest amount is above the largest." });
    return null;
  }
  return gte === null && lte === null ? null : { gte, lte, unit };
}

/** The parameters in canonical form: equal queries have equal addresses. Empty for {@link FIRST_QUERY}. */
export function formatQuery(query: TransactionQuery): string {
  const { sort, page, perPage } = query;
  const isNewestFirst = sort.field === "created_at" && sort.order === "desc";
  const params: [string, string | null][] = [
    ...usedFilters(query).flatMap((used): [string, string | null][] => {
      if (used.kind === "amount") return amountParams(used.value);
      return [[used.row.param, used.kind === "times" ? formatTimes(used.value) : String(used.value)]];
    }),
    ["sort", isNewestFirst ? null : `${sort.order === "desc" ? "-" : ""}${sort.field}`],
    ["page", page === 1 ? null : String(page)],
    ["per", perPage === FIRST_QUERY.perPage ? null : String(perPage)],
  ];
  return params.flatMap(([name, value]) => (value === null ? [] : [`${name}=${readable(value)}`])).join("&");
}

const amountParams = ({ gte, lte, unit }: AmountFilter): [string, string | null][] => [
  ["min", gte === null ? null : amountText(gte, unit)],
  ["max", lte === null ? null : amountText(lte, unit)],
  ["unit", unit === DEFAULT_UNIT ? null : unit],
];

/** Address of the transactions page for this query; any filter may be absent. */
export function transactionsHref(mode: string, query: Partial<TransactionQuery> = {}): string {
  const text = formatQuery({ ...FIRST_QUERY, ...query });
  return `/${mode}/transactions${text && `?${text}`}`;
}

/** Body of POST /v1/transactions/search, as in the contract's `searchTransactionsBody`. */
type SearchBody = { filters: SearchFilters; sort: TransactionQuery["sort"]; limit: number; offset: number };

/** An amount in a currency also filters by that currency; one in minor units applies to any. */
function withItsCurrency(filters: TransactionFilters): TransactionFilters {
  const { amount } = filters;
  return amount === undefined || amount.unit === MINOR_UNITS
    ? filters
    : ({ ...filters, currency: readWords(FILTERS.currency, [amount.unit]) ?? [] } as TransactionFilters);
}

/** The query in the API's format. Days and presets are resolved in `timeZone` at `now`. */
export function searchBody(query: TransactionQuery, timeZone: string, now: number): SearchBody {
  const filters = usedFilters(withItsCurrency(query)).map((used) => {
    if (used.kind === "times") return [used.name, resolveTimes(used.value, timeZone, now)];
    if (used.kind !== "amount") return [used.name, used.value];
    const { gte, lte } = used.value;
    return [used.name, { ...(gte !== null && { gte }), ...(lte !== null && { lte }) }];
  });
  return {
    filters: Object.fromEntries(filters),
    sort: query.sort,
    limit: query.perPage,
    offset: (query.page - 1) * query.perPage,
  };
}
