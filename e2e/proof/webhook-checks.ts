import { Webhook } from "standardwebhooks";
import { expect, vi } from "vitest";
import type { Database } from "@/db/client";
import { encodeId } from "@/lib/contract/ids";
import { LATE, LEAST_LATE_MS } from "./webhook-director";
import { BAD_KINDS, FLAKY_TAKES, RETRY_AFTER_S, type Receipt, type Receiver } from "./webhook-receivers";

/** A receiver with its endpoint's secret, alone in its environment. */
export type Addressed = { readonly receiver: Receiver; readonly secret: string; readonly environmentId: string };

const [S, M, H] = [1_000, 60_000, 3_600_000];
/** Promised pauses between attempts, each within 10 %. */
const PAUSES_MS = [5 * S, 5 * M, 30 * M, 2 * H, 5 * H, 10 * H, 14 * H, 20 * H, 24 * H];
const MOST_ATTEMPTS = PAUSES_MS.length + 1;
/** Longer than sending takes after a delivery has been claimed. */
const UNDER_WAY_MS = 5 * S;
const SUCCEEDS = ["takes", "flickers"];

type Attempt = {
  readonly signature: string;
  readonly error: string | null;
  readonly status_code: number | null;
  readonly startedMs: number;
  readonly endedMs: number;
};
type Delivery = {
  readonly id: string;
  readonly event_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly made: readonly Attempt[];
};

type Totals = Record<"events" | "receipts" | "delivered" | "failed" | "again" | "pauses" | "hours", number>;

/**
 * Checks every promise to merchants, for every event. `realMs`: time by which the clock advanced on its own.
 */
export async function expectDelivered(
  db: Database,
  addressed: readonly Addressed[],
  { realMs, kills }: { realMs: number; kills: number },
): Promise<Totals> {
  await expectRowForEach(db);
  const totals: Totals = { events: 0, receipts: 0, delivered: 0, failed: 0, again: 0, pauses: 0, hours: 0 };
  const kinds = new Set<string>();
  for (const one of addressed) {
    const { receiver } = one;
    const deliveries = await deliveriesOf(db, one.environmentId);
    expect(deliveries.length, receiver.kind).toBeGreaterThan(0);
    expectSigned(one);
    for (const delivery of deliveries) {
      const id = encodeId("event", delivery.event_id);
      const receipts = receiver.receipts.filter(({ headers }) => headers["webhook-id"] === id);
      totals.again += expectOnce(delivery, receipts);
      totals.pauses += expectOnSchedule(receiver, delivery, realMs);
      totals.delivered += delivery.status === "DELIVERED" ? 1 : 0;
      totals.failed += delivery.status === "FAILED" ? 1 : 0;
    }
    if (receiver.kind === "goes") await expectGone(db, one, kills);
    else expectEnded(receiver, deliveries);
    totals.receipts += receiver.receipts.length;
    totals.hours = Math.max(totals.hours, hoursOf(receiver.receipts));
    kinds.add(receiver.kind);
  }
  expect([...kinds].filter((kind) => kind !== "takes").sort()).toEqual([...BAD_KINDS].sort());
  expect(totals.pauses).toBeGreaterThan(totals.failed);
  totals.events = (await db.sql<{ n: number }[]>`select count(*)::int as n from events`)[0]?.n ?? 0;
  return totals;
}

const hoursOf = (receipts: readonly Receipt[]) =>
  receipts.length === 0 ? 0 : Math.round(((receipts.at(-1)?.at ?? 0) - (receipts[0]?.at ?? 0)) / H);

/** A disabled endpoint has deliveries for earlier events, and no others. */
async function expectRowForEach(db: Database): Promise<void> {
  const missing = await db.sql`
    select n.id, n.type from events n
    join webhook_endpoints e on e.environment_id = n.environment_id
    left join webhook_deliveries d on d.environment_id = n.environment_id and d.endpoint_id = e.id and d.event_id = n.id
    -- The key that makes an endpoint is older than it.
    where d.id is null and n.type <> 'api_key.created' and (e.status = 'ENABLED' or n.created_at < (
      select min(g.created_at) from events g where g.environment_id = n.environment_id and g.type = 'webhook_endpoint.disabled'))`;
  expect(missing.map((row) => row)).toEqual([]);
}

async function deliveriesOf({ sql }: Database, environmentId: string): Promise<Delivery[]> {
  return sql<Delivery[]>`
    select d.id, d.event_id, d.status, d.attempts, d.next_attempt_at, coalesce((
      select json_agg(json_build_object('signature', a.request_headers->>'webhook-signature', 'error', a.error,
        'status_code', a.status_code, 'startedMs', extract(epoch from a.created_at) * 1000,
        'endedMs', extract(epoch from a.created_at) * 1000 + a.duration_ms) order by a.created_at, a.id)
      from webhook_attempts a where a.environment_id = d.environment_id and a.delivery_id = d.id), '[]') as made
    from webhook_deliveries d where d.environment_id = ${environmentId} order by d.id`;
}

/**
 * The package verifies each message at its own time, which is the current time; an event's bytes are the same
 * in every attempt.
 */
function expectSigned({ receiver, secret }: Addressed): void {
  const webhook = new Webhook(secret);
  const bodies = new Map<string, string>();
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    for (const { headers, body, at } of receiver.receipts) {
      const { "webhook-id": id = "", "webhook-timestamp": timestamp } = headers;
      expect(Math.abs(Number(timestamp) * S - at), `${id} to ${receiver.kind}, its age`).toBeLessThan(30 * S);
      vi.setSystemTime(at);
      const event = webhook.verify(body, headers) as { id: string };
      expect(event.id).toBe(id);
      expect(body).toBe(bodies.get(id) ?? body);
      bodies.set(id, body);
    }
  } finally {
    vi.useRealTimers();
  }
}

/** Nothing follows a recorded 2xx. Returns the number of repeats after an unrecorded one. */
function expectOnce({ id, status, attempts, made }: Delivery, receipts: readonly Receipt[]): number {
  const accepted = made.filter(({ error }) => error === null);
  expect(accepted.length, id).toBe(status === "DELIVERED" ? 1 : 0);
  const lost = attempts - made.length;
  expect(lost, id).toBeGreaterThanOrEqual(0);
  const unknown = receipts.filter(
    ({ headers }) => !made.some(({ signature }) => signature === headers["webhook-signature"]),
  );
  expect(unknown.length, `${id} came more often than it was sent`).toBeLessThanOrEqual(lost);
  if (status !== "DELIVERED") return 0;
  expect(made.at(-1)?.error, id).toBeNull();
  expect(receipts.at(-1)?.headers["webhook-signature"], id).toBe(made.at(-1)?.signature);
  return receipts.filter(({ status: answered }) => answered !== null && answered < 300).length - 1;
}

/** Checks the pauses of deliveries whose attempts were all recorded, and returns their number. */
function expectOnSchedule({ kind }: Receiver, { id, attempts, made }: Delivery, realMs: number): number {
  if (attempts !== made.length) return 0;
  for (const [index, next] of made.slice(1).entries()) {
    const gap = next.startedMs - (made[index]?.endedMs ?? 0);
    const promised = PAUSES_MS[index] as number;
    // On a busy machine the response can come too late to count.
    const postponed = kind === "postpones" && made[index]?.status_code === 429 ? RETRY_AFTER_S * S : 0;
    expect(gap, `attempt ${index + 2} of ${id}`).toBeGreaterThanOrEqual(Math.max(0.9 * promised, postponed) - 1);
    const longest = 1.1 * Math.max(promised, postponed);
    // The clock also advances on its own while the machine works.
    const late = Math.max(LEAST_LATE_MS, LATE * longest) + realMs;
    expect(gap, `attempt ${index + 2} of ${id}`).toBeLessThanOrEqual(longest + late);
  }
  return made.length - 1;
}

function expectEnded({ kind }: Receiver, deliveries: readonly Delivery[]): void {
  for (const { id, status, attempts, made } of deliveries) {
    if (!SUCCEEDS.includes(kind)) {
      expect([id, status, attempts], kind).toEqual([id, "FAILED", MOST_ATTEMPTS]);
      continue;
    }
    expect([id, status], kind).toEqual([id, "DELIVERED"]);
    const isHeard = attempts === made.length && made.every(({ status_code }) => status_code !== null);
    if (kind === "flickers" && isHeard) expect(attempts, id).toBe(FLAKY_TAKES);
  }
}

/**
 * More 410s are allowed for attempts in progress at the first one: four in each of two processes, and one per
 * killed process that had no time to act on it.
 */
async function expectGone({ sql }: Database, { environmentId, receiver }: Addressed, kills: number): Promise<void> {
  const [endpoint] = await sql<{ reason: string; at: string }[]>`
    select disabled_reason as reason, updated_at as at from webhook_endpoints
    where environment_id = ${environmentId} and status = 'DISABLED'`;
  expect(endpoint?.reason).toBe("gone");
  const told = await sql`
    select from events where environment_id = ${environmentId} and type = 'webhook_endpoint.disabled'`;
  expect(told.length).toBe(1);
  const refused = receiver.receipts.filter(({ status }) => status === 410);
  expect(refused.length, "messages that were answered 410").toBeLessThanOrEqual(8 + kills);
  const later = receiver.receipts.filter(({ at }) => at > Date.parse(endpoint?.at ?? "") + UNDER_WAY_MS);
  expect(later.length, "messages to disabled endpoints").toBe(0);
}
