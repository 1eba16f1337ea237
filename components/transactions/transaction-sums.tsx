"use client";

import { useQuery } from "@tanstack/react-query";
import { Button } from "@/components/ui/button";
import { Skeleton } from "@/components/ui/skeleton";
import { callApi } from "@/lib/client/api";
import { moneyText } from "@/lib/contract/format";
import { FIRST_QUERY, formatQuery, type TransactionQuery } from "@/lib/contract/transactions/query";
import type { CurrencySum } from "@/lib/contract/transactions/sums";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import type { Mode } from "@/lib/contract/transactions/words";

/** Sums read up to 10,000 rows: they follow the list, and not with each of its answers. */
const REFRESH_MS = 30_000;

type TransactionSumsProps = { mode: Mode; query: TransactionQuery; selected: readonly ListedTransaction[] };

/** Below the rows: what all of them come to, and the selected ones. Asked for apart, so that the list never waits for it. */
export function TransactionSums({ mode, query, selected }: TransactionSumsProps) {
  const { page, perPage } = FIRST_QUERY;
  const all = useSums(mode, { search: formatQuery({ ...query, page, perPage }) });
  return (
    <section aria-label="Totals" className="flex min-h-16 flex-wrap gap-x-12 gap-y-3 pt-3 text-[13px]">
      {selected.length > 0 && <SelectedSums mode={mode} selected={selected} />}
      <Found asked={all} title={all.data ? titleOf(all.data) : ""} />
    </section>
  );
}

function SelectedSums({ mode, selected }: Pick<TransactionSumsProps, "mode" | "selected">) {
  const asked = useSums(mode, { ids: selected.map(({ id }) => id).join(",") });
  return <Found asked={asked} title={`${selected.length} selected`} isLive />;
}

function useSums(mode: Mode, query: { search: string } | { ids: string }) {
  return useQuery({
    queryKey: ["transaction-sums", mode, query],
    queryFn: async ({ signal }) =>
      (await callApi("GET /api/dashboard/{mode}/transactions/sums", { params: { mode }, query, signal })).data,
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
    retry: 1,
  });
}

function Found({ asked, title, isLive }: { asked: ReturnType<typeof useSums>; title: string; isLive?: boolean }) {
  const { data, error, refetch, isFetching } = asked;
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

const NUMBER = "pl-6 text-right tabular-nums whitespace-nowrap";

type SumsProps = { title: string; sums: readonly CurrencySum[]; isLive?: boolean | undefined };

function Sums({ title, sums, isLive = false }: SumsProps) {
  return (
    <table className="h-min" aria-live={isLive ? "polite" : undefined}>
      <caption className="sr-only">Totals of {title.toLowerCase()}</caption>
      <thead className="text-soft text-xs">
        <tr>
          <th scope="col" className="text-left font-medium">
            {title}
          </th>
          {["Gross", "Refunded", "Fees", "Net"].map((heading) => (
            <th key={heading} scope="col" className={`${NUMBER} font-normal`}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sums.map(({ currency, gross, refunded, fees, net }) => (
          <tr key={currency}>
            <th scope="row" className="text-left font-normal text-soft">
              {currency}
            </th>
            <td className={NUMBER}>{moneyText(gross, currency)}</td>
            <td className={NUMBER}>{moneyText(refunded === 0 ? 0 : -refunded, currency)}</td>
            <td className={NUMBER}>{moneyText(fees === 0 ? 0 : -fees, currency)}</td>
            <td className={`${NUMBER} font-medium`}>{moneyText(net, currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
