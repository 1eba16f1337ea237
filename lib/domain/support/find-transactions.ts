import type { FoundRow } from "@/db/queries/support/search";
import { searchTransactionsEverywhere } from "@/db/queries/support/transactions";
import { isCanceled } from "@/db/refusals";
import { DatabaseUnavailable } from "@/db/unavailable";
import { addDays } from "@/lib/contract/reporting/period";
import {
  RECENT_DAYS,
  SEARCH_LIMIT,
  type SearchReach,
  type TransactionSearch,
} from "@/lib/contract/support/search-results";
import { usedFilters } from "@/lib/contract/transactions/filters";
import { FIRST_QUERY, searchBody } from "@/lib/contract/transactions/query";
import { parseSearch } from "@/lib/contract/transactions/search";
import { filterOf } from "../transactions/read-transactions";
import type { StaffCall } from "./staff";

/**
 * Timeout while a user waits. Uses the connection for slow
 * work, one at a time, so that sign-ins and pages keep theirs.
 */
const LIMIT_MS = 5_000;

const REFUNDED_AGAIN =
  /\brefunded\s+(?:twice|again|repeatedly|(?:more than once|several times|multiple times))[.!?]*(?![^\s,;])|\brefunds:>1(?![^\s,;])/gi;
const DOTS = /(?<![•*·])[•*·]+\s*(?=\d{4}\b)/g;
/**
 * A bare number has many meanings: a card's last digits, an amount in any currency, part of an order number.
 */
const NUMBER = /^[\d,]+(?:\.\d{1,4})?$/;

export type ReadTransactions = Pick<TransactionSearch, "filters" | "refundedAgain" | "problems">;

/**
 * Parses a search for transactions: the merchants' grammar, plus "refunded twice". Null if it contains none.
 */
export function readTransactionSearch(input: string): ReadTransactions | null {
  const refundedAgain = input.search(REFUNDED_AGAIN) >= 0;
  const text = input
    .replaceAll(REFUNDED_AGAIN, " ")
    .replaceAll(DOTS, "")
    .replace(/^[\s,;]+|(?<![\s,;])[\s,;]+$/g, "")
    .replace(/(?<=[\p{L}\p{N}])[.!?]$/u, "");
  if (NUMBER.test(text)) {
    const isEnd = text.length === 4 && refundedAgain;
    return { filters: isEnd ? { card_last4: text } : { q: text }, refundedAgain, problems: [] };
  }
  const read = parseSearch(text);
  // Next to other words, four digits are the card's last ones, as customers quote them.
  const card = read.hint && new RegExp(`(?<![^\\s,;])${read.hint.word}(?![^\\s,;.!?])`);
  const { filters, problems, jump } = card ? parseSearch(text.replace(card, "last4:$&")) : read;
  if (jump !== null) return { filters: {}, refundedAgain, problems: ["Search for an id alone, without other words."] };
  if (!refundedAgain && usedFilters(filters).length === 0 && problems.length === 0) return null;
  return {
    filters,
    refundedAgain,
    problems: problems.map(({ word, message }) => (word ? `“${word}”: ${message}` : message)),
  };
}

export type PageOfSearch = Pick<TransactionSearch, "sort" | "order" | "page"> & { readonly reach: SearchReach };

/** Filters whose index finds few transactions of a merchant, at any age. */
const NARROW = ["customer_id", "customer_email", "subscription_id", "card_last4", "plan_id", "attention"] as const;
const TIMES = ["created_at", "captured_at"] as const;

function isAsWideAsTime({ filters, refundedAgain }: ReadTransactions): boolean {
  const isNarrow = [...NARROW, ...TIMES].some((name) => filters[name] !== undefined);
  return !isNarrow && (refundedAgain || filters.q !== undefined);
}

/** Transactions of all merchants that match a search. Days are in UTC, as merchants' time zones differ. */
export async function findTransactionsEverywhere(
  { service }: StaffCall,
  read: ReadTransactions,
  { sort, order, page, reach: requestedReach }: PageOfSearch,
): Promise<{ rows: FoundRow[]; search: TransactionSearch }> {
  const now = service.clock.now().getTime();
  const reach = isAsWideAsTime(read) ? requestedReach : null;
  const from = { from: addDays(new Date(now).toISOString().slice(0, 10), -RECENT_DAYS), to: null };
  const query = { ...FIRST_QUERY, ...read.filters, ...(reach === "recent" && { created_at: from }) };
  const { filters } = searchBody(query, "UTC", now);
  const filter = filterOf(filters);
  const none = { ...read, sort, order, page, reach, hasMore: false } as const;
  if (filter === null || (!read.refundedAgain && usedFilters(read.filters).length === 0))
    return { rows: [], search: none };
  const window = { sort, order, offset: (page - 1) * SEARCH_LIMIT, limit: SEARCH_LIMIT + 1 };
  try {
    const wanted = { ...filter, refundedAgain: read.refundedAgain };
    const rows = await searchTransactionsEverywhere(service.db.long, wanted, window, LIMIT_MS);
    const hasMore = rows.length > SEARCH_LIMIT;
    return { rows: rows.slice(0, SEARCH_LIMIT), search: { ...none, hasMore } };
  } catch (error) {
    const problem = isCanceled(error) ? TOO_LONG : error instanceof DatabaseUnavailable ? BUSY : null;
    if (problem === null) throw error;
    return { rows: [], search: { ...none, problems: [...read.problems, problem] } };
  }
}

const BUSY = "Another search is under way. Try again in a few seconds.";
const TOO_LONG = "There was too much to look through in five seconds. Add a date, the last 4 digits or a name.";
