import { ArrowDown, ArrowRight, ArrowUp } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { Money } from "@/components/ui/card";
import { moneyText } from "@/lib/contract/format";
import { approvalRate, type Bucket, type Figures, type Overview } from "@/lib/contract/reporting/overview";
import type { Mode } from "@/lib/contract/transactions/words";
import { changeOf, countedHref, pointsOf, rangeText, shareText, type Trend } from "./overview-text";

type TilesProps = {
  mode: Mode;
  overview: Pick<Overview, "figures" | "previous" | "buckets" | "from" | "to"> & { currency: string };
};

const counted = (count: number, one: string) => `${count.toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`;

/** Four figures of the period, each compared with the period before. */
export function Tiles({ mode, overview }: TilesProps) {
  const { figures, previous, buckets, currency } = overview;
  const before = previous?.figures ?? null;
  const shown = { mode, currency };
  const money = (figure: "gross" | "net" | "refunded") => ({
    value: <Money amount={figures[figure]} currency={currency} bare />,
    change: before && changeOf(figures[figure], before[figure]),
    before: before && moneyText(before[figure], currency),
    trend: buckets.map((bucket) => bucket.figures[figure]),
  });
  return (
    <ul
      aria-label={previous ? `Compared with ${rangeText(previous)}` : undefined}
      className="grid grid-cols-1 overflow-hidden rounded-lg border sm:grid-cols-2 lg:grid-cols-4"
    >
      <Tile
        label="Gross volume"
        note={counted(figures.captures, "payment")}
        href={countedHref(shown, "captures", overview)}
        {...money("gross")}
      />
      <Tile
        label="Net"
        note={`after ${moneyText(figures.fees, currency)} of fees`}
        href={countedHref(shown, "moved", overview)}
        {...money("net")}
      />
      <Tile
        label="Refunds"
        note={refundsOf(figures)}
        href={countedHref(shown, "refunds", overview)}
        {...money("refunded")}
      />
      <Tile
        label="Approval rate"
        note={attemptsText(figures)}
        href={countedHref(shown, "answered", overview)}
        {...approval(figures, before, buckets)}
      />
    </ul>
  );
}

function approval(figures: Figures, before: Figures | null, buckets: readonly Bucket[]) {
  const [now, was] = [approvalRate(figures), before && approvalRate(before)];
  return {
    value: now === null ? "–" : shareText(now),
    change: now === null || was === null ? null : pointsOf(now, was),
    before: was === null ? null : shareText(was),
    trend: buckets.flatMap((bucket) => approvalRate(bucket.figures) ?? []),
  };
}

function refundsOf({ refunds, refundsFailed }: Figures): string {
  return `${counted(refunds, "refund")}${refundsFailed === 0 ? "" : `, less ${refundsFailed.toLocaleString("en-US")} that failed later`}`;
}

function attemptsText({ approved, declined, failed }: Figures): string {
  const rest = failed === 0 ? "" : `, ${failed.toLocaleString("en-US")} failed`;
  return `${approved.toLocaleString("en-US")} approved, ${declined.toLocaleString("en-US")} declined${rest}`;
}

type TileProps = {
  label: string;
  value: ReactNode;
  note: string;
  href: string;
  change: Trend | null;
  /** The previous period's figure; null if there is none. */
  before: string | null;
  trend: readonly number[];
};

function Tile({ label, value, note, href, change, before, trend }: TileProps) {
  return (
    <TileBox
      label={label}
      value={value}
      href={href}
      beside={
        trend.length > 1 && <Sparkline values={trend} className="mb-1 h-7 w-24 min-w-0 shrink lg:max-wide:hidden" />
      }
    >
      <p className="mt-0.5 flex h-5 items-center gap-1 truncate text-xs">
        {before === null ? (
          <span className="text-soft">No earlier period to compare</span>
        ) : (
          <Compared change={change} before={before} />
        )}
      </p>
      <p className="truncate text-soft text-xs leading-5">{note}</p>
    </TileBox>
  );
}

type TileBoxProps = Pick<TileProps, "label" | "value" | "href"> & {
  beside?: ReactNode;
  /** Lines below the figure. */
  children: ReactNode;
};

/** A figure that leads to its rows. */
export function TileBox({ label, value, href, beside, children }: TileBoxProps) {
  return (
    <li className="relative -mr-px -mb-px min-w-0 border-r border-b px-4 pt-3 pb-3.5 hover:bg-raised has-focus-visible:bg-raised">
      <h2 className="text-[13px] text-soft">
        <Link href={href} className="after:absolute after:inset-0 focus-visible:outline-offset-0">
          {label}
        </Link>
      </h2>
      <div className="mt-0.5 flex items-end justify-between gap-3">
        <p className="shrink-0 font-medium text-xl tabular-nums leading-8 tracking-tight">{value}</p>
        {beside}
      </div>
      {children}
    </li>
  );
}

const ARROWS = { up: ArrowUp, down: ArrowDown, same: ArrowRight } as const;
const WORDS = { up: "up", down: "down", same: "" } as const;

function Compared({ change, before }: { change: Trend | null; before: string }) {
  const Arrow = change && ARROWS[change.direction];
  return (
    <>
      {change && Arrow && (
        <span className="flex items-center gap-0.5 font-medium">
          <Arrow aria-hidden="true" className="size-3" />
          <span className="sr-only">{WORDS[change.direction]}</span> {change.text}
        </span>
      )}{" "}
      <span className="truncate text-soft">
        {change ? "from" : "before:"} {before}
      </span>
    </>
  );
}

type SparklineProps = { values: readonly number[]; className?: string };

const WIDTH = 96;
const HEIGHT = 28;
const MAX_POINTS = 32;

/** Trend of a figure. Hidden from screen readers, because the figures are shown elsewhere. */
function Sparkline({ values, className }: SparklineProps) {
  const points = thinned(values);
  const low = Math.min(0, ...points);
  const span = Math.max(...points, 0) - low || 1;
  const at = (value: number, index: number) => {
    const x = points.length === 1 ? WIDTH : (index / (points.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - 1.5 - ((value - low) / span) * (HEIGHT - 3)).toFixed(1)}`;
  };
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
      preserveAspectRatio="none"
      className={className}
    >
      <polyline
        points={points.map(at).join(" ")}
        fill="none"
        stroke="var(--edge)"
        strokeWidth="1.25"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

/** Sums neighbors when there are more values than points to draw. */
function thinned(values: readonly number[]): number[] {
  const size = Math.ceil(values.length / MAX_POINTS);
  const points: number[] = [];
  for (let from = 0; from < values.length; from += size) {
    const group = values.slice(from, from + size);
    points.push(group.reduce((sum, value) => sum + value, 0) / group.length);
  }
  return points;
}
