import type { BurstResult, Figures, LoadResult, RouteResult } from "./measure";
import type { PageResult } from "./page";

export type BenchResult = {
  transactions: number;
  routes: RouteResult[];
  burst: BurstResult;
  page: PageResult;
  /** Null if the system doesn't report it. */
  peak_rss_mb: number | null;
};

/** Many merchants' load relative to one merchant's: min rate, max CPU time. */
const MIN_RATE_OF_MANY = 0.85;
const MAX_CPU_OF_MANY = 1.15;
/** Max time of the page relative to its SQL: 0.6 of what it was in November 2026. */
const MAX_PAGE_TIMES = 14;
const MAX_BURST_TIMES = 5;
const MAX_MEMORY_MB = 330;

const line = (...lines: string[]) => process.stdout.write(`${lines.join("\n")}\n`);
const row = (...cells: readonly (string | number | null)[]) =>
  line(
    `| ${cells.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en") : (cell ?? "–"))).join(" | ")} |`,
  );
const verdict = (met: boolean) => (met ? "" : " **missed**");
const ratio = (value: number | null, met: boolean) => (value === null ? null : `${value.toFixed(2)}${verdict(met)}`);

/** Markdown, so that the documentation can take it as it is. */
export function print({ transactions, routes, burst, page, peak_rss_mb }: BenchResult): void {
  line("", `${transactions.toLocaleString("en")} transactions`, "");
  row("route", "merchants", "requests/s", "floor", "ratio", "wanted", "p50 ms", "p99 ms");
  line("|---|---:|---:|---:|---:|---:|---:|---:|");
  for (const { name, wanted, one, many } of routes)
    for (const load of [one, many])
      row(
        ...[name, load.merchants, load.service.rps, load.floor.rps, ratio(load.ratio, load.ratio >= wanted)],
        ...[wanted.toFixed(2), load.p50_ms, load.p99_ms],
      );
  line("", "Processor time of a request in µs: of the service, its PostgreSQL, the floor, its PostgreSQL", "");
  row("route", "one merchant", "sixteen", "CPU of sixteen / one", "rate of sixteen / one");
  line("|---|---:|---:|---:|---:|");
  const times = ({ cpu_us, postgres_us }: Figures) => `${cpu_us ?? "–"} + ${postgres_us ?? "–"}`;
  const cell = ({ service, floor }: LoadResult) => `${times(service)}, ${times(floor)}`;
  for (const { name, one, many, cpu_of_many, rate_of_many } of routes)
    row(
      ...[name, cell(one), cell(many), ratio(cpu_of_many, (cpu_of_many ?? 0) <= MAX_CPU_OF_MANY)],
      ratio(rate_of_many, rate_of_many >= MIN_RATE_OF_MANY),
    );
  const burstTimes = burst.during_ms / burst.alone_ms;
  const pageTimes = page.page_ms / page.sql_ms;
  line(
    "",
    `- Burst: a payment takes ${burst.alone_ms} ms at the median, and ${burst.during_ms} ms while another merchant has ${burst.connections} in progress: ${burstTimes.toFixed(1)} × (at most ${MAX_BURST_TIMES})${verdict(burstTimes <= MAX_BURST_TIMES)}`,
    `- Transaction page: ${page.page_ms} ms (p99 ${page.page_p99_ms} ms), ${page.page_kb} kB; its SQL alone ${page.sql_ms} ms, so ${pageTimes.toFixed(1)} × (at most ${MAX_PAGE_TIMES})${verdict(pageTimes <= MAX_PAGE_TIMES)}`,
    `- Peak memory: ${peak_rss_mb ?? "–"} MB (at most ${MAX_MEMORY_MB})${verdict((peak_rss_mb ?? 0) <= MAX_MEMORY_MB)}`,
    "",
  );
}
