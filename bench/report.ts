import type { FreshResult } from "./fresh";
import { quantile } from "./load";
import type { LogResult } from "./log-cost";
import type { RouteResult, Turns } from "./measure";
import type { PageResult } from "./page";
import type { WallResult } from "./wall";

export type BenchResult = {
  routes: RouteResult[];
  wall: WallResult[];
  page: PageResult;
  fresh: FreshResult;
  log: LogResult[];
  combinations: { name: string; small_ms: number; big_ms: number }[];
  /** Median latencies of searches whose totals aren't cached. */
  words: { name: string; ms: number }[];
  transactions: { small: number; big: number };
  /** Null if the system doesn't report it. */
  peak_rss_mb: number | null;
};

/** Targets per route: the minimum ratio to the floor. */
const WANTED: Record<string, number> = {
  "get transaction": 0.85,
  "list transactions": 0.85,
  "search transactions": 0.85,
  "create payment": 0.75,
  "refund payment": 0.75,
};
/** Minimum relative to three plain inserts; our rows also get search terms, totals and customers later. */
const WANTED_PLAIN = 0.7;
/** Maximum cost of row-level security in PostgreSQL. */
const WANTED_WALL = 1.03;
/** Minimum throughput with the request log, relative to that without it. */
const WANTED_LOG = 0.95;
/** Minimum rate in a new database's first seconds, relative to the seconds after them. */
const WANTED_FRESH = 0.9;
const WANTED_GROWTH = 3;
const WANTED_PAGE_MS = 60;
const WANTED_PAGE_TIMES = 3;
const WANTED_MEMORY_MB = 330;
const WANTED_WORDS_MS = 50;

const verdict = (met: boolean) => (met ? "ok" : "MISSED");
const line = (...lines: string[]) => process.stdout.write(`${lines.join("\n")}\n`);

function printPage({ page_ms, page_p99_ms, sql_ms, page_kb }: PageResult): void {
  const times = page_ms / sql_ms;
  line(
    "",
    `transaction page: ${page_ms} ms (at most ${WANTED_PAGE_MS})  ${verdict(page_ms <= WANTED_PAGE_MS)}, p99 ${page_p99_ms} ms, ${page_kb} kB`,
    `its SQL alone: ${sql_ms} ms, so ${times.toFixed(1)} × (at most ${WANTED_PAGE_TIMES})  ${verdict(times <= WANTED_PAGE_TIMES)}`,
  );
}

/** CPU time per request varies less with the machine than rates do. */
function printCosts(routes: readonly RouteResult[]): void {
  line("", "processor time, µs     service  its PostgreSQL    floor  its PostgreSQL");
  const cells = ({ cpu_us, postgres_us }: Turns) => [cell(cpu_us, 9), cell(postgres_us, 15)].join(" ");
  for (const { name, service, floor, plain } of routes) {
    line(`${name.padEnd(20)} ${cells(service)} ${cells(floor)}`);
    if (plain) line(`${"plain insert".padEnd(20)} ${" ".repeat(25)} ${cells(plain)}`);
  }
}

const cell = (value: number | null, width: number) => (value === null ? "–" : String(value)).padStart(width);

function printFresh({ seconds, first_rps, second_rps, ratio }: FreshResult): void {
  line(
    "",
    `new database: ${first_rps} payments/s in its first ${seconds} s, ${second_rps} in its second, ${ratio.toFixed(2)} × (at least ${WANTED_FRESH})  ${verdict(ratio >= WANTED_FRESH)}`,
  );
}

function printWall(wall: readonly WallResult[]): void {
  line("", "row-level security          walled       open     cost  at most 3 % of PostgreSQL's own time");
  for (const { name, walled_us, open_us, ratio } of wall) {
    const cost = `${((ratio - 1) * 100).toFixed(1)} %`;
    line(
      `${name.padEnd(22)} ${`${walled_us} µs`.padStart(11)}${`${open_us} µs`.padStart(11)} ${cost.padStart(8)}  ${verdict(ratio <= WANTED_WALL)}`,
    );
  }
}

function printLog(log: readonly LogResult[]): void {
  line("", "request log               with    without     cost  at most 5 % of the throughput");
  for (const { name, with_rps, without_rps, ratio } of log) {
    const cost = `${((1 - ratio) * 100).toFixed(1)} %`;
    line(
      `${name.padEnd(20)} ${String(with_rps).padStart(9)} ${String(without_rps).padStart(10)} ${cost.padStart(8)}  ${verdict(ratio >= WANTED_LOG)}`,
    );
  }
}

export function print(result: BenchResult): void {
  const { big, small } = result.transactions;
  line("", `${big.toLocaleString("en")} transactions, 50 merchants, one with half`, "");
  line("route                  requests/s    floor    ratio  wanted        p50 ms   p99 ms");
  for (const route of result.routes) line(routeLine(route));
  for (const { name, plain } of result.routes) {
    if (plain)
      line(
        `plain insert           ${String(plain.rps).padStart(10)}   ${name}: ${plain.ratio.toFixed(2)} of it (at least ${WANTED_PLAIN})  ${verdict(plain.ratio >= WANTED_PLAIN)}`,
      );
  }
  printCosts(result.routes);
  printFresh(result.fresh);
  printWall(result.wall);
  printLog(result.log);
  line(
    "",
    `filter and sort                   ${small.toLocaleString("en")} rows  ${big.toLocaleString("en")} rows   times`,
  );
  for (const { name, small_ms, big_ms } of result.combinations) {
    line(
      `${name.padEnd(32)} ${`${small_ms} ms`.padStart(12)}  ${`${big_ms} ms`.padStart(12)}  ${(big_ms / small_ms).toFixed(1).padStart(6)}`,
    );
  }
  const slowest = slowestOf(result);
  const growth = slowest.big_ms / slowest.small_ms;
  line(
    "",
    `slowest: ${slowest.name}, ${growth.toFixed(1)} × its time at ${small.toLocaleString("en")} rows (at most ${WANTED_GROWTH})  ${verdict(growth <= WANTED_GROWTH)}`,
  );
  line("", `words, ${big.toLocaleString("en")} rows, first page and total`);
  for (const { name, ms } of result.words) line(`${name.padEnd(32)} ${`${ms} ms`.padStart(12)}`);
  const words = quantile(
    result.words.map(({ ms }) => ms),
    0.5,
  );
  line(`at the median: ${words} ms (at most ${WANTED_WORDS_MS})  ${verdict(words <= WANTED_WORDS_MS)}`);
  printPage(result.page);
  const memory = result.peak_rss_mb;
  line(
    memory === null
      ? "peak memory: not told by this system"
      : `peak memory, all processes: ${memory} MB (at most ${WANTED_MEMORY_MB})  ${verdict(memory <= WANTED_MEMORY_MB)}`,
    "",
  );
}

function routeLine({ name, service, floor, ratio, p50_ms, p99_ms }: RouteResult): string {
  const wanted = WANTED[name];
  const judged = wanted === undefined ? "".padEnd(13) : `${wanted.toFixed(2)} ${verdict(ratio >= wanted)}`.padEnd(13);
  const numbers = [String(service.rps).padStart(10), String(floor.rps).padStart(8), ratio.toFixed(2).padStart(8)].join(
    " ",
  );
  return `${name.padEnd(22)} ${numbers}  ${judged} ${String(p50_ms).padStart(6)} ${String(p99_ms).padStart(8)}`;
}

function slowestOf({ combinations }: BenchResult) {
  return combinations.reduce((slowest, next) => (next.big_ms > slowest.big_ms ? next : slowest));
}
