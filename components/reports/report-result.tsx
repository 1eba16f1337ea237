import { FileSpreadsheet } from "lucide-react";
import Link from "next/link";
import { ExportButton } from "@/components/reporting/export-button";
import { Banner } from "@/components/ui/banner";
import { Card, Money } from "@/components/ui/card";
import { EmptyState } from "@/components/ui/empty-state";
import { ColumnHeads } from "@/components/ui/page-links";
import { Time } from "@/components/ui/time";
import { dayText } from "@/lib/contract/format";
import type { IdKind } from "@/lib/contract/ids";
import { type ReportQuery, reportHref } from "@/lib/contract/reports/report-query";
import { TOTALS_SQL } from "@/lib/contract/reports/report-sql";
import {
  REPORT_COLUMNS,
  REPORT_WORDS,
  type ReportColumn,
  type ReportRow,
  type ReportTotals,
  totalColumns,
} from "@/lib/contract/reports/report-types";
import type { Mode } from "@/lib/contract/transactions/words";

type ReportResultProps = {
  mode: Mode;
  query: ReportQuery;
  days: { from: string; to: string };
  /** In the business's time zone, by the environment's clock. */
  today: string;
  /** Null if the range is too long to add up while the page waits. */
  preview: { rows: readonly ReportRow[]; totals: readonly ReportTotals[] } | null;
};

const number = (value: number) => value.toLocaleString("en-US");

/** Totals, first rows and file of a report. */
export function ReportResult({ mode, query, days, today, preview }: ReportResultProps) {
  const { label, sentence, empty } = REPORT_WORDS[query.type];
  const range = days.from === days.to ? dayText(days.from) : `${dayText(days.from)} – ${dayText(days.to)}`;
  const total = preview === null ? null : preview.totals.reduce((sum, { rows }) => sum + rows, 0);
  return (
    <section aria-labelledby="report">
      <header className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <h2 id="report" className="font-semibold text-[15px] leading-6">
            {label}, {range}
            {days.from <= today && today <= days.to && <span className="font-normal text-soft"> so far</span>}
          </h2>
          <p className="text-[13px] text-soft">{sentence}</p>
        </div>
        {total !== 0 && (
          <ExportButton address={reportHref(`/${mode}/reports/export`, query)} noun="row" total={total} />
        )}
      </header>
      {preview === null ? (
        <Banner tone="amber" title="This range is too large to preview here">
          The export has all of it. Choose fewer days to see the totals on this page.
        </Banner>
      ) : total === 0 ? (
        <EmptyState
          icon={<FileSpreadsheet aria-hidden="true" />}
          title={empty ?? "No money moved on these days"}
          description={
            empty === undefined
              ? "Choose other days above. Reports cover captures, refunds, disputes, fees and payouts."
              : "Choose other days above."
          }
        />
      ) : (
        <>
          <Totals query={query} totals={preview.totals} />
          <Preview mode={mode} query={query} rows={preview.rows} total={total ?? 0} />
        </>
      )}
      <Method query={query} />
    </section>
  );
}

/** On narrow screens a row is a card with its headings beside the values. */
const ROW = "h-9 not-last:border-b max-sm:block max-sm:h-auto max-sm:py-2.5";
const CELL =
  "px-4 max-sm:flex max-sm:justify-between max-sm:gap-4 max-sm:py-0.5 max-sm:before:text-soft max-sm:before:content-[attr(data-heading)]";

function Totals({ query, totals }: { query: ReportQuery; totals: readonly ReportTotals[] }) {
  const columns = totalColumns(query.type);
  const isBalance = query.type === "balance";
  return (
    <Card title={isBalance ? "Closing balance" : "Totals"} flush className="mb-4">
      <Scrolled label="Totals by currency">
        <ColumnHeads
          className="max-sm:sr-only"
          columns={[
            ["Currency", "px-4"],
            ...columns.map(({ heading }) => [heading, "px-4 text-right"] as const),
            ...(isBalance ? [] : ([["Rows", "px-4 text-right"]] as const)),
          ]}
        />
        <tbody>
          {totals.map(({ currency, rows, amounts }) => (
            <tr key={currency} className={ROW}>
              <th scope="row" className="px-4 font-medium max-sm:block">
                {currency}
              </th>
              {columns.map(({ name, heading, kind }) => (
                <td key={name} data-heading={heading} className={`text-right tabular-nums ${CELL}`}>
                  {kind === "count" ? (
                    number(amounts[name] ?? 0)
                  ) : (
                    <Money amount={amounts[name] ?? 0} currency={currency} bare />
                  )}
                </td>
              ))}
              {!isBalance && (
                <td data-heading="Rows" className={`text-right text-soft tabular-nums ${CELL}`}>
                  {number(rows)}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </Scrolled>
    </Card>
  );
}

type PreviewProps = { mode: Mode; query: ReportQuery; rows: readonly ReportRow[]; total: number };

function Preview({ mode, query, rows, total }: PreviewProps) {
  const columns = REPORT_COLUMNS[query.type].filter(({ fileOnly }) => !fileOnly);
  const title = rows.length < total ? `First ${number(rows.length)} of ${number(total)} rows` : "All rows";
  return (
    <Card title={title} flush className="mb-4">
      <Scrolled label="Rows of the report">
        <ColumnHeads
          className="max-sm:sr-only"
          columns={columns.map(({ heading, kind }) => [
            heading,
            isNumeric(kind) ? "whitespace-nowrap px-4 text-right" : "whitespace-nowrap px-4",
          ])}
        />
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have only a position
            <tr key={index} className={ROW}>
              {columns.map((column) => (
                <td
                  key={column.name}
                  data-heading={column.heading}
                  className={`whitespace-nowrap ${CELL} ${isNumeric(column.kind) ? "text-right tabular-nums" : ""}`}
                >
                  <Cell mode={mode} column={column} row={row} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Scrolled>
    </Card>
  );
}

const isNumeric = (kind: ReportColumn["kind"]) => kind === "amount" || kind === "count" || kind === "percent";

const PATHS: Partial<Record<IdKind, string>> = {
  transaction: "transactions",
  payout: "payouts",
  subscription: "subscriptions",
  dispute: "disputes",
};

function Cell({ mode, column, row }: { mode: Mode; column: ReportColumn; row: ReportRow }) {
  const value = row[column.name] ?? null;
  if (value === null) return <span className="text-soft">–</span>;
  switch (column.kind) {
    case "amount":
      return <Money amount={Number(value)} currency={row.currency} bare />;
    case "count":
      return number(Number(value));
    case "percent":
      return `${Number(value) / 100}`;
    case "day":
      return dayText(String(value));
    case "time":
      return <Time at={String(value)} />;
    case "text":
      return column.words?.[String(value)] ?? String(value);
    case "id": {
      const path = column.id === undefined ? undefined : PATHS[column.id];
      const text = `${String(value).slice(0, 8)}…${String(value).slice(-4)}`;
      return path === undefined ? (
        text
      ) : (
        <Link
          href={`/${mode}/${path}/${value}`}
          prefetch={false}
          aria-label={String(value)}
          className="font-mono text-accent text-xs hover:underline"
        >
          {text}
        </Link>
      );
    }
    default:
      return column.kind satisfies never;
  }
}

function Scrolled({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
    <section className="overflow-x-auto" tabIndex={0} aria-label={label}>
      <table className="w-full text-left text-[13px] max-sm:block max-sm:[&>tbody]:block">
        <caption className="sr-only">{label}</caption>
        {children}
      </table>
    </section>
  );
}

function Method({ query }: { query: ReportQuery }) {
  const { method } = REPORT_WORDS[query.type];
  return (
    <details className="mb-5 rounded-lg border px-4 py-2.5 text-[13px]">
      <summary className="cursor-pointer font-medium">How this is computed</summary>
      <p className="mt-2 max-w-3xl text-soft leading-5">{method}</p>
      <p className="mt-2 text-soft">The totals in SQL, for the service’s database:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <pre className="mt-1 overflow-x-auto rounded border bg-raised p-3 font-mono text-xs leading-5" tabIndex={0}>
        {TOTALS_SQL[query.type]}
      </pre>
    </details>
  );
}
