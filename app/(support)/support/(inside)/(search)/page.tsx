import type { Metadata } from "next";
import { SupportSearch } from "@/components/support/search-box";
import { SearchResults, SearchStart } from "@/components/support/search-results";
import { AppError } from "@/lib/contract/errors";
import { MAX_PAGES, SEARCH_LIMIT, type SearchResponse } from "@/lib/contract/support/search-results";
import { SORT_FIELDS, type SortField } from "@/lib/contract/transactions/words";
import { searchEverything } from "@/lib/domain/support/search";
import type { StaffCall } from "@/lib/domain/support/staff";
import { listOwnSearches } from "@/lib/domain/support/staff-acts";
import { countUnknownOutcomes } from "@/lib/domain/support/unknown-outcomes";
import { type SearchParams, supportPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Support" };

type SearchPageProps = { searchParams: Promise<SearchParams> };

export default async function SupportSearchPage({ searchParams }: SearchPageProps) {
  const page = await supportPage();
  const { q, sort, offset, reach } = await searchParams;
  const text = typeof q === "string" ? q.trim() : "";
  const { answer, refusal } = await search(page, {
    text,
    ...sortOf(sort),
    page: pageOf(offset),
    reach: reach === "all" ? "all" : "recent",
  });
  return (
    <>
      <h1 className="mb-1 font-semibold text-xl leading-8 tracking-tight">Search all merchants</h1>
      <SupportSearch key={text} text={refusal === null ? text : ""} refusal={refusal} />
      {answer ? (
        <SearchResults answer={answer} />
      ) : (
        <SearchStart searches={await listOwnSearches(page)} unknown={await countUnknownOutcomes(page.service)} />
      )}
    </>
  );
}

/** Refusals are shown at the search box; anything else goes to the error page. */
async function search(
  page: StaffCall,
  query: Parameters<typeof searchEverything>[1],
): Promise<{ answer: SearchResponse | null; refusal: string | null }> {
  if (query.text === "") return { answer: null, refusal: null };
  try {
    return { answer: await searchEverything(page, query), refusal: null };
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_parameter")
      return { answer: null, refusal: error.message };
    throw error;
  }
}

type Param = string | string[] | undefined;

/** `-amount` sorts the largest first; an unknown sort means newest first. */
function sortOf(param: Param): { sort: SortField; order: "asc" | "desc" } {
  const [, minus, name] = /^(-?)(\w+)$/.exec(typeof param === "string" ? param : "") ?? [];
  const sort = SORT_FIELDS.find((field) => field === name);
  return sort ? { sort, order: minus ? "desc" : "asc" } : { sort: "created_at", order: "desc" };
}

function pageOf(offset: Param): number {
  const rows = typeof offset === "string" && /^\d{1,6}$/.test(offset) ? Number(offset) : 0;
  return Math.min(Math.floor(rows / SEARCH_LIMIT) + 1, MAX_PAGES);
}
