import { setMaxListeners } from "node:events";
import { clockSettingOf } from "@/db/queries/clock";
import { findEvent } from "@/db/queries/events";
import {
  type Attempted,
  type DueEndpoint,
  type EndpointPlace,
  findDueEndpoints,
  recordAttempt,
  releaseDelivery,
  type TakenDelivery,
  takeDueDeliveries,
} from "@/db/queries/webhooks/deliveries";
import { listWebhookSecrets } from "@/db/queries/webhooks/endpoints";
import { SYSTEM } from "@/db/schema/operations";
import { isDatabaseUnavailable } from "@/db/unavailable";
import type { Event } from "@/lib/contract/events/event";
import { encodeId } from "@/lib/contract/ids";
import type { Payload } from "@/lib/contract/webhooks/webhook-endpoint";
import { BEFORE_ALL, newId } from "@/lib/ids";
import type { Sent } from "@/lib/webhooks/sender";
import { type SigningKeys, signedHeaders } from "@/lib/webhooks/signature";
import type { Context, Service } from "../context";
import { presentEvent } from "../events/event";
import { disableFailing } from "./endpoints";
import { DISABLED_AFTER_MS } from "./failing-endpoints";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses between attempts. After the tenth, a delivery has failed until it is sent again. */
const PAUSES_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const MAX_ATTEMPTS = PAUSES_MS.length + 1;
/** Relative deviation of pauses, so that simultaneous failures don't retry simultaneously. */
const JITTER = 0.1;
/** Max pause that a receiver can request. */
const MAX_PAUSE_MS = 24 * HOUR;
/** Longer than an attempt and its recording take; after a crash, another process takes over. */
const LEASE_MS = 45 * SECOND;

/** Concurrent deliveries per process. */
const SLOTS = 32;
/** Slots shared by failing or slow endpoints. */
const SLOW_LANE_SLOTS = 12;
/**
 * Max slots of one endpoint, of one merchant with all its endpoints, and of all test environments: however
 * many test receivers hang, live endpoints have 8 slots, 4 of them for those that fail, are slow or are new.
 */
const SHARES = {
  fast: { ofEndpoint: 4, ofEnvironment: 16, ofTests: 16 },
  slow: { ofEndpoint: 1, ofEnvironment: 3, ofTests: 8 },
} as const;
/** Endpoints examined per query; an environment has fewer. */
const ENDPOINTS_PER_QUERY = 200;
const SLOW_MS = 2 * SECOND;
/** Max stored bytes of a 2xx response, which has no error to diagnose. */
const MAX_SUCCESS_BODY_BYTES = 512;

type Lane = keyof typeof SHARES;

const FIRST: EndpointPlace = { environment_id: BEFORE_ALL, endpoint_id: BEFORE_ALL };

/** Pause before the next attempt in milliseconds; null after the last one. `random`: from 0 to 1. */
export function pauseAfter(attempts: number, random: number): number | null {
  const pause = PAUSES_MS[attempts - 1];
  return pause === undefined ? null : Math.round(pause * (1 + JITTER * (2 * random - 1)));
}

/** `Retry-After`, in seconds or as a date, in milliseconds from now; 0 if it is neither. */
export function retryAfterMs(header: string | null, nowMs: number): number {
  if (header === null) return 0;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), MAX_PAUSE_MS) : 0;
}

/** Body of a message, identical in every attempt. */
export function messageBody(event: Event, payload: Payload): string {
  if (payload === "full") return JSON.stringify(event);
  const { id, object } = event.data.object;
  const { type, created_at: timestamp, environment, sequence } = event;
  return JSON.stringify({ type, timestamp, data: { id, object, environment, sequence } });
}

/**
 * Sends due deliveries. Every process has one worker: it leases deliveries, a few per endpoint and round, and
 * sends them concurrently, so that none waits for another's response.
 */
export class WebhookWorker {
  readonly #service: Service;
  readonly #running = new Map<TakenDelivery, Promise<void>>();
  readonly #stopping = new AbortController();
  /** Endpoint after which the next round starts, for each lane. */
  readonly #after = { slow: FIRST, fast: FIRST };
  #wake = () => {};

  constructor(service: Service) {
    this.#service = service;
    // Each message in progress adds a listener.
    setMaxListeners(0, this.#stopping.signal);
  }

  /**
   * Starts due deliveries while slots are free. Returns the number started; 0 means that polling can wait.
   * `wake`: called when a slot becomes free, which is a reason to poll again.
   */
  async begin(stopping?: AbortSignal, wake = () => {}): Promise<number> {
    if (stopping?.aborted) return 0;
    this.#wake = wake;
    const fast = await this.#fillSlots("fast", SLOTS - this.#running.size);
    const busy = this.#runningIn("slow").length;
    const slow = await this.#fillSlots("slow", Math.min(SLOTS - this.#running.size, SLOW_LANE_SLOTS - busy));
    return fast + slow;
  }

  /** Resolves when no delivery is in progress. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /**
   * Gives deliveries in progress a grace period; the rest is released, for other processes to send
   * immediately.
   */
  async stop(graceMs: number): Promise<void> {
    const end = this.#service.timer.after(graceMs, () => this.#stopping.abort());
    await this.settled();
    end();
  }

  #runningIn(lane: Lane): TakenDelivery[] {
    return [...this.#running.keys()].filter(({ is_slow }) => is_slow === (lane === "slow"));
  }

  /** Continues after the last examined endpoint, for at most one full round without anything to take. */
  async #fillSlots(lane: Lane, free: number): Promise<number> {
    let started = 0;
    let takenThisRound = 0;
    let isWholeRound = this.#after[lane] === FIRST;
    while (started < free) {
      const nowMs = this.#service.clock.now().getTime();
      const now = new Date(nowMs).toISOString();
      const found = await findDueEndpoints(this.#service.db.sql, {
        after: this.#after[lane],
        isSlow: lane === "slow",
        now,
        share: SHARES[lane].ofEndpoint,
        limit: ENDPOINTS_PER_QUERY,
      });
      const allocation = allocateSlots(found, this.#runningIn(lane), SHARES[lane], free - started);
      const leaseUntil = new Date(nowMs + LEASE_MS).toISOString();
      const taken = await takeDueDeliveries(this.#service.db.sql, allocation.allocated, {
        now,
        leaseUntil,
        maxAttempts: MAX_ATTEMPTS,
      });
      for (const delivery of taken) this.#begin(delivery);
      started += taken.length;
      takenThisRound += taken.length;
      if (allocation.examined === found.length && found.length < ENDPOINTS_PER_QUERY) {
        this.#after[lane] = FIRST;
        if (isWholeRound && takenThisRound === 0) break;
        isWholeRound = true;
        takenThisRound = 0;
      } else {
        this.#after[lane] = found[allocation.examined - 1] as EndpointPlace;
      }
    }
    return started;
  }

  #begin(delivery: TakenDelivery): void {
    const { log } = this.#service;
    const work = deliver(this.#service, delivery, this.#stopping.signal)
      .catch(async (error: unknown) => {
        if (isDatabaseUnavailable(error)) throw error;
        log.error({ err: error, delivery: delivery.id }, "a webhook delivery could not be processed");
        await recordOwnFailure(this.#service, delivery);
        return null;
      })
      // Separate from the attempt, which is already recorded, whatever happens here.
      .then((failure) => (failure === null ? undefined : disableIfOver(this.#service, delivery, failure)))
      // Its lease expires, and it is sent again.
      .catch((error: unknown) => {
        log.warn({ err: error, delivery: delivery.id }, "the result of a webhook delivery could not be written");
      })
      .finally(() => {
        this.#running.delete(delivery);
        this.#wake();
      });
    this.#running.set(delivery, work);
  }
}

/**
 * Distributes free slots among endpoints, some of which have
 * deliveries in progress. `examined`: number of endpoints examined.
 */
export function allocateSlots(
  found: readonly DueEndpoint[],
  running: readonly Pick<DueEndpoint, "environment_id" | "endpoint_id" | "mode">[],
  share: { readonly ofEndpoint: number; readonly ofEnvironment: number; readonly ofTests: number },
  free: number,
): { allocated: (EndpointPlace & { slots: number })[]; examined: number } {
  const busy = new Map<string, number>();
  const add = (id: string, by: number) => busy.set(id, (busy.get(id) ?? 0) + by);
  for (const { environment_id, endpoint_id, mode } of running) {
    add(environment_id, 1);
    add(endpoint_id, 1);
    add(mode, 1);
  }
  const allocated: (EndpointPlace & { slots: number })[] = [];
  let left = free;
  let examined = 0;
  for (const { environment_id, endpoint_id, mode, due } of found) {
    if (left === 0) break;
    examined++;
    const ofEndpoint = share.ofEndpoint - (busy.get(endpoint_id) ?? 0);
    const ofEnvironment = share.ofEnvironment - (busy.get(environment_id) ?? 0);
    const ofMode = mode === "test" ? share.ofTests - (busy.get(mode) ?? 0) : left;
    const slots = Math.min(due, ofEndpoint, ofEnvironment, ofMode, left);
    if (slots <= 0) continue;
    allocated.push({ environment_id, endpoint_id, slots });
    add(environment_id, slots);
    add(mode, slots);
    left -= slots;
  }
  return { allocated, examined };
}

type Failure = "gone" | "failing";

/** Makes and records an attempt. Returns the endpoint's kind of failure, or null. */
async function deliver(service: Service, taken: TakenDelivery, stopping: AbortSignal): Promise<Failure | null> {
  const { environment_id: environmentId } = taken;
  const { sql } = service.db.within(environmentId);
  const startedAt = service.clock.now();
  const message = await messageOf(service, taken, startedAt);
  // The endpoint was deleted with its secrets; its deliveries will be too.
  if (message === null) return null;
  const startedMs = service.timer.elapsedMs();
  const sent = stopping.aborted ? null : await service.webhooks.send({ url: taken.url, ...message }, stopping);
  if (sent === null || (stopping.aborted && sent.kind === "failed")) {
    await releaseDelivery(sql, environmentId, taken, service.clock.now().toISOString());
    return null;
  }
  const durationMs = Math.round(service.timer.elapsedMs() - startedMs);
  const error = errorOf(sent);
  await recordResult(service, taken, {
    request_headers: message.headers,
    error,
    status_code: sent.kind === "responded" ? sent.status : null,
    response_body: sent.kind === "responded" ? keptBody(sent.body, error === null) : null,
    duration_ms: durationMs,
    created_at: startedAt.toISOString(),
    retryAfter: sent.kind === "responded" ? sent.retryAfter : null,
  });
  if (error === null) return null;
  return sent.kind === "responded" && sent.status === 410 ? "gone" : "failing";
}

async function disableIfOver(service: Service, taken: TakenDelivery, reason: Failure): Promise<void> {
  await disableFailing(systemContext(service, taken), taken.endpoint_id, {
    url: taken.url,
    reason,
    failingBefore: new Date(service.clock.now().getTime() - DISABLED_AFTER_MS).toISOString(),
  });
}

/** Truncates the body without splitting a UTF-8 character. */
function keptBody(body: string, isSuccess: boolean): string {
  if (!isSuccess || Buffer.byteLength(body) <= MAX_SUCCESS_BODY_BYTES) return body;
  const { read } = new TextEncoder().encodeInto(body, new Uint8Array(MAX_SUCCESS_BODY_BYTES - Buffer.byteLength("…")));
  return `${body.slice(0, read)}…`;
}

type Kept = Omit<Attempted["attempt"], "id" | "url" | "payload"> & { readonly retryAfter: string | null };

/** Records an attempt's result and the time of the next one. */
async function recordResult(service: Service, taken: TakenDelivery, { retryAfter, ...kept }: Kept): Promise<void> {
  const now = service.clock.now();
  const pauseMs = kept.error === null ? null : pauseAfter(taken.round_attempts, Math.random());
  const pauseUntil = now.getTime() + Math.max(pauseMs ?? 0, retryAfterMs(retryAfter, now.getTime()));
  await recordAttempt(service.db.within(taken.environment_id).sql, taken.environment_id, {
    deliveryId: taken.id,
    endpointId: taken.endpoint_id,
    epoch: taken.epoch,
    now: now.toISOString(),
    attempt: { id: newId(), url: taken.url, payload: taken.payload, ...kept },
    status: kept.error === null ? "DELIVERED" : pauseMs === null ? "FAILED" : "PENDING",
    nextAttemptAt: new Date(pauseUntil).toISOString(),
    isSlow: kept.duration_ms > SLOW_MS,
  });
}

/** Failures on our side follow the schedule as well, instead of being retried every minute forever. */
function recordOwnFailure(service: Service, taken: TakenDelivery): Promise<void> {
  const error = "Something went wrong on our side.";
  const nothing = { request_headers: {}, status_code: null, response_body: null, duration_ms: 0, retryAfter: null };
  return recordResult(service, taken, { ...nothing, error, created_at: service.clock.now().toISOString() });
}

function errorOf(sent: Sent): string | null {
  if (sent.kind === "failed") return sent.error;
  if (sent.status >= 200 && sent.status < 300) return null;
  if (sent.status >= 300 && sent.status < 400) return `It answered ${sent.status}. Redirects are not followed.`;
  return `It answered ${sent.status}.`;
}

async function messageOf(service: Service, taken: TakenDelivery, at: Date) {
  const { orm } = service.db.within(taken.environment_id);
  const [row, secrets] = await Promise.all([
    findEvent(orm, taken.environment_id, taken.event_id, BEFORE_ALL),
    listWebhookSecrets(orm, taken.environment_id, taken.endpoint_id, at.toISOString()),
  ]);
  if (!row) throw new Error(`event ${taken.event_id} of delivery ${taken.id} is not there`);
  if (secrets.length === 0) return null;
  const body = messageBody(presentEvent(row, taken.mode), taken.payload);
  const keys = secrets.map(({ sealed }) => JSON.parse(service.secret.unseal(sealed)) as SigningKeys);
  const id = encodeId("event", taken.event_id);
  const timestampSeconds = Math.floor(at.getTime() / SECOND);
  const headers = {
    "content-type": "application/json",
    "user-agent": "Cardlane-Webhooks/1",
    ...signedHeaders({ id, timestampSeconds, body }, keys, taken.signature),
  };
  return { body, headers };
}

/** Context of the worker's own actions, which no caller requested. */
function systemContext(service: Service, taken: TakenDelivery): Context {
  return {
    service,
    environment: {
      id: taken.environment_id,
      mode: taken.mode,
      merchantId: taken.merchant_id,
      clock: clockSettingOf(taken),
    },
    actor: SYSTEM,
    request: { id: newId(), endpoint: "", path: "" },
    idempotency: null,
    reauthorize: async () => {},
  };
}
