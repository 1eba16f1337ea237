import { TOTAL_CAP } from "@/lib/contract/fields";
import {
  type CardBrand,
  type SortField,
  TRANSACTION_STATUSES,
  type TransactionStatus,
} from "@/lib/contract/transactions/words";
import { columnList, fetchSize, Parameters, type StatementText } from "../statement-text";
import { MONEY_COLUMNS, TRANSACTION_COLUMNS } from "./columns";

/** What to find. An id is a UUIDv7 made in the millisecond of `created_at`, so times are given as ranges of ids. */
export type TransactionFilter = {
  /** First id to include. */
  readonly fromId?: string | undefined;
  /** First id past the range. */
  readonly beforeId?: string | undefined;
  readonly statuses?: readonly TransactionStatus[] | undefined;
  readonly brands?: readonly CardBrand[] | undefined;
  readonly customerId?: string | undefined;
  /** Compared without regard to case. */
  readonly customerEmail?: string | undefined;
  readonly subscriptionId?: string | undefined;
  readonly cardLast4?: string | undefined;
  /** Minor units, inclusive. */
  readonly minAmount?: number | undefined;
  readonly maxAmount?: number | undefined;
};

export type TransactionCursor = { readonly id: string; readonly amount: number; readonly status: TransactionStatus };

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
 * only the page's own rows are then looked up, by primary key; in inner joins, for which row-level security is asked once and
 * not for each row. Which index:
 * - customer, e-mail, subscription, last four digits: transactions_customer, _email, _subscription, _last4;
 * - brands, with or without statuses: transactions_brand; statuses: transactions_status, which also sorts by status;
 * - amounts, and sorting by amount: transactions_amount, or whichever of the above PostgreSQL reckons is narrower;
 * - nothing, or times only: the primary key. Times narrow every one of them, as the id is its last column.
 */
export function transactionPageText(
  environmentId: string,
  filter: TransactionFilter,
  page: TransactionPage,
  { counts, columns = TRANSACTION_COLUMNS }: { counts: boolean; columns?: readonly string[] },
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
select ${columnList("t", columns)}, ${columnList("p", MONEY_COLUMNS, "p_")}
from (${window}) page
join transactions t on t.environment_id = ${environment} and t.id = page.id
join payments p on p.environment_id = ${environment} and p.id = t.payment_id`;
  if (!counts) {
    const text = `${rows}\norder by ${ordering(page, "t.")}`;
    return { text, parameters, prepare };
  }
  const text = `
select c.total, r.*
from (select count(*)::int as total from (select from transactions where ${where}${countOrder(filter, page)} limit ${TOTAL_CAP + 1}) hits) c
left join (${rows}
) r on true
order by ${ordering(page, "r.")}`;
  return { text, parameters, prepare };
}

/** The filter's terms, without a table's name. */
export function conditions(parameters: Parameters, environment: string, filter: TransactionFilter): string {
  const terms = [`environment_id = ${environment}`];
  if (filter.customerId !== undefined) terms.push(`customer_id = ${parameters.add(filter.customerId)}`);
  if (filter.customerEmail !== undefined) {
    terms.push(`customer_email_key = lower(${parameters.add(filter.customerEmail)})`);
  }
  if (filter.subscriptionId !== undefined) terms.push(`subscription_id = ${parameters.add(filter.subscriptionId)}`);
  if (filter.cardLast4 !== undefined) terms.push(`card_last4 = ${parameters.add(filter.cardLast4)}`);
  if (filter.brands) terms.push(`card_brand ${parameters.oneOf(filter.brands)}`);
  if (filter.statuses) terms.push(`status ${parameters.oneOf(filter.statuses)}`);
  if (filter.minAmount !== undefined) terms.push(`amount >= ${parameters.add(filter.minAmount)}`);
  if (filter.maxAmount !== undefined) terms.push(`amount <= ${parameters.add(filter.maxAmount)}`);
  if (filter.fromId !== undefined) terms.push(`id >= ${parameters.add(filter.fromId)}`);
  if (filter.beforeId !== undefined) terms.push(`id < ${parameters.add(filter.beforeId)}`);
  return terms.join(" and ");
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
  const times = [
    filter.fromId === undefined ? "" : ` and id >= ${parameters.add(filter.fromId)}`,
    filter.beforeId === undefined ? "" : ` and id < ${parameters.add(filter.beforeId)}`,
  ].join("");
  const columns = SORT_COLUMNS[page.sort].join(", ");
  const scans = range.map(
    (group) =>
      `(select ${columns} from transactions where environment_id = ${environment} and ${group}${times}${after} order by ${ordering(page)} limit ${page.offset + size})`,
  );
  return `select id from (${scans.join(" union all ")}) merged order by ${ordering(page)} limit ${size} offset ${page.offset}`;
}

/** The contract's own values can stand in the text, where the planner sees them. */
const quoted = (value: string) => `'${value}'`;

/** The groups to merge; null when one index range answers in order, or when it is better left to the planner. */
function groupsToMerge(filter: TransactionFilter, page: TransactionPage, write = quoted): string[] | null {
  const { brands, statuses } = filter;
  const narrower = filter.customerId ?? filter.customerEmail ?? filter.subscriptionId ?? filter.cardLast4;
  const byAmount = filter.minAmount ?? filter.maxAmount;
  if (page.sort === "amount" || narrower !== undefined || byAmount !== undefined) return null;
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
  amount: ["amount", "id"],
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

/** Newest first by at most one filter, or a sort without any: one plan is the best for whatever values. */
function keepsItsPlan(filter: TransactionFilter, page: TransactionPage): boolean {
  const { fromId: _from, beforeId: _before, ...rest } = filter;
  const used = Object.values(rest).filter((value) => value !== undefined);
  const first = used[0];
  if (page.order !== "desc" || used.length > 1 || filter.minAmount !== undefined || filter.maxAmount !== undefined)
    return false;
  if (page.sort !== "created_at")
    return used.length === 0 && filter.fromId === undefined && filter.beforeId === undefined;
  return !Array.isArray(first) || first.length === 1;
}

/**
 * The same of a page that is not counted. What is read in the order of one index, or merged from few of its ranges, needs no
 * more than its rows, whatever the values; but what many filters leave of an index may be little, and is better planned for.
 */
function pageKeepsItsPlan(filter: TransactionFilter, page: TransactionPage): boolean {
  const { fromId: _from, beforeId: _before, minAmount: _min, maxAmount: _max, ...rest } = filter;
  const used = Object.values(rest).filter((value) => value !== undefined);
  const byTimes = filter.fromId !== undefined || filter.beforeId !== undefined;
  const byAmounts = filter.minAmount !== undefined || filter.maxAmount !== undefined;
  switch (page.sort) {
    case "created_at": {
      const groups = groupsToMerge(filter, page);
      // Each number of them is a plan to keep.
      if (groups !== null)
        return filter.brands ? used.length === 1 && filter.brands.length === 1 : groups.length <= FEW_GROUPS;
      return !byAmounts && used.length <= 1;
    }
    case "amount":
      return !byTimes && (used.length === 0 || (used.length === 1 && filter.brands !== undefined));
    case "status":
      return used.length === 0 && !byTimes && !byAmounts;
    default:
      return page.sort satisfies never;
  }
}
