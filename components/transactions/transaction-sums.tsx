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
  const search = formatQuery({ ...query, page, perPage });
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ["transaction-sums", mode, search],
    queryFn: async ({ signal }) => {
      const call = { params: { mode }, query: { search }, signal };
      return (await callApi("GET /api/dashboard/{mode}/transactions/sums", call)).data;
    },
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
    retry: 1,
  });
  return (
    <section aria-label="Totals" className="flex min-h-16 flex-wrap gap-x-12 gap-y-3 pt-3 text-[13px]">
      {selected.length > 0 && <Sums title={`${selected.length} selected`} sums={sumsOf(selected)} isLive />}
      {data ? (
        <Sums title={titleOf(data)} sums={data.sums} />
      ) : error ? (
        <p className="flex items-center gap-2 self-start text-soft">
          The totals could not be loaded.
          <Button size="sm" pending={isFetching} onClick={() => void refetch()}>
            Try again
          </Button>
        </p>
      ) : (
        <Skeleton className="h-10 w-96 max-w-full" />
      )}
    </section>
  );
}

function titleOf({ rows, capped }: { rows: number; capped: boolean }): string {
  const count = rows.toLocaleString("en-US");
  if (capped) return `First ${count} transactions`;
  return rows === 1 ? "1 transaction" : `All ${count} transactions`;
}

const NUMBER = "pl-6 text-right tabular-nums whitespace-nowrap";

type SumsProps = { title: string; sums: readonly CurrencySum[]; isLive?: boolean };

function Sums({ title, sums, isLive = false }: SumsProps) {
  return (
    <table className="h-min" aria-live={isLive ? "polite" : undefined}>
      <caption className="sr-only">Totals of {title.toLowerCase()}, before fees</caption>
      <thead className="text-soft text-xs">
        <tr>
          <th scope="col" className="text-left font-medium">
            {title}
          </th>
          {["Gross", "Refunded", "Net"].map((heading) => (
            <th key={heading} scope="col" className={`${NUMBER} font-normal`}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sums.map(({ currency, gross, refunded, net }) => (
          <tr key={currency}>
            <th scope="row" className="text-left font-normal text-soft">
              {currency}
            </th>
            <td className={NUMBER}>{moneyText(gross, currency)}</td>
            <td className={NUMBER}>{moneyText(refunded === 0 ? 0 : -refunded, currency)}</td>
            <td className={`${NUMBER} font-medium`}>{moneyText(net, currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Row = Pick<ListedTransaction, "type" | "status" | "amount" | "amount_captured" | "amount_refunded" | "currency">;

/** Of a refund: the money has left. */
const isPaidBack = ({ type, status }: Row) => type === "REFUND" && (status === "CAPTURED" || status === "SETTLED");

/** What rows come to, by currency code: as the service adds up a whole list. */
function sumsOf(rows: readonly Row[]): CurrencySum[] {
  const sums = new Map<string, CurrencySum>();
  const chargesAlone = rows.every(({ type }) => type === "CHARGE");
  const refundedOf = (row: Row) => (chargesAlone ? row.amount_refunded : isPaidBack(row) ? row.amount : 0);
  for (const row of rows) {
    const { gross, refunded } = sums.get(row.currency) ?? { gross: 0, refunded: 0 };
    const next = {
      gross: gross + (row.type === "CHARGE" ? row.amount_captured : 0),
      refunded: refunded + refundedOf(row),
    };
    sums.set(row.currency, { currency: row.currency, ...next, net: next.gross - next.refunded });
  }
  return [...sums.values()].toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
}
