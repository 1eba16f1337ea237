"use client";

import { type KeyboardEvent, useRef } from "react";
import {
  Bar,
  CartesianGrid,
  Cell,
  ComposedChart,
  Line,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { moneyText } from "@/lib/contract/format";
import type { Bucket, BucketUnit } from "@/lib/contract/reporting/overview";
import { bucketText, isPartial, tickMoneyText, tickText } from "./overview-text";

export type VolumeChartProps = {
  buckets: readonly Bucket[];
  previous: readonly Bucket[] | null;
  unit: BucketUnit;
  currency: string;
  /** The current day, still in progress. */
  today: string;
  /** Accessible name. */
  label: string;
  /** Called when a bar is clicked or chosen with Enter. */
  onChoose: (bucket: Bucket) => void;
};

type Point = { index: number; from: string; gross: number; refunded: number; before: number | null };

/** Gross volume upwards, refunds downwards, and the previous period's gross volume as a dashed line. */
export function VolumeChart({ buckets, previous, unit, currency, today, label, onChoose }: VolumeChartProps) {
  const active = useRef<number | null>(null);
  const points: Point[] = buckets.map((bucket, index) => ({
    index,
    from: bucket.from,
    gross: bucket.figures.gross,
    refunded: -bucket.figures.refunded,
    before: previous?.[index]?.figures.gross ?? null,
  }));
  const choose = (index: number | null) => {
    const bucket = index === null ? undefined : buckets[index];
    if (bucket) onChoose(bucket);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") choose(active.current);
  };
  const axis = axisOf(points);
  // Bars still in progress are paler.
  const shades = buckets.map((bucket) => (
    <Cell key={bucket.from} fillOpacity={isPartial(bucket, today) ? PARTIAL_OPACITY : 1} />
  ));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the chart inside takes the focus and handles the arrow keys
    <div
      role="presentation"
      className="size-full cursor-pointer [&_.recharts-surface:focus-visible]:outline-2"
      onKeyDown={onKeyDown}
    >
      <ResponsiveContainer width="100%" height="100%">
        <ComposedChart
          data={points}
          stackOffset="sign"
          margin={{ top: 8, right: 14, bottom: 0, left: 0 }}
          barCategoryGap={buckets.length > 45 ? "12%" : "28%"}
          accessibilityLayer
          role="application"
          aria-label={label}
          onClick={(state) => choose(indexOf(state.activeTooltipIndex))}
          onMouseLeave={() => {
            active.current = null;
          }}
        >
          <CartesianGrid vertical={false} stroke="var(--line)" syncWithTicks />
          <XAxis
            dataKey="from"
            tickFormatter={(day: string) => tickText(day, unit)}
            tick={{ fontSize: 11, fill: "var(--soft)" }}
            tickLine={false}
            axisLine={false}
            minTickGap={24}
            interval="equidistantPreserveStart"
          />
          <YAxis
            width={54}
            tickFormatter={(amount: number) => tickMoneyText(amount, currency)}
            tick={{ fontSize: 11, fill: "var(--soft)" }}
            tickLine={false}
            axisLine={false}
            {...axis}
          />
          <ReferenceLine y={0} stroke="var(--edge)" />
          <Tooltip
            cursor={{ fill: "var(--raised)" }}
            isAnimationActive={false}
            content={({ active: isActive, payload }) => {
              const point = isActive ? (payload?.[0]?.payload as Point | undefined) : undefined;
              active.current = point?.index ?? null;
              const bucket = point && buckets[point.index];
              return bucket ? (
                <Readout {...{ bucket, currency, today }} before={previous?.[point.index] ?? null} />
              ) : null;
            }}
          />
          <Bar
            dataKey="gross"
            stackId="volume"
            fill="var(--accent)"
            radius={[2, 2, 0, 0]}
            maxBarSize={40}
            isAnimationActive={false}
          >
            {shades}
          </Bar>
          <Bar
            dataKey="refunded"
            stackId="volume"
            fill="var(--violet)"
            radius={[2, 2, 0, 0]}
            maxBarSize={40}
            isAnimationActive={false}
          >
            {shades}
          </Bar>
          {previous && (
            <Line
              dataKey="before"
              type="linear"
              stroke="var(--soft)"
              strokeWidth={1.25}
              strokeDasharray="3 3"
              dot={false}
              activeDot={false}
              isAnimationActive={false}
            />
          )}
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}

/** Round steps above zero; below it only to the largest refund, as refunds are usually small. */
function axisOf(points: readonly Point[]): { domain: [number, number]; ticks: number[] } {
  const highest = Math.max(1, ...points.map(({ gross, refunded, before }) => Math.max(gross, refunded, before ?? 0)));
  const lowest = Math.min(0, ...points.map(({ gross, refunded }) => Math.min(gross, refunded)));
  const magnitude = 10 ** Math.floor(Math.log10(highest / 3));
  const step = Math.ceil((STEPS.find((factor) => factor * magnitude * 3 >= highest) ?? 10) * magnitude);
  const ticks = Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step);
  for (let below = -step; below >= lowest; below -= step) ticks.unshift(below);
  return { domain: [lowest * 1.1, ticks.at(-1) ?? highest], ticks };
}

const PARTIAL_OPACITY = 0.45;
const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10];

function indexOf(index: unknown): number | null {
  const number = typeof index === "string" || typeof index === "number" ? Number(index) : Number.NaN;
  return Number.isInteger(number) ? number : null;
}

type ReadoutProps = { bucket: Bucket; before: Bucket | null; currency: string; today: string };

function Readout({ bucket, before, currency, today }: ReadoutProps) {
  const { gross, captures, refunded, refunds } = bucket.figures;
  return (
    <div className="floating static px-3 py-2 text-xs">
      <p className="mb-1 font-medium">
        {bucketText(bucket)}
        {isPartial(bucket, today) && ", so far"}
      </p>
      <dl className="grid grid-cols-[auto_auto] gap-x-4 gap-y-0.5">
        <dt className="text-soft">Gross · {captures.toLocaleString("en-US")}</dt>
        <dd className="text-right tabular-nums">{moneyText(gross, currency)}</dd>
        <dt className="text-soft">Refunds · {refunds.toLocaleString("en-US")}</dt>
        <dd className="text-right tabular-nums">{moneyText(refunded, currency)}</dd>
        {before && (
          <>
            <dt className="text-soft">Gross, {tickText(before.from, "day")}</dt>
            <dd className="text-right tabular-nums">{moneyText(before.figures.gross, currency)}</dd>
          </>
        )}
      </dl>
      <p className="mt-1 text-soft">Select the bar to see these payments</p>
    </div>
  );
}
