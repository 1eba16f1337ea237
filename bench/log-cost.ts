import { shareConnections } from "@/db/client";
import { configure, env } from "@/lib/env";
import { currentService, provideService } from "@/lib/http/current-service";
import { dispatch } from "@/lib/http/dispatch";
import type { ApiRequest } from "@/lib/http/request-parts";
import { newId } from "@/lib/ids";
import { createService } from "@/lib/server/create-service";
import { cpuMs } from "./cpu";
import { quantile } from "./load";

export type LogResult = {
  name: string;
  /** Requests per second with the request log, including its writes, and without it. */
  with_rps: number;
  without_rps: number;
  /**
   * Ratio of the two, the median of the rounds. It uses the CPU time per request of this process and
   * PostgreSQL, which varies less than rates do; rates only if the system doesn't report CPU time.
   */
  ratio: number;
};

export type LogPace = { connections: number; turnMs: number; rounds: number };
type Made = { name: string; next: () => ApiRequest };

const PAYMENT = Buffer.from(
  JSON.stringify({
    ...{ amount: 1999, currency: "USD", customer_id: "cus_bench", customer_email: "bench@example.com" },
    card: { number: "4242424242424242", exp_month: 12, exp_year: 2034, cvv: "123" },
    billing_address: { line1: "1 Main Street", city: "Springfield", state: "IL", postal_code: "62701", country: "US" },
    ...{ description: "Order 1", metadata: { order_id: "1" } },
  }),
);

function requestOf(method: string, path: string, headers: Record<string, string>, body: Buffer | null): ApiRequest {
  const stream = async function* () {
    if (body) yield body;
  };
  return {
    method,
    url: `http://127.0.0.1${path}`,
    headers: { get: (name) => headers[name] ?? null },
    body: body && stream(),
  };
}

/**
 * Cost of the request log: the service's own steps in this process, without HTTP, alternating with and
 * without the log. HTTP adds the same cost to both, so the share of a whole request is smaller.
 */
export async function measureLog(
  options: { url: string; apiKey: string; secret: string; postgresPid: number },
  pace: LogPace,
): Promise<LogResult[]> {
  configure({
    ...{ DATABASE_URL: options.url, CARDLANE_SECRET: options.secret, LOG_LEVEL: "error" },
    ...{ RATE_LIMIT_PER_SECOND: "1000000", RATE_LIMIT_BURST: "1000000", ANSWER_MB_PER_SECOND: "1000000" },
  });
  const { service, close } = await createService({
    ...{ url: options.url, embedded: false, applicationName: "bench-log" },
    connections: shareConnections(env.databasePoolSize),
  });
  provideService(service);
  const { requestLog, authenticator } = currentService();
  const without = { ...requestLog, note: () => {} };
  const headers = { "x-api-key": options.apiKey, host: "127.0.0.1", "user-agent": "bench/1" };
  const paid = { ...headers, "content-type": "application/json", "content-length": String(PAYMENT.length) };
  const made: Made[] = [
    {
      name: "create payment",
      next: () => requestOf("POST", "/v1/payments", { ...paid, "x-idempotency-key": newId() }, PAYMENT),
    },
    { name: "list transactions", next: () => requestOf("GET", "/v1/transactions?limit=20", headers, null) },
  ];
  try {
    const results: LogResult[] = [];
    for (const each of made) results.push(await alternate(each, { requestLog, without }, pace, options.postgresPid));
    return results;
  } finally {
    await requestLog.stop();
    await authenticator.stop();
    await close();
  }
}

/** `cost` is per request. */
type Turn = { readonly rps: number; readonly cost: number };

function cpuOf(postgresPid: number): number | null {
  const ofPostgres = cpuMs(postgresPid);
  const { user, system } = process.cpuUsage();
  return ofPostgres === null ? null : ofPostgres + (user + system) / 1_000;
}

type Log = ReturnType<typeof currentService>["requestLog"];

async function alternate(
  { name, next }: Made,
  logs: { requestLog: Log; without: Log },
  { connections, turnMs, rounds }: LogPace,
  postgresPid: number,
): Promise<LogResult> {
  const http = currentService();
  const turn = async (log: Log): Promise<Turn> => {
    Object.assign(http, { requestLog: log });
    const before = cpuOf(postgresPid);
    const from = performance.now();
    let count = 0;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (performance.now() - from < turnMs) {
          const answer = await dispatch(next(), { ip: "127.0.0.1" });
          answer.sent?.();
          if (answer.status >= 300) throw new Error(`${name}: ${answer.status} ${String(answer.body)}`);
          count++;
        }
      }),
    );
    await log.flush();
    const after = cpuOf(postgresPid);
    const rps = count / ((performance.now() - from) / 1_000);
    return { rps, cost: before === null || after === null ? 1 / rps : (after - before) / count };
  };
  await turn(logs.requestLog);
  await turn(logs.without);
  const given: Turn[] = [];
  const plain: Turn[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) given.push(await turn(logs.requestLog));
    plain.push(await turn(logs.without));
    if (round % 2 === 1) given.push(await turn(logs.requestLog));
  }
  Object.assign(http, { requestLog: logs.requestLog });
  const median = (values: readonly number[]) => quantile(values, 0.5);
  return {
    name,
    with_rps: Math.round(median(given.map(({ rps }) => rps))),
    without_rps: Math.round(median(plain.map(({ rps }) => rps))),
    ratio: Number(median(given.map(({ cost }, round) => (plain[round] as Turn).cost / cost)).toFixed(3)),
  };
}
