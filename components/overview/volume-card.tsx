"use client";

import { BarChart3, Table2 } from "lucide-react";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { type ReactNode, useId, useState } from "react";
import { Card } from "@/components/ui/card";
import { cn } from "@/components/ui/class-names";
import { Skeleton } from "@/components/ui/skeleton";
import { moneyTextWithCode } from "@/lib/client/money-text";
import { listedHref } from "@/lib/client/overview-links";
import { bucketText, rangeText } from "@/lib/client/overview-text";
import type { Bucket, BucketUnit, Overview } from "@/lib/contract/overview";
import type { Mode } from "@/lib/contract/transaction-words";
import { VolumeTable } from "./volume-table";

const VolumeChart = dynamic(() => import("@/components/charts/volume-chart").then((module) => module.VolumeChart), {
  ssr: false,
  loading: () => <Skeleton className="block size-full" />,
});

const BY: Record<BucketUnit, string> = { day: "by day", week: "by week", month: "by month" };

type VolumeCardProps = {
  mode: Mode;
  overview: Pick<Overview, "buckets" | "previous" | "unit" | "figures" | "from" | "to"> & { currency: string };
};

/** Gross volume and refunds over the period, as a chart or as a table of the same figures. */
export function VolumeCard({ mode, overview }: VolumeCardProps) {
  const { buckets, previous, unit, currency } = overview;
  const [view, setView] = useState<"chart" | "table">("chart");
  const router = useRouter();
  const summaryId = useId();
  return (
    <Card
      title={`Volume ${BY[unit]}`}
      actions={
        <fieldset className="-my-1 flex rounded-md border p-0.5">
          <legend className="sr-only">Show volume as</legend>
          <ViewButton
            pressed={view === "chart"}
            onPress={() => setView("chart")}
            icon={<BarChart3 aria-hidden="true" />}
          >
            Chart
          </ViewButton>
          <ViewButton pressed={view === "table"} onPress={() => setView("table")} icon={<Table2 aria-hidden="true" />}>
            Table
          </ViewButton>
        </fieldset>
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
            <Legend previous={previous} />
            <div className="min-h-0 flex-1">
              <VolumeChart
                buckets={buckets}
                previous={previous?.buckets ?? null}
                unit={unit}
                currency={currency}
                label={`Gross volume and refunds ${BY[unit]}: arrow keys move, Enter opens the transactions`}
                onChoose={(bucket) => router.push(listedHref(mode, "captured", bucket))}
              />
            </div>
          </figure>
        ) : (
          <VolumeTable mode={mode} buckets={buckets} currency={currency} />
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

function Legend({ previous }: { previous: VolumeCardProps["overview"]["previous"] }) {
  return (
    <figcaption className="mb-2 flex flex-wrap gap-x-4 gap-y-1 pl-1 text-soft text-xs">
      <span className="flex items-center gap-1.5">
        <span aria-hidden="true" className="size-2.5 rounded-[2px] bg-blue" /> Gross volume
      </span>
      <span className="flex items-center gap-1.5">
        <span aria-hidden="true" className="size-2.5 rounded-[2px] bg-violet" /> Refunds
      </span>
      {previous && (
        <span className="flex items-center gap-1.5">
          <span aria-hidden="true" className="w-4 border-soft border-t border-dashed" /> Gross, {rangeText(previous)}
        </span>
      )}
    </figcaption>
  );
}

/** The chart in sentences. */
function summaryOf({ figures, buckets, currency, from, to, unit }: VolumeCardProps["overview"]): string {
  const best = buckets.reduce<Bucket | null>(
    (most, bucket) => (most === null || bucket.figures.gross > most.figures.gross ? bucket : most),
    null,
  );
  const total = `${rangeText({ from, to })}: gross volume ${moneyTextWithCode(figures.gross, currency)}, refunds ${moneyTextWithCode(figures.refunded, currency)}.`;
  if (!best || best.figures.gross <= 0) return `${total} Nothing was captured.`;
  return `${total} Most in one ${unit}: ${moneyTextWithCode(best.figures.gross, currency)}, ${bucketText(best)}.`;
}
