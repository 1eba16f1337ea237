import { findKey } from "@/db/queries/idempotency/keys";
import { holdToResend, prolongLease, type TakenOperation, takeDueOperations } from "@/db/queries/payments/operations";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { BEFORE_ALL } from "@/lib/ids";
import type { Inquiry, Processor } from "@/lib/processor/port";
import type { KeyedRequest, Service } from "../context";
import { CONNECTION_MISSING, conclude, send } from "./execute";
import { type Executed, getPaymentOf, leaveOpen, unknown } from "./finish-operation";
import { leaseOf, type OpenOperation, operationOf } from "./operation";
import { callProcessor, closeAtProcessor, inquireHeld } from "./processor-calls";

/** Operations that a process works on at once. */
const PLACES = 32;
/** An environment has so many of the places while others wait. */
const SHARE = 4;
/** It may use more while no other waits, but never these: a newcomer gets one at once. */
const LEFT_FOR_OTHERS = 12;
/** How often to look for due operations while none ends. */
const LOOK_MS = 1_000;

/**
 * The recovery worker: takes over operations whose process died and finishes them. Every instance runs it every second, until
 * nothing is due or it is to stop; then it waits for what it has begun. Returns how many it took. An operation that cannot be
 * resolved now stays open and does not stop the others.
 */
export async function recoverOperations(service: Service, stopping?: AbortSignal): Promise<number> {
  const places = new Places(service, stopping);
  for (;;) {
    try {
      await places.fill();
    } catch (error) {
      // What is under way may finish when the database is back.
      if (places.isEmpty || !isDatabaseUnavailable(error)) {
        await places.allEnded();
        throw error;
      }
      service.log.warn("the database is unavailable: recovery waits for it");
    }
    if (places.isEmpty && (stopping?.aborted || !places.hasChanged)) return places.begun;
    await places.change();
  }
}

/** What a process works on. An operation is taken only when a place is free, because its lease runs at once. */
class Places {
  begun = 0;
  /** Whether one has ended since it was last filled. */
  hasChanged = false;
  readonly #service: Service;
  readonly #stopping: AbortSignal | undefined;
  readonly #running = new Map<TakenOperation, Promise<void>>();
  /** The environment that had the last turn. */
  #last = BEFORE_ALL;
  #wake = () => {};

  constructor(service: Service, stopping: AbortSignal | undefined) {
    this.#service = service;
    this.#stopping = stopping;
  }

  get isEmpty(): boolean {
    return this.#running.size === 0;
  }

  /** Gives places first to environments without one, then to all up to their share, then some of those that are left. */
  async fill(): Promise<void> {
    this.hasChanged = false;
    for (const share of [1, SHARE]) if (!(await this.#giveTurns(PLACES, share))) return;
    await this.#giveTurns(PLACES - LEFT_FOR_OTHERS, PLACES);
  }

  /** When one has ended, or after a while. */
  change(): Promise<void> {
    if (this.hasChanged) return Promise.resolve();
    return new Promise((resolve) => {
      const endTimer = this.#service.timer.after(LOOK_MS, resolve);
      this.#wake = () => {
        endTimer();
        resolve();
      };
    });
  }

  async allEnded(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** One operation to each environment in turn, until nothing is due for those below `share`. False: nor for any other. */
  async #giveTurns(most: number, share: number): Promise<boolean> {
    while (!this.#stopping?.aborted) {
      const free = most - this.#running.size;
      if (free <= 0) break;
      const passedOver = this.#environmentsWith(share);
      const fromTheFirst = this.#last === BEFORE_ALL;
      const taken = await takeDueOperations(
        this.#service.db.sql,
        { after: this.#last, most: free, passedOver, busyPayments: this.#busyPayments() },
        leaseOf(this.#service.processorTimeoutMs),
      );
      for (const operation of taken) this.#begin(operation);
      const last = taken
        .map((operation) => operation.environment_id)
        .sort()
        .at(-1);
      this.#last = taken.length === free && last ? last : BEFORE_ALL;
      if (taken.length === 0 && fromTheFirst) return passedOver.length > 0;
    }
    return true;
  }

  #begin(operation: TakenOperation): void {
    this.begun++;
    const ended = resolveOperation(this.#service, operation)
      .then(
        () => {},
        (error) =>
          this.#service.log.error(
            { err: error, operation: operation.id },
            "an operation could not be resolved and stays open",
          ),
      )
      .then(() => {
        this.#running.delete(operation);
        this.hasChanged = true;
        this.#wake();
      });
    this.#running.set(operation, ended);
  }

  #environmentsWith(count: number): string[] {
    const counts = new Map<string, number>();
    for (const { environment_id: id } of this.#running.keys()) counts.set(id, (counts.get(id) ?? 0) + 1);
    return [...counts].filter(([, running]) => running >= count).map(([id]) => id);
  }

  /** Each rewrites the whole payment: in parallel they would only hold each other up. */
  #busyPayments(): string[] {
    return [...this.#running.keys()].map((operation) => operation.payment_id);
  }
}

/**
 * How long, after "not found" is conclusive, an authorization whose request died waits for a retry, which has the card, before
 * it fails.
 */
const COMES_AGAIN_MS = 10_000;
/** Until then it is checked as often as after so many attempts. */
const SOON = 2;

/** A card that a request has, at the connection that can read it. */
export type HeldCard = { readonly token: string; readonly connectionId: string | null };

/**
 * Finds out how an operation ended whose first request is gone, or never learned it. Captures, voids, refunds and continued
 * authorizations are sent again under the same reference, which the processor executes at most once; if it has accepted one,
 * its status is checked first. An authorization only has its status checked, as its card is gone. A retry of its request has
 * the card again, and sends it once nothing was executed and nothing can be any more.
 */
export async function resolveOperation(
  service: Service,
  taken: TakenOperation,
  card: HeldCard | null = null,
): Promise<Executed> {
  const operation = operationOf(taken, await waitingRequest(service, taken));
  const call = { attempts: taken.attempts, sent: false };
  const snapshot = await getPaymentOf(service, operation);
  const { connection_id: connectionId } = snapshot.payment;
  const at = await service.processors.find({ id: taken.environment_id, mode: taken.mode }, connectionId);
  if (!at) {
    const reason = connectionId ? CONNECTION_MISSING : "no processor is configured";
    return leaveOpen(service, operation, unknown(reason), call, snapshot);
  }
  const { processor } = at;
  // By other rules its retry may have brought a token of another processor: of no use at this one.
  const token = card?.connectionId === connectionId ? card.token : null;
  const outcome =
    operation.kind === "authorize"
      ? await inquire(service, processor, operation, taken, token)
      : await findOrSend(service, processor, operation, snapshot, taken.accepted_at !== null);
  switch (outcome.kind) {
    case "never": {
      const failed = { kind: "failed", reason: "the processor never executed it" } as const;
      return conclude(service, operation, failed, snapshot, call);
    }
    case "not_found": {
      const sent =
        token !== null &&
        isConclusive(processor, taken) &&
        (await sendInPlace(service, processor, operation, token, snapshot));
      if (sent) return sent;
      const attempts = mayComeAgain(processor, taken) ? Math.min(taken.attempts, SOON) : taken.attempts;
      const answer = unknown("the processor does not know it yet");
      return leaveOpen(service, operation, answer, { ...call, attempts }, snapshot);
    }
    // `not_sent` is about this call, not about the first one.
    default:
      return conclude(service, operation, outcome, snapshot, call);
  }
}

/**
 * The status of an authorization. No clock proves that it can no longer be executed: one set forward ends the time of a call
 * that is under way, one set back lets that call in later. So a call under way gets time to arrive, and then the reference is
 * closed. A retry of its request uses the reference instead: of both calls the processor executes one.
 */
async function inquire(
  service: Service,
  processor: Processor,
  operation: OpenOperation,
  taken: TakenOperation,
  token: string | null,
): Promise<Inquiry> {
  const first = await inquireHeld(service, processor, operation, operation.id);
  if (first.kind !== "not_found" || !isConclusive(processor, taken)) return first;
  if (token === null && mayComeAgain(processor, taken)) return first;
  await service.timer.wait(processor.notFoundConclusiveAfterMs);
  const lease = leaseOf(service.processorTimeoutMs);
  if (!(await prolongLease(service.db.within(operation.environmentId).sql, operation, lease)))
    return { kind: "unknown", reason: "another process has the operation" };
  if (token !== null && taken.may_resend) return inquireHeld(service, processor, operation, operation.id);
  return closeAtProcessor(service, processor, operation);
}

/** Checks the status of what the processor has accepted; anything else, and what it has lost, is sent again. */
async function findOrSend(
  service: Service,
  processor: Processor,
  operation: OpenOperation,
  snapshot: PaymentSnapshot,
  accepted: boolean,
): Promise<Inquiry> {
  const found = accepted ? await inquireHeld(service, processor, operation, snapshot.payment.authorization_id) : null;
  if (found && found.kind !== "not_found") return found;
  return callProcessor(service, processor, operation, snapshot, null);
}

/** "Not found" proves nothing if it was accepted, nor until every call has been over, or past its time, for long enough. */
function isConclusive(processor: Processor, taken: TakenOperation): boolean {
  return taken.accepted_at === null && taken.quiet_ms >= processor.notFoundConclusiveAfterMs;
}

/** Whether its request may still be retried. */
function mayComeAgain(processor: Processor, taken: TakenOperation): boolean {
  const isWaitedFor = taken.kind === "authorize" && taken.idempotency_key !== null && taken.may_resend;
  return isWaitedFor && taken.quiet_ms < processor.notFoundConclusiveAfterMs + COMES_AGAIN_MS;
}

/**
 * Sends an authorization in place of a request that died first. Null: the right to do so was used before. A call that the dead
 * request left under way has the same reference, which is closed before this one counts as never executed.
 */
async function sendInPlace(
  service: Service,
  processor: Processor,
  operation: OpenOperation,
  token: string,
  snapshot: PaymentSnapshot,
): Promise<Executed | null> {
  const begunMs = service.timer.elapsedMs();
  const { sql } = service.db.within(operation.environmentId);
  const held = await holdToResend(sql, operation, leaseOf(service.processorTimeoutMs));
  if (held === null) return null;
  const mine = { ...operation, epoch: held.epoch, notAfter: held.not_after };
  const call = (now: OpenOperation) => callProcessor(service, processor, now, snapshot, token);
  const close = (now: OpenOperation) => closeAtProcessor(service, processor, now);
  return send(service, mine, { begunMs, call, close }, snapshot);
}

/** The request that waits under the operation's key; null when there is none, or the key now belongs to another request. */
async function waitingRequest(service: Service, taken: TakenOperation): Promise<KeyedRequest | null> {
  if (taken.idempotency_key === null) return null;
  const row = await findKey(service.db.within(taken.environment_id).sql, taken.environment_id, taken.idempotency_key);
  if (!row || row.operation_id !== taken.id) return null;
  return { key: row.key, endpoint: row.endpoint, path: row.path, requestId: row.request_id };
}
