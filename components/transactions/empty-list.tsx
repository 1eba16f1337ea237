"use client";

import { useQuery } from "@tanstack/react-query";
import { CreditCard } from "lucide-react";
import { Button } from "@/components/ui/button";
import { EmptyState, PastLastPage } from "@/components/ui/empty-state";
import { useDashboard } from "@/lib/client/dashboard-context";
import { filterChips } from "@/lib/client/lists/filter-chips";
import { fetchTransactions } from "@/lib/client/transactions/live-rows";
import { FILTER_ROWS, type TransactionFilters } from "@/lib/contract/transactions/filters";
import { formatQuery, type TransactionQuery } from "@/lib/contract/transactions/query";
import type { Mode } from "@/lib/contract/transactions/words";

type EmptyListProps = {
  mode: Mode;
  /** Active filters as text; empty if there are no transactions at all. */
  filters: readonly string[];
  /** Rows on other pages, when this page is past the last. */
  total: number;
  lastPage: number;
  apiUrl: string;
  query: TransactionQuery;
  onClear: () => void;
  onFilters: (filters: TransactionFilters) => void;
  onPage: (page: number) => void;
};

/** Explains why there are no rows. */
export function EmptyList({
  mode,
  filters,
  total,
  lastPage,
  apiUrl,
  query,
  onClear,
  onFilters,
  onPage,
}: EmptyListProps) {
  const { can } = useDashboard();
  if (total > 0) {
    return (
      <PastLastPage>
        <Button onClick={() => onPage(lastPage)}>Go to page {lastPage}</Button>
      </PastLastPage>
    );
  }
  if (filters.length > 0)
    return (
      <EmptyState
        kind="no-results"
        what="payments"
        filters={filters}
        onClear={onClear}
        actions={<Wider mode={mode} query={query} onFilters={onFilters} />}
      />
    );
  return (
    <EmptyState
      icon={<CreditCard aria-hidden="true" />}
      title={mode === "test" ? "No payments yet" : "No live payments yet"}
      description={
        mode === "test"
          ? "Create a payment link and pay it with a test card. Developers can run this with a test key. Payments appear here automatically."
          : "Create a payment link and share it. Developers charge a token of the payment form with a live key. Payments appear here automatically."
      }
      curl={firstPayment(mode, apiUrl)}
      curlTitle="Make a payment"
      actions={
        <>
          {can("client_session.create") && (
            <a className="button button-primary" href={`/${mode}/checkout/links/new`}>
              Create a payment link
            </a>
          )}
          {can("api_key.manage") && (
            <a className="button button-secondary" href={`/${mode}/developers/api-keys`}>
              Get an API key
            </a>
          )}
        </>
      }
    />
  );
}

/** The query with one search term or filter removed. */
function narrowings(query: TransactionQuery, timeZone: string) {
  const words = query.q?.split(/\s+/) ?? [];
  const chips = filterChips(FILTER_ROWS, query, timeZone);
  const byWord = words.map((word, i) => ({ without: `“${word}”`, filters: { q: words.toSpliced(i, 1).join(" ") } }));
  const byFilter = chips.map(({ name, label }) => ({
    without: name === "q" ? `“${query.q}”` : label,
    filters: { [name]: undefined },
  }));
  return [...(words.length > 1 ? byWord : []), ...(chips.length > 1 ? byFilter : [])];
}

/** Limit of look-ups for an empty list. */
const MAX_NARROWINGS = 10;

/** Searches with one term or filter less that have results. */
function Wider({ mode, query, onFilters }: Pick<EmptyListProps, "mode" | "query" | "onFilters">) {
  const { clock, merchant } = useDashboard();
  const { timeZone } = merchant;
  const wider = narrowings(query, timeZone).slice(0, MAX_NARROWINGS);
  const { data } = useQuery({
    queryKey: ["wider", mode, formatQuery(query)],
    enabled: wider.length > 0,
    queryFn: async ({ signal }) => {
      const counts: number[] = [];
      // Sequential, so that an empty list doesn't burden the service.
      for (const { filters } of wider) {
        const asked = { query: { ...query, ...filters, page: 1 }, clock };
        const { total } = await fetchTransactions({ ...asked, mode, timeZone, signal });
        counts.push(total);
      }
      return counts;
    },
  });
  return wider.map(({ without, filters }, i) => {
    const count = data?.[i] ?? 0;
    if (count === 0) return null;
    return (
      <Button key={without} onClick={() => onFilters(filters)}>
        Without {without}: {count.toLocaleString("en-US")}
      </Button>
    );
  });
}

function firstPayment(mode: Mode, apiUrl: string): string {
  const body =
    mode === "test"
      ? '{"amount": 1999, "currency": "USD", "card": {"number": "4242424242424242", "exp_month": 12, "exp_year": 2030, "cvv": "123"}}'
      : '{"amount": 1999, "currency": "USD", "payment_token": "tok_…"}';
  return [
    `curl ${apiUrl}/v1/payments \\`,
    `  -H "X-Api-Key: sk_${mode}_…" \\`,
    `  -H "X-Idempotency-Key: order-1001" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '${body}'`,
  ].join("\n");
}
