import type { Metadata } from "next";
import { SearchBox } from "@/components/support/search-box";
import { SearchResults, SearchStart } from "@/components/support/search-results";
import { AppError } from "@/lib/contract/errors";
import type { SearchAnswer } from "@/lib/contract/support/search-results";
import { searchEverything } from "@/lib/domain/support/search";
import type { StaffCall } from "@/lib/domain/support/staff";
import { listOwnSearches } from "@/lib/domain/support/staff-acts";
import { countUnknownOutcomes } from "@/lib/domain/support/unknown-outcomes";
import { supportPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Support" };

type SearchPageProps = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function SupportSearchPage({ searchParams }: SearchPageProps) {
  const page = await supportPage();
  const { q } = await searchParams;
  const text = typeof q === "string" ? q.trim() : "";
  const { answer, refusal } = await search(page, text);
  return (
    <>
      <h1 className="mb-1 font-semibold text-xl leading-8 tracking-tight">Search all merchants</h1>
      <SearchBox key={text} text={refusal === null ? text : ""} refusal={refusal} />
      {answer ? (
        <SearchResults answer={answer} />
      ) : (
        <SearchStart searches={await listOwnSearches(page)} unknown={await countUnknownOutcomes(page.service)} />
      )}
    </>
  );
}

/** Refusals belong to the search box; anything else to the error page. */
async function search(page: StaffCall, text: string): Promise<{ answer: SearchAnswer | null; refusal: string | null }> {
  if (text === "") return { answer: null, refusal: null };
  try {
    return { answer: await searchEverything(page, { text }), refusal: null };
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_parameter")
      return { answer: null, refusal: error.message };
    throw error;
  }
}
