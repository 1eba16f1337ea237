import type { Metadata } from "next";
import { SiteHeader } from "@/components/docs/docs-shell";
import { searchDocuments } from "@/components/docs/search/documents";
import { Results } from "@/components/docs/search/results";
import { createSearch, type DocsSearch } from "@/components/docs/search/search";
import { Button } from "@/components/ui/button";
import { Field, Input } from "@/components/ui/field";
import { findDemoShop } from "@/lib/http/demo";
import { buildOpenApi } from "@/lib/http/openapi";
import { errorExample } from "@/lib/http/openapi-schemas";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = { title: "Search", robots: { index: false } };

type SearchPageProps = { searchParams: Promise<{ q?: string | string[] }> };

const MAX_QUERY_LENGTH = 200;
const MAX_RESULTS = 50;

let kept: DocsSearch | null = null;

async function docsSearch(): Promise<DocsSearch> {
  const urls = await publicUrls();
  const problem = errorExample("card_declined", `${urls.baseUrl}/docs`).value;
  kept ??= createSearch(searchDocuments(buildOpenApi(urls), { ...urls, problem, hasDemo: findDemoShop() !== null }));
  return kept;
}

/** Search page for browsers without JavaScript, and the full results for all others. */
export default async function SearchPage({ searchParams }: SearchPageProps) {
  const { q = "" } = await searchParams;
  const question = [q].flat().join(" ").trim().slice(0, MAX_QUERY_LENGTH);
  const results = question === "" ? [] : (await docsSearch())(question, MAX_RESULTS);
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto max-w-[50rem] px-4 py-8 pb-24 sm:px-6">
        <h1 className="font-semibold text-2xl tracking-tight">Search the documentation</h1>
        <form action="/docs/search" className="mt-5 flex items-end gap-2">
          <Field label="Words" hideLabel className="flex-1">
            {(control) => (
              <Input {...control} type="search" name="q" defaultValue={question} maxLength={MAX_QUERY_LENGTH} />
            )}
          </Field>
          <Button type="submit" variant="primary">
            Search
          </Button>
        </form>
        <p className="mt-4 text-[13px] text-soft">{sentenceOf(question, results.length)}</p>
        <Results results={results} />
      </main>
    </>
  );
}

function sentenceOf(question: string, count: number): string {
  if (question === "") return "Guides, endpoints, parameters, error codes, events and test cards.";
  if (count === 0) return `Nothing matches “${question}”. Try fewer words, or just the start of one.`;
  if (count === MAX_RESULTS) return `The best ${MAX_RESULTS} results for “${question}”.`;
  return `${count} ${count === 1 ? "result" : "results"} for “${question}”.`;
}
