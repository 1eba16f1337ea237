"use client";

import { BarChart3, Table2 } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type ReactNode, useId, useState } from "react";
import { Card, Money } from "@/components/ui/card";
import { missingPart } from "@/components/ui/missing-part";
import { Skeleton } from "@/components/ui/skeleton";
import { cn } from "@/components/ui/styles";
import { moneyTextWithCode } from "@/lib/contract/format";
import { approvalRate, type Bucket, type BucketUnit, type Overview } from "@/lib/contract/reporting/overview";
import { reportHref } from "@/lib/contract/reports/report-query";
import type { Mode } from "@/lib/contract/transactions/words";
import { ExportButton } from "./export-button";
import { bucketText, countedHref, isPartial, rangeText, shareText } from "./overview-text";

const VolumeChart = dynamic(() => import("./volume-chart").then((module) => module.VolumeChart, missingPart), {
  ssr: false,
  loading: () => <Skeleton className="block size-full" />,
});

const BY: Record<BucketUnit, string> = { day: "by day", week: "by week", month: "by month" };

type VolumeCardProps = {
  mode: Mode;
  canExport: boolean;
  overview: Pick<Overview, "buckets" | "previous" | "unit" | "figures" | "from" | "to" | "today"> & {
    currency: string;
  };
};

/** Gross volume and refunds over the period, as a chart or as a table. */
export function VolumeCard({ mode, canExport, overview }: VolumeCardProps) {
  const { buckets, previous, unit, currency, today, from, to } = overview;
  const [view, setView] = useState<"chart" | "table">("chart");
  const router = useRouter();
  const summaryId = useId();
  return (
    <Card
      title={`Volume ${BY[unit]}`}
      actions={
        <div className="-my-1 flex flex-wrap items-center gap-2">
          {view === "table" && canExport && (
            <ExportButton
              size="sm"
              address={reportHref(`/${mode}/reports/export`, { type: "activity", created: { from, to }, currency })}
              noun="day"
              total={null}
            />
          )}
          <fieldset className="flex rounded-md border p-0.5">
            <legend className="sr-only">Show volume as</legend>
            <ViewButton
              pressed={view === "chart"}
              onPress={() => setView("chart")}
              icon={<BarChart3 aria-hidden="true" />}
            >
              Chart
            </ViewButton>
            <ViewButton
              pressed={view === "table"}
              onPress={() => setView("table")}
              icon={<Table2 aria-hidden="true" />}
            >
              Table
            </ViewButton>
          </fieldset>
        </div>
      }
      flush
      className="flex flex-col"
    >
      <p id={summaryId} className="sr-only">
        {summaryOf(overview)}
      </p>
      <div className="h-78">
        {view === "chart" ? (
          <figure className="flex h-full flex-col px-3 pt-3 pb-2" aria-describedby={summaryId}>
            <Legend previous={previous} partial={buckets.some((bucket) => isPartial(bucket, today)) ? unit : null} />
            <div className="min-h-0 flex-1">
              <VolumeChart
                buckets={buckets}
                previous={previous?.buckets ?? null}
                unit={unit}
                currency={currency}
                today={today}
                label={`Gross volume and refunds ${BY[unit]}: arrow keys move, Enter opens the payments`}
                onChoose={(bucket) => router.push(countedHref({ mode, currency }, "moved", bucket))}
              />
            </div>
          </figure>
        ) : (
          <VolumeTable {...{ mode, buckets, currency, today }} />
        )}
      </div>
    </Card>
  );
}

type ViewButtonProps = { pressed: boolean; onPress: () => void; icon: ReactNode; children: ReactNode };

function ViewButton({ pressed, onPress, icon, children }: ViewButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onPress}
      className={cn(
        "flex h-6 items-center gap-1.5 rounded px-2 text-xs [&>svg]:size-3.5",
        pressed ? "bg-raised font-medium text-ink" : "text-soft hover:text-ink",
      )}
    >
      {icon}
      {children}
    </button>
  );
}

const PARTIAL: Record<BucketUnit, string> = {
  day: "Today so far",
  week: "This week so far",
  month: "This month so far",
};

type LegendProps = {
  previous: VolumeCardProps["overview"]["previous"];
  /** The bar still in progress, or null. */
  partial: BucketUnit | null;
};

function Legend({ previous, partial }: LegendProps) {
  return (
    <figcaption className="mb-2 flex flex-wrap gap-x-4 gap-y-1 pl-1 text-soft text-xs">
      <span className="flex items-center gap-1.5">
        <span aria-hidden="true" className="swatch size-2.5 rounded-[2px] bg-accent" /> Gross volume
      </span>
      <span className="flex items-center gap-1.5">
        <span aria-hidden="true" className="swatch size-2.5 rounded-[2px] bg-violet" /> Refunds
      </span>
      {partial && (
        <span className="flex items-center gap-1.5">
          <span aria-hidden="true" className="swatch size-2.5 rounded-[2px] bg-accent opacity-45" /> {PARTIAL[partial]}
        </span>
      )}
      {previous && (
        <span className="flex items-center gap-1.5">
          <span aria-hidden="true" className="w-4 border-soft border-t border-dashed" /> Gross, {rangeText(previous)}
        </span>
      )}
    </figcaption>
  );
}

/** Text alternative of the chart. */
function summaryOf({ figures, buckets, currency, from, to, unit }: VolumeCardProps["overview"]): string {
  const best = buckets.reduce<Bucket | null>(
    (highest, bucket) => (highest === null || bucket.figures.gross > highest.figures.gross ? bucket : highest),
    null,
  );
  const total = `${rangeText({ from, to })}: gross volume ${moneyTextWithCode(figures.gross, currency)}, refunds ${moneyTextWithCode(figures.refunded, currency)}.`;
  if (!best || best.figures.gross <= 0) return `${total} Nothing was captured.`;
  return `${total} Most in one ${unit}: ${moneyTextWithCode(best.figures.gross, currency)}, ${bucketText(best)}.`;
}

const LINK = "underline decoration-line underline-offset-3 hover:decoration-current";

/** A count that links to its rows. */
function Count({ count, what, href }: { count: number; what: string; href: string }) {
  if (count === 0) return 0;
  return (
    <Link href={href} aria-label={`${count.toLocaleString("en-US")} ${what}`} className={LINK}>
      {count.toLocaleString("en-US")}
    </Link>
  );
}

const NUMBER = "px-3 py-1.5 text-right font-normal";

type VolumeTableProps = { mode: Mode; buckets: readonly Bucket[]; currency: string; today: string };

/** The chart's figures, latest first, each row linked to its transactions. */
function VolumeTable({ mode, buckets, currency, today }: VolumeTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
    <section className="h-full overflow-auto" tabIndex={0} aria-label="Volume as a table">
      <table className="w-full text-[13px]">
        <caption className="sr-only">Volume in {currency}, latest first</caption>
        <thead className="sticky top-0 bg-ground text-soft text-xs shadow-[0_1px_0_var(--line)]">
          <tr>
            <th scope="col" className="px-4 py-2 text-left font-normal">
              Date
            </th>
            {["Gross", "Refunds", "Fees", "Net", "Approved", "Declined", "Rate"].map((heading) => (
              <th key={heading} scope="col" className={NUMBER}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.toReversed().map((bucket) => {
            const { gross, refunded, fees, net } = bucket.figures;
            const rate = approvalRate(bucket.figures);
            return (
              <tr key={bucket.from} className="border-b last:border-0 hover:bg-raised">
                <th scope="row" className="whitespace-nowrap px-4 py-1.5 text-left font-normal">
                  <Link href={countedHref({ mode, currency }, "moved", bucket)} className={LINK}>
                    {bucketText(bucket)}
                  </Link>
                  {isPartial(bucket, today) && <span className="text-soft"> so far</span>}
                </th>
                {[gross, refunded, fees, net].map((amount, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns have only a position
                  <td key={index} className={NUMBER}>
                    <Money amount={amount} currency={currency} bare />
                  </td>
                ))}
                {(["approved", "declined"] as const).map((figure) => (
                  <td key={figure} className={NUMBER}>
                    <Count
                      count={bucket.figures[figure]}
                      what={figure}
                      href={countedHref({ mode, currency }, figure, bucket)}
                    />
                  </td>
                ))}
                <td className={NUMBER}>{rate === null ? "–" : shareText(rate, { aligned: true })}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
