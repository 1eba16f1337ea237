import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Database } from "@/db/client";
import { DatabaseUnavailable } from "@/db/unavailable";
import { testService } from "@/e2e/fixtures/factories";
import { countResponse, counts } from "@/lib/counts";
import { provideService } from "./current-service";
import { dispatch } from "./dispatch";
import { metrics, ownFigures, provideFiguresOfPages } from "./metrics";
import { textOf } from "./response";

const TOKEN = "a-token-of-enough-characters";
/** A database that is unavailable. */
const begin = vi.fn(async () => {
  throw new DatabaseUnavailable("gone");
});
const pools = () => [{ name: "crossing_sql", max: 3, inUse: 1, waiting: 2 }];

beforeEach(() => {
  vi.stubEnv("METRICS_TOKEN", TOKEN);
  vi.stubEnv("DATA_DIR", tmpdir());
  begin.mockClear();
  const replicas = () => [{ name: "replica:5432", isUsed: true, lagMs: 250 }];
  provideService(testService({ sql: { begin }, pools, replicas } as unknown as Database));
});
afterEach(() => void vi.unstubAllEnvs());

const ask = (authorization?: string, method = "GET", path = "/metrics") =>
  metrics(new Request(`http://x${path}`, { method, headers: authorization === undefined ? {} : { authorization } }));

test.each([
  undefined,
  "",
  "Bearer",
  "Bearer ",
  `Basic ${TOKEN}`,
  TOKEN,
  `Bearer ${TOKEN}x`,
  `Bearer ${TOKEN.slice(1)}`,
  `Bearer ${TOKEN} ${TOKEN}`,
  `Bearer ${TOKEN.toUpperCase()}`,
])("without the token it is 401: %s", async (authorization) => {
  const answer = await ask(authorization);
  expect([answer.status, answer.headers["WWW-Authenticate"]]).toEqual([401, 'Bearer realm="metrics"']);
  expect(answer.body).not.toMatch(/cardlane_|process_/);
  expect(begin).not.toHaveBeenCalled();
});

test("without the setting the page does not exist, whatever is sent", async () => {
  vi.stubEnv("METRICS_TOKEN", "");
  for (const authorization of [undefined, "Bearer ", "Bearer null", `Bearer ${TOKEN}`]) {
    expect((await ask(authorization)).status).toBe(404);
  }
  expect((await ask(undefined, "POST")).status).toBe(404);
});

test("only GET is served, at that path alone, also by our own host", async () => {
  expect((await ask(`Bearer ${TOKEN}`, "POST")).status).toBe(405);
  const own = (path: string) =>
    dispatch(new Request(`http://x${path}`, { headers: { authorization: `Bearer ${TOKEN}` } }), { ip: "127.0.0.1" });
  expect((await own("/metrics/")).status).toBe(404);
  expect((await own("/metrics?x=1")).body).toContain("cardlane_database_up 0");
  expect((await own("/metrics/x")).status).toBe(404);
});

test("an easily guessed token is refused at startup", async () => {
  vi.stubEnv("METRICS_TOKEN", "secret");
  await expect(ask()).rejects.toThrow(/16 or more/);
});

/** Name with labels → value; throws on lines that Prometheus would refuse, and on duplicates. */
function parse(text: string): Map<string, number> {
  const found = new Map<string, number>();
  const types = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, typed, type] = /^# TYPE (\w+) (counter|gauge|histogram|summary)$/.exec(line) ?? [];
    if (typed && type) types.set(typed, type);
    if (line === "" || line.startsWith("#")) continue;
    const [, name = "", labels = "", value] =
      /^([a-z_]\w*)(\{(?:[a-z_]+="[^"\\]*",?)+\})? (-?[\d.e+-]+|Nan)$/i.exec(line) ?? [];
    expect(name, line).not.toBe("");
    expect(types.has(name.replace(/_(bucket|sum|count)$/, "")) || types.has(name), line).toBe(true);
    expect(found.has(name + labels), line).toBe(false);
    found.set(name + labels, Number(value));
  }
  return found;
}

test("the text is in Prometheus format, and reports a database outage instead of failing", async () => {
  countResponse("getPayment", 200, performance.now() - 40);
  countResponse("getPayment", 429, performance.now());
  countResponse("getPayment", 401, performance.now() - 60_000);
  const before = { ...counts };
  const answer = await ask(`Bearer ${TOKEN}`);
  expect([answer.status, answer.headers["Content-Type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  const values = parse(textOf(answer.body));
  expect(values.get("cardlane_database_up")).toBe(0);
  expect(values.has("cardlane_unknown_outcomes")).toBe(false);
  expect(values.has("cardlane_ledger_difference_minor_units")).toBe(false);
  expect(values.has("cardlane_database_bytes")).toBe(false);
  expect(values.get("cardlane_disk_free_bytes")).toBeGreaterThan(0);
  expect(values.get('cardlane_pool_waiting{pool="crossing_sql"}')).toBe(2);
  expect(values.get('cardlane_replica_used{replica="replica:5432"}')).toBe(1);
  expect(values.get('cardlane_replica_lag_seconds{replica="replica:5432"}')).toBe(0.25);
  expect(values.get("process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(values.has("nodejs_eventloop_lag_p99_seconds")).toBe(true);
  expect(values.get("cardlane_unauthorized_total")).toBe(before.unauthorized);
  expect(values.get("cardlane_rate_limited_total")).toBe(before.rateLimited);
  const bucket = (le: string) =>
    values.get(`cardlane_request_duration_seconds_bucket{endpoint="getPayment",le="${le}"}`) ?? Number.NaN;
  const of = counts.endpoints.get("getPayment");
  expect(bucket("+Inf")).toBe(values.get('cardlane_request_duration_seconds_count{endpoint="getPayment"}'));
  expect(bucket("+Inf")).toBe(of?.statuses.reduce((sum, count) => sum + count));
  expect([bucket("0.025") < bucket("0.05"), bucket("30") < bucket("+Inf")]).toEqual([true, true]);
  expect(values.get('cardlane_requests_total{endpoint="getPayment",status="4xx"}')).toBe(of?.statuses[3]);
});

test("concurrent requests query the database once", async () => {
  await Promise.all(Array.from({ length: 5 }, () => ask(`Bearer ${TOKEN}`)));
  // One query for open and pending work, one for the ledger, one for the database's size.
  expect(begin).toHaveBeenCalledTimes(3);
});

test("figures of the pages process are in the same family under a label, and absent without that process", async () => {
  const figures = await ownFigures();
  provideFiguresOfPages(async () => [
    ...figures,
    { name: "cardlane_unauthorized_total", values: [{ labels: {}, value: 41 }] },
  ]);
  const text = textOf((await ask(`Bearer ${TOKEN}`)).body);
  expect(text).toContain('\ncardlane_unauthorized_total{process="pages"} 41\n');
  expect(text).toMatch(/\ncardlane_unauthorized_total \d+\n/);
  expect(text).toContain('\ncardlane_pool_waiting{pool="crossing_sql",process="pages"} 2\n');
  expect(text).toMatch(/\nprocess_resident_memory_bytes\{process="pages"\} \d+\n/);
  const families = text.match(/^# TYPE \S+/gm) ?? [];
  expect(new Set(families).size).toBe(families.length);
  provideFiguresOfPages(async () => null);
  expect(textOf((await ask(`Bearer ${TOKEN}`)).body)).not.toContain("process=");
});
