import type { Metric } from "prom-client";
import type { Database } from "@/db/client";
import { OPERATION_AGES, QUEUES, type ServiceFigures } from "@/db/queries/service/figures";
import { counts, LATENCY_BOUNDS, STATUS_CLASSES } from "@/lib/counts";

type Sample = { labels?: Record<string, string>; value: number; metricName?: string };
type Figures = {
  service: ServiceFigures | null;
  ledger: number | null;
  bytes: number | null;
  free: number | null;
};

/**
 * A metric in the registry's format. The registry's own counters take microseconds per request; ours are
 * plain numbers.
 */
function metric(name: string, type: "counter" | "gauge" | "histogram", help: string, values: Sample[]): Metric {
  const metric = { name, type, help, values: values.map((value) => ({ labels: {}, ...value })), aggregator: "sum" };
  return { ...metric, get: async () => metric } as unknown as Metric;
}

/** This process's counters. */
export function requestMetrics(): Metric[] {
  const endpoints = [...counts.endpoints];
  const each = (map: Map<string, number>, label: string): Sample[] =>
    [...map].map(([name, value]) => ({ labels: { [label]: name }, value }));
  return [
    metric(
      "cardlane_requests_total",
      "counter",
      "Answers of the API, the dashboard's calls and the payment form, by endpoint and class of status.",
      endpoints.flatMap(([endpoint, { statuses }]) =>
        STATUS_CLASSES.flatMap((status, i) =>
          statuses[i] ? [{ labels: { endpoint, status }, value: statuses[i] }] : [],
        ),
      ),
    ),
    latencyHistogram(),
    metric("cardlane_unauthorized_total", "counter", "Requests without a key or session that works (401).", [
      { value: counts.unauthorized },
    ]),
    metric("cardlane_rate_limited_total", "counter", "Requests refused because they were too many (429).", [
      { value: counts.rateLimited },
    ]),
    metric(
      "cardlane_replays_total",
      "counter",
      "Stored answers sent again for an idempotency key, by endpoint.",
      each(counts.replays, "endpoint"),
    ),
    metric(
      "cardlane_job_failures_total",
      "counter",
      "Runs of a background job that failed and are tried again, by job.",
      each(counts.jobFailures, "job"),
    ),
    metric(
      "cardlane_log_lines_left_out_total",
      "counter",
      "Log lines left out because too many of a kind came at once.",
      [{ value: counts.logLinesLeftOut }],
    ),
    metric(
      "cardlane_request_log_left_out_total",
      "counter",
      "Answered requests that the request log does not have, because too many came at once.",
      [{ value: counts.requestsLeftOut }],
    ),
  ];
}

function latencyHistogram(): Metric {
  const name = "cardlane_request_duration_seconds";
  const help = "Time from a request's first step to its finished response, by endpoint.";
  const samples = [...counts.endpoints].flatMap(([endpoint, { buckets, ms }]): Sample[] => {
    let sum = 0;
    const upTo = buckets.map((count, i): Sample => {
      sum += count;
      return {
        metricName: `${name}_bucket`,
        labels: { endpoint, le: i < LATENCY_BOUNDS.length ? String(LATENCY_BOUNDS[i]) : "+Inf" },
        value: sum,
      };
    });
    return [
      ...upTo,
      { metricName: `${name}_sum`, labels: { endpoint }, value: ms / 1_000 },
      { metricName: `${name}_count`, labels: { endpoint }, value: sum },
    ];
  });
  return metric(name, "histogram", help, samples);
}

/** Use of this process's database connections. */
export function poolMetrics(db: Database): Metric[] {
  const pools = db.pools();
  const ofPools = (name: string, help: string, value: (pool: (typeof pools)[number]) => number) =>
    metric(
      name,
      "gauge",
      help,
      pools.map((pool) => ({ labels: { pool: pool.name }, value: value(pool) })),
    );
  return [
    ofPools("cardlane_pool_connections_max", "Connections that a pool may have.", (pool) => pool.max),
    ofPools("cardlane_pool_connections_in_use", "Connections of a pool that are in use.", (pool) => pool.inUse),
    ofPools("cardlane_pool_waiting", "Statements and transactions that wait for a connection.", (pool) => pool.waiting),
    ...replicaMetrics(db),
  ];
}

/** Only with read replicas. */
function replicaMetrics(db: Database): Metric[] {
  const replicas = db.replicas().map(({ name, isUsed, lagMs }) => ({ labels: { replica: name }, isUsed, lagMs }));
  if (replicas.length === 0) return [];
  return [
    metric(
      "cardlane_replica_used",
      "gauge",
      "1 while a read replica serves reads, 0 while it is left out because it lags, is silent or gone.",
      replicas.map(({ labels, isUsed }) => ({ labels, value: isUsed ? 1 : 0 })),
    ),
    metric(
      "cardlane_replica_lag_seconds",
      "gauge",
      "Time since a read replica was last seen to have everything that the primary had.",
      replicas.flatMap(({ labels, lagMs }) => (Number.isFinite(lagMs) ? [{ labels, value: lagMs / 1_000 }] : [])),
    ),
  ];
}

/** Values that could not be read are absent: a 0 would look healthy. */
export function databaseMetrics({ service, ledger, bytes, free }: Figures): Metric[] {
  const known = <T>(value: T | null, samples: (value: T) => Sample[]) => (value === null ? [] : samples(value));
  const operations = (outcome: string, age?: string) =>
    service?.operations.filter((row) => row.outcome === outcome && (age === undefined || row.age === age)) ?? [];
  const count = (rows: readonly { count: number }[]) => rows.reduce((sum, row) => sum + row.count, 0);
  const OUTCOMES = ["under_way", "unknown"] as const;
  return [
    metric("cardlane_database_up", "gauge", "1 while the database answers with the figures below, else 0.", [
      { value: service === null ? 0 : 1 },
    ]),
    metric(
      "cardlane_open_operations",
      "gauge",
      "Calls to the processor without an outcome yet, by whether it is under way or unknown, and by age.",
      known(service, () =>
        OUTCOMES.flatMap((outcome) =>
          OPERATION_AGES.map((age) => ({ labels: { outcome, age }, value: count(operations(outcome, age)) })),
        ),
      ),
    ),
    metric(
      "cardlane_oldest_open_operation_seconds",
      "gauge",
      "Age of the oldest operation without an outcome; 0 when there is none.",
      known(service, ({ operations: rows }) => [{ value: Math.max(0, ...rows.map((row) => row.oldest_seconds)) }]),
    ),
    metric(
      "cardlane_unknown_outcomes",
      "gauge",
      "Operations with no known outcome.",
      known(service, () => [{ value: count(operations("unknown")) }]),
    ),
    metric(
      "cardlane_queue_depth",
      "gauge",
      "What waits in each queue.",
      known(service, ({ queues }) =>
        QUEUES.map((queue) => ({ labels: { queue }, value: queues.find((row) => row.queue === queue)?.depth ?? 0 })),
      ),
    ),
    metric(
      "cardlane_queue_oldest_seconds",
      "gauge",
      "How long the oldest in each queue has waited; 0 when it is empty.",
      known(service, ({ queues }) =>
        QUEUES.map((queue) => ({
          labels: { queue },
          value: queues.find((row) => row.queue === queue)?.oldest_seconds ?? 0,
        })),
      ),
    ),
    metric(
      "cardlane_ledger_difference_minor_units",
      "gauge",
      "By how much the books' totals, settlement batches and unsettled transactions differ; must be 0.",
      known(ledger, (value) => [{ value }]),
    ),
    metric(
      "cardlane_database_bytes",
      "gauge",
      "What the database takes on its disk.",
      known(bytes, (value) => [{ value }]),
    ),
    metric(
      "cardlane_disk_free_bytes",
      "gauge",
      "Free space of the disk that DATA_DIR is on, and with it an embedded database.",
      known(free, (value) => [{ value }]),
    ),
  ];
}
