"use client";

import { useQuery } from "@tanstack/react-query";
import { Button } from "@/components/ui/button";
import { Skeleton } from "@/components/ui/skeleton";
import { cn } from "@/components/ui/styles";
import { callApi } from "@/lib/client/api";
import { moneyText } from "@/lib/contract/format";
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
  if (data) return <Sums title={title} sums={data.sums} isLive={isLive} />;
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

/** Each figure on a line of its own on phones, with its heading before it. */
const FIGURE =
  "text-right tabular-nums whitespace-nowrap sm:pl-6 max-sm:flex max-sm:justify-between max-sm:before:text-soft max-sm:before:content-[attr(data-heading)]";

type SumsProps = { title: string; sums: readonly CurrencySum[]; isLive?: boolean | undefined };

function Sums({ title, sums, isLive = false }: SumsProps) {
  return (
    <table className="h-min max-sm:block max-sm:w-full" aria-live={isLive ? "polite" : undefined}>
      <caption className="pb-0.5 text-left font-medium text-soft text-xs max-sm:block">
        <span className="sr-only">Totals: </span>
        <span>{title}</span>
      </caption>
      <thead className="text-soft text-xs max-sm:sr-only">
        <tr>
          <th scope="col" className="text-left font-normal">
            Currency
          </th>
          {HEADINGS.map((heading) => (
            <th key={heading} scope="col" className="pl-6 text-right font-normal">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {sums.map(({ currency, gross, refunded, fees, net }) => (
          <tr key={currency} className="max-sm:block max-sm:pb-2">
            <th scope="row" className="text-left font-normal text-soft max-sm:block">
              {currency}
            </th>
            {[gross, -refunded, -fees, net].map((amount, index) => (
              <td
                key={HEADINGS[index]}
                data-heading={HEADINGS[index]}
                className={cn(FIGURE, HEADINGS[index] === "Net" && "font-medium")}
              >
                {moneyText(amount === 0 ? 0 : amount, currency)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
