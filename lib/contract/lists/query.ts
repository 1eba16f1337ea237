/** Query of a list that pages by cursor, as in its page's address. */
import { formatTimes } from "@/lib/contract/transactions/time-range";
import { type QueryProblem, readable, readFilter } from "./address";
import { type FilterRows, usedIn } from "./filters";

type SortOrder = "asc" | "desc";

/** A list's filters and sort orders. The first sort is the default, in its own order. */
export type ListSpec<Sort extends string = string> = {
  readonly rows: FilterRows;
  readonly sorts: Readonly<Record<Sort, { first: SortOrder } & Readonly<Record<SortOrder, string>>>>;
  readonly defaultSort: Sort;
};

export const PER_PAGE = [20, 50, 100] as const;
export type PerPage = (typeof PER_PAGE)[number];

/** Everything in a list's address but its filters and saved view. */
export type ListPlace<Sort extends string = string> = {
  sort: { field: Sort; order: SortOrder };
  perPage: PerPage;
  /** Id of the row before the page, or of the one after it; at most one of them. */
  after: string | null;
  before: string | null;
};
export type ListQuery<Values extends object, Sort extends string> = Values & ListPlace<Sort>;

/** The first page without filters. */
export const firstPlace = <Sort extends string>({ sorts, defaultSort }: ListSpec<Sort>): ListPlace<Sort> => ({
  sort: { field: defaultSort, order: sorts[defaultSort].first },
  perPage: PER_PAGE[0],
  after: null,
  before: null,
});

/**
 * Parses an address's parameters. Invalid ones are dropped and listed in `problems`; `view` is not part of
 * it.
 */
export function parseList<Values extends object, Sort extends string>(
  spec: ListSpec<Sort>,
  params: Iterable<readonly [string, string]>,
): { query: ListQuery<Values, Sort>; problems: QueryProblem[] } {
  const problems: QueryProblem[] = [];
  const query: Record<string, unknown> = { ...firstPlace(spec) };
  const seen = new Set<string>();
  for (const [param, value] of params) {
    if (param === "view") continue;
    const result = seen.has(param) ? "Given more than once. The first one counts." : readParam(spec, param, value);
    seen.add(param);
    if (typeof result === "string") problems.push({ param, value, message: result });
    else Object.assign(query, result);
  }
  if (query.after !== null) query.before = null;
  return { query: query as ListQuery<Values, Sort>, problems };
}

function readParam<Sort extends string>(
  { rows, sorts }: ListSpec<Sort>,
  param: string,
  value: string,
): object | string {
  const found = rows.find(([, row]) => row.param === param);
  if (found) {
    const result = readFilter(found[1], value);
    return typeof result === "string" ? result : { [found[0]]: result.value };
  }
  switch (param) {
    case "sort": {
      const field = value.replace(/^-/, "");
      return Object.hasOwn(sorts, field)
        ? { sort: { field, order: value.startsWith("-") ? "desc" : "asc" } }
        : `Sort by ${Object.keys(sorts).join(", ")}; with a minus for the other direction.`;
    }
    case "per": {
      const perPage = PER_PAGE.find((size) => String(size) === value);
      return perPage ? { perPage } : `A page has ${PER_PAGE.join(", ")} rows.`;
    }
    case "after":
    case "before":
      return { [param]: value };
    default:
      return "There is no such filter.";
  }
}

/** Parameter and value of each active filter. */
export const formatFilters = (rows: FilterRows, filters: object): [param: string, value: string][] =>
  usedIn(rows, filters).map((used) => [
    used.row.param,
    used.kind === "times" ? formatTimes(used.value) : String(used.value),
  ]);

/** The parameters in canonical form: equal queries have equal addresses. Empty for the first page. */
export function formatList<Sort extends string>(spec: ListSpec<Sort>, query: ListPlace<Sort>): string {
  const { sort, perPage, after, before } = query;
  const first = firstPlace(spec);
  const isDefault = sort.field === first.sort.field && sort.order === first.sort.order;
  const params: [string, string | null][] = [
    ...formatFilters(spec.rows, query),
    ["sort", isDefault ? null : `${sort.order === "desc" ? "-" : ""}${sort.field}`],
    ["per", perPage === first.perPage ? null : String(perPage)],
    ["after", after],
    ["before", before],
  ];
  return params.flatMap(([name, value]) => (value === null ? [] : [`${name}=${readable(value)}`])).join("&");
}
