import { findKey } from "@/db/queries/idempotency/keys";
import { holdToResend, prolongLease, type TakenOperation, takeDueOperations } from "@/db/queries/payments/operations";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { BEFORE_ALL } from "@/lib/ids";
import type { Inquiry, Processor } from "@/lib/processor/port";
import type { Service } from "../context";
import { CONNECTION_MISSING, conclude, send } from "./execute";
import { type Executed, getOperationPayment, leaveOpen } from "./finish-operation";
import { leaseOf, type OpenOperation, operationFromRow, type TracedRequest } from "./operation";
import { callProcessor, closeAtProcessor, inquireHeld } from "./processor-calls";

/** Max operations that a process resolves concurrently. */
const SLOTS = 32;
/** Slots of one environment while others wait. */
const SLOTS_PER_ENVIRONMENT = 4;
/** Slots that no environment gets beyond its share, so that a newcomer gets one immediately. */
const RESERVED_SLOTS = 12;
/** Interval at which to look for due operations while none ends. */
const POLL_MS = 1_000;

/**
 * The recovery worker: takes over operations whose process died and finishes them. Every instance runs it
 * every second. It ends when nothing is due or it is stopped, after the operations in progress. Returns how
 * many it took. An operation that cannot be resolved now stays open and does not stop the others.
 */
export async function recoverOperations(service: Service, stopping?: AbortSignal): Promise<number> {
  const slots = new RecoverySlots(service, stopping);
  for (;;) {
    try {
      await slots.fill();
    } catch (error) {
      // Operations in progress may finish when the database is back.
      if (slots.isIdle || !isDatabaseUnavailable(error)) {
        await slots.drain();
        throw error;
      }
      service.log.warn("the database is unavailable: recovery waits for it");
    }
    if (slots.isIdle && (stopping?.aborted || !slots.hasReleased)) return slots.taken;
    await slots.waitForRelease();
  }
}

/**
 * The operations in progress. No `Semaphore`, because the database chooses the environments that get the free
 * slots: an operation's lease runs once it is taken, so it must not wait for a slot.
 */
class RecoverySlots {
  /** Operations taken so far. */
  taken = 0;
  /** An operation has ended since the slots were last filled. */
  hasReleased = false;
  readonly #service: Service;
  readonly #stopping: AbortSignal | undefined;
  readonly #running = new Map<TakenOperation, Promise<void>>();
  /** The environment that was served last. */
  #last = BEFORE_ALL;
  #onRelease = () => {};

  constructor(service: Service, stopping: AbortSignal | undefined) {
    this.#service = service;
    this.#stopping = stopping;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /**
   * Fills slots: first for environments without one, then up to their share, then beyond it except for the
   * reserve.
   */
  async fill(): Promise<void> {
    this.hasReleased = false;
    for (const share of [1, SLOTS_PER_ENVIRONMENT]) if (!(await this.#takeDue(SLOTS, share))) return;
    await this.#takeDue(SLOTS - RESERVED_SLOTS, SLOTS);
  }

  /** Resolves when an operation has ended, or after `POLL_MS`. */
  waitForRelease(): Promise<void> {
    if (this.hasReleased) return Promise.resolve();
    return new Promise((resolve) => {
      const endTimer = this.#service.timer.after(POLL_MS, resolve);
      this.#onRelease = () => {
        endTimer();
        resolve();
      };
    });
  }

  /** Resolves when all operations have ended. */
  async drain(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /**
   * Takes one operation per round from each environment below `share`, until none is due. False: none is due
   * anywhere.
   */
  async #takeDue(slots: number, share: number): Promise<boolean> {
    while (!this.#stopping?.aborted) {
      const limit = slots - this.#running.size;
      if (limit <= 0) break;
      const skippedEnvironments = this.#environmentsWith(share);
      const isFullRound = this.#last === BEFORE_ALL;
      const taken = await takeDueOperations(
        this.#service.db.sql,
        { after: this.#last, limit, skippedEnvironments, busyPayments: this.#busyPayments() },
        leaseOf(this.#service.processorTimeoutMs),
      );
      for (const operation of taken) this.#start(operation);
      const last = taken
        .map((operation) => operation.environment_id)
        .sort()
        .at(-1);
      this.#last = taken.length === limit && last ? last : BEFORE_ALL;
      if (taken.length === 0 && isFullRound) return skippedEnvironments.length > 0;
    }
    return true;
  }

  #start(operation: TakenOperation): void {
    this.taken++;
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
        this.hasReleased = true;
        this.#onRelease();
      });
    this.#running.set(operation, ended);
  }

  #environmentsWith(count: number): string[] {
    const counts = new Map<string, number>();
    for (const { environment_id: id } of this.#running.keys()) counts.set(id, (counts.get(id) ?? 0) + 1);
    return [...counts].filter(([, running]) => running >= count).map(([id]) => id);
  }

  /** Operations of one payment all update its row, so running them in parallel only causes conflicts. */
  #busyPayments(): string[] {
    return [...this.#running.keys()].map((operation) => operation.payment_id);
  }
}

/** Time after a conclusive "not found" in which an authorization waits for a retry, which has the card. */
const RETRY_WAIT_MS = 10_000;
/** Cap of `attempts` until then, so that its status checks stay frequent. */
const MAX_WAITING_ATTEMPTS = 2;

/** A request's card token, and the connection that can read it. */
export type HeldCard = { readonly token: string; readonly connectionId: string | null };

/**
 * Resolves an operation whose request died or got no outcome. An authorization only has its status checked,
 * because its card is gone; a retry of its request has the card, and sends it once no call was executed and
 * none still can be. Others are sent again under the same reference, after a status check if the processor
 * has accepted them.
 */
export async function resolveOperation(
  service: Service,
  taken: TakenOperation,
  card: HeldCard | null = null,
): Promise<Executed> {
  const operation = operationFromRow(taken, await waitingRequest(service, taken));
  const call = { attempts: taken.attempts, sent: false };
  const snapshot = await getOperationPayment(service, operation);
  const { connection_id: connectionId } = snapshot.payment;
  const at = await service.processors.find({ id: taken.environment_id, mode: taken.mode }, connectionId);
  if (!at) {
    const reason = connectionId ? CONNECTION_MISSING : "no processor is configured";
    return leaveOpen(service, operation, { kind: "unknown", reason }, call, snapshot);
  }
  const { processor } = at;
  // The routing rules may have changed, so the retry's token may belong to another processor.
  const token = card?.connectionId === connectionId ? card.token : null;
  const outcome =
    operation.kind === "authorize"
      ? await inquire(service, processor, operation, taken, token)
      : await checkOrSend(service, processor, operation, snapshot, taken.accepted_at !== null);
  switch (outcome.kind) {
    case "never": {
      const failed = { kind: "failed", reason: "the processor never executed it" } as const;
      return conclude(service, operation, failed, snapshot, call);
    }
    case "not_found": {
      const sent =
        token !== null &&
        isConclusive(processor, taken) &&
        (await sendForDeadRequest(service, processor, operation, token, snapshot));
      if (sent) return sent;
      const attempts = awaitsRetry(processor, taken) ? Math.min(taken.attempts, MAX_WAITING_ATTEMPTS) : taken.attempts;
      const unknown = { kind: "unknown", reason: "the processor does not know it yet" } as const;
      return leaveOpen(service, operation, unknown, { ...call, attempts }, snapshot);
    }
    // `not_sent` is the outcome of this call only; the first one may have been executed.
    default:
      return conclude(service, operation, outcome, snapshot, call);
  }
}

/**
 * Checks the status of an authorization. Clocks may be set, so no time proves that a call in flight can no
 * longer execute: it gets time to arrive, and then the reference is closed. A retry of its request uses the
 * reference instead; of both calls the processor executes one.
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
  if (token === null && awaitsRetry(processor, taken)) return first;
  await service.timer.wait(processor.notFoundConclusiveAfterMs);
  const lease = leaseOf(service.processorTimeoutMs);
  if (!(await prolongLease(service.db.within(operation.environmentId).sql, operation, lease)))
    return { kind: "unknown", reason: "another process has the operation" };
  if (token !== null && taken.may_resend) return inquireHeld(service, processor, operation, operation.id);
  return closeAtProcessor(service, processor, operation);
}

/**
 * Checks the status of an accepted operation; sends it again otherwise, or if the processor does not find it.
 */
async function checkOrSend(
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

/**
 * "Not found" is conclusive if it was never accepted and all its calls ended, or timed out, long enough ago.
 */
function isConclusive(processor: Processor, taken: TakenOperation): boolean {
  return taken.accepted_at === null && taken.quiet_ms >= processor.notFoundConclusiveAfterMs;
}

/** True while a retry of its request is worth waiting for. */
function awaitsRetry(processor: Processor, taken: TakenOperation): boolean {
  const canBeRetried = taken.kind === "authorize" && taken.idempotency_key !== null && taken.may_resend;
  return canBeRetried && taken.quiet_ms < processor.notFoundConclusiveAfterMs + RETRY_WAIT_MS;
}

/**
 * Sends an authorization in place of a request that died. Null: the right to do so was used before. The dead
 * request's call may still be in flight under the same reference, so that is closed before the operation can
 * fail.
 */
async function sendForDeadRequest(
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

/**
 * The request that waits for the response; null without a key, or if the key belongs to another request now.
 */
async function waitingRequest(service: Service, taken: TakenOperation): Promise<TracedRequest | null> {
  if (taken.idempotency_key === null) return null;
  const row = await findKey(service.db.within(taken.environment_id).sql, taken.environment_id, taken.idempotency_key);
  if (!row || row.operation_id !== taken.id) return null;
  const { key, endpoint, path, request_id: requestId, request_digest: digest } = row;
  return { key, endpoint, path, requestId, digest };
}
