"use client";

import { useQuery } from "@tanstack/react-query";
import { SumsTable } from "@/components/lists/sums-table";
import { Button } from "@/components/ui/button";
import { Skeleton } from "@/components/ui/skeleton";
import { callApi } from "@/lib/client/api";
import { FIRST_QUERY, formatQuery, type TransactionQuery } from "@/lib/contract/transactions/query";
import type { CurrencySum } from "@/lib/contract/transactions/sums";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import type { Mode } from "@/lib/contract/transactions/words";

/** Sums read up to 10,000 rows, so they refresh less often than the list. */
const REFRESH_MS = 30_000;

type TransactionSumsProps = {
  mode: Mode;
  query: TransactionQuery;
  rows: readonly ListedTransaction[];
  selected: readonly ListedTransaction[];
};

/** Totals of the list and of the selection, requested separately so that the list never waits for them. */
export function TransactionSums({ mode, query, rows, selected }: TransactionSumsProps) {
  const { page, perPage } = FIRST_QUERY;
  const all = useSums(mode, { search: formatQuery({ ...query, page, perPage }) }, rows);
  return (
    <section aria-label="Totals" className="flex min-h-16 flex-wrap gap-x-12 gap-y-3 pt-3 text-[13px]">
      {selected.length > 0 && <SelectedSums mode={mode} selected={selected} />}
      <Found query={all} title={all.data ? titleOf(all.data) : ""} />
    </section>
  );
}

function SelectedSums({ mode, selected }: Pick<TransactionSumsProps, "mode" | "selected">) {
  const query = useSums(mode, { ids: selected.map(({ id }) => id).join(",") }, selected);
  return <Found query={query} title={`${selected.length} selected`} isLive />;
}

/** A visible refund changes the key and so the sums; a money dialog invalidates them. */
function useSums(mode: Mode, query: { search: string } | { ids: string }, rows: readonly ListedTransaction[]) {
  const refunded = rows.reduce((sum, { amount_refunded }) => sum + amount_refunded, 0);
  return useQuery({
    queryKey: ["transactions", mode, "sums", query, refunded],
    queryFn: async ({ signal }) =>
      (await callApi("GET /api/dashboard/{mode}/transactions/sums", { params: { mode }, query, signal })).data,
    // Keep the sums during a refresh, but not those of another query.
    placeholderData: (sums, before) =>
      JSON.stringify(before?.queryKey[3]) === JSON.stringify(query) ? sums : undefined,
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
    retry: 1,
  });
}

function Found({ query, title, isLive }: { query: ReturnType<typeof useSums>; title: string; isLive?: boolean }) {
  const { data, error, refetch, isFetching } = query;
  if (data) return <SumsTable title={title} headings={HEADINGS} rows={data.sums.map(amountsOf)} isLive={isLive} />;
  if (!error) return <Skeleton className="h-10 w-96 max-w-full" />;
  return (
    <p className="flex items-center gap-2 self-start text-soft">
      The totals could not be loaded.
      <Button size="sm" pending={isFetching} onClick={() => void refetch()}>
        Try again
      </Button>
    </p>
  );
}

function titleOf({ rows, capped }: { rows: number; capped: boolean }): string {
  const count = rows.toLocaleString("en-US");
  if (capped) return `First ${count} transactions`;
  return rows === 1 ? "1 transaction" : `All ${count} transactions`;
}

const HEADINGS = ["Gross", "Refunded", "Fees", "Net"] as const;

const amountsOf = ({ currency, gross, refunded, fees, net }: CurrencySum) => ({
  currency,
  amounts: [gross, -refunded, -fees, net],
});
