/** Upper bounds of the latency buckets, in seconds. */
export const LATENCY_BOUNDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
const BOUNDS_MS = LATENCY_BOUNDS.map((seconds) => seconds * 1_000);

export const STATUS_CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

/**
 * Counts of one endpoint. `buckets`: responses within each bound and above the one before it; the last bucket
 * has the slowest.
 */
type EndpointCounts = { readonly statuses: number[]; readonly buckets: number[]; ms: number };

/** Counters since the process started. Plain numbers, because every request updates them. */
export type Counts = {
  /** Keyed by endpoint name, never by path: callers make up paths. */
  readonly endpoints: Map<string, EndpointCounts>;
  /** Replays of stored responses, by endpoint. */
  readonly replays: Map<string, number>;
  unauthorized: number;
  rateLimited: number;
  logLinesLeftOut: number;
  /** Entries that the request log dropped. */
  requestsLeftOut: number;
  /** Failures by job. A job that waits for the database has not failed. */
  readonly jobFailures: Map<string, number>;
};

/** Requests that reach no endpoint. */
export const NO_ENDPOINT = "none";

/** On globalThis: Next bundles a copy of this module into each route. */
const holder = globalThis as { [key: symbol]: Counts | undefined };
const KEY = Symbol.for("cardlane.counts");

holder[KEY] ??= {
  endpoints: new Map(),
  replays: new Map(),
  unauthorized: 0,
  rateLimited: 0,
  logLinesLeftOut: 0,
  requestsLeftOut: 0,
  jobFailures: new Map(),
};
export const counts: Counts = holder[KEY];

/** Counts a response and the time since `startedMs`, on the clock of `performance`. */
export function countResponse(endpoint: string, status: number, startedMs: number): void {
  const ms = performance.now() - startedMs;
  let endpointCounts = counts.endpoints.get(endpoint);
  if (!endpointCounts) {
    endpointCounts = { statuses: STATUS_CLASSES.map(() => 0), buckets: Array(BOUNDS_MS.length + 1).fill(0), ms: 0 };
    counts.endpoints.set(endpoint, endpointCounts);
  }
  let bucket = 0;
  while (bucket < BOUNDS_MS.length && ms > (BOUNDS_MS[bucket] as number)) bucket++;
  (endpointCounts.buckets[bucket] as number)++;
  (endpointCounts.statuses[Math.floor(status / 100) - 1] as number)++;
  endpointCounts.ms += ms;
  if (status === 401) counts.unauthorized++;
  else if (status === 429) counts.rateLimited++;
}

export const countReplay = (endpoint: string): void => addOne(counts.replays, endpoint);
export function countRequestsLeftOut(count: number): void {
  counts.requestsLeftOut += count;
}
export const countJobFailure = (job: string): void => addOne(counts.jobFailures, job);

const addOne = (map: Map<string, number>, name: string) => void map.set(name, (map.get(name) ?? 0) + 1);
