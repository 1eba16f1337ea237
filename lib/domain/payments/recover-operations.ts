import { findKey } from "@/db/queries/idempotency/claims";
import { holdToResend, prolongLease, type TakenOperation, takeDueOperations } from "@/db/queries/payments/operations";
import { findPayment, type PaymentSnapshot } from "@/db/queries/payments/payments";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { BEFORE_ALL } from "@/lib/ids";
import type { Inquiry, Processor } from "@/lib/processor/port";
import type { Service } from "../context";
import { conclude, type Executed, send } from "./execute";
import { leaveOpen, unknown } from "./finish-operation";
import { type KeyedRequest, leaseOf, type OpenOperation, operationOf } from "./operation";
import { callProcessor, closeAtProcessor, inquireProcessor } from "./processor-calls";

/** Operations that a process works on at once. */
const PLACES = 32;
/** An environment has so many of the places while others wait. */
const SHARE = 4;
/** It has more while nobody else waits, but never these: who comes then need not wait until one of its operations ends. */
const LEFT_FOR_OTHERS = 12;
/** How often it is looked for what has become due while none ends. */
const LOOK_MS = 1_000;

/**
 * The recovery worker: takes over operations that nobody works on any more and brings each to its end. Every instance runs it
 * every second; it goes on until nothing is due, or until it is to stop, and then waits for what it has begun. Answers how
 * many it took. One that cannot be resolved now stays open and does not stop the others.
 */
export async function recoverOperations(service: Service, stopping?: AbortSignal): Promise<number> {
  const places = new Places(service, stopping);
  for (;;) {
    try {
      await places.fill();
    } catch (error) {
      // What is under way may well come to its end when the database is back.
      if (places.isEmpty || !isDatabaseUnavailable(error)) {
        await places.allEnded();
        throw error;
      }
      service.log.warn("the database is unavailable, nothing new is completed meanwhile");
    }
    if (places.isEmpty && (stopping?.aborted || !places.hasChanged)) return places.begun;
    await places.change();
  }
}

/** What a process works on. An operation is taken when there is a place for it, and is begun at once: its lease runs. */
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

  /** Gives places to whoever has none, then to all up to their share, and then some of those that are left. */
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

  /** One operation to each environment in turn, until nothing is due for those below `share`. False: nor for anybody else. */
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

  /** Each writes the whole payment anew: beside each other they would only hold each other up. */
  #busyPayments(): string[] {
    return [...this.#running.keys()].map((operation) => operation.payment_id);
  }
}

/**
 * For how long after "not found" is conclusive an authorization whose request died waits for that request to come again, with
 * its card, before it has failed.
 */
const COMES_AGAIN_MS = 10_000;
/** Meanwhile it is looked at as often as after so many attempts. */
const SOON = 2;

/**
 * Finds out how an operation ended whose first request is gone, or never learned it. Captures, voids, refunds and
 * continued authorizations are sent again under the same reference, which the processor does at most once; of what it
 * has accepted it is asked first. An
 * authorization is only asked about, as its card is gone; a repeat of its request has it again as `token`, with which it is
 * sent once it is proved that nothing was executed and nothing can be any more.
 */
export async function resolveOperation(
  service: Service,
  taken: TakenOperation,
  token: string | null = null,
): Promise<Executed> {
  const operation = operationOf(taken, await waitingRequest(service, taken));
  const call = { attempts: taken.attempts, sent: false };
  const processor = service.processors.processorFor(taken.mode);
  if (!processor) {
    await leaveOpen(service, operation, unknown("no processor is configured"), call);
    return { kind: "pending" };
  }
  const { sql } = service.db.within(operation.environmentId);
  const snapshot = await findPayment(sql, operation.environmentId, operation.paymentId);
  if (!snapshot) throw new Error(`operation ${operation.id} has no payment`);
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
      return { kind: (await leaveOpen(service, operation, answer, { ...call, attempts })) ? "pending" : "lost" };
    }
    // Not sending it now (`not_sent`) says nothing of the first time.
    default:
      return conclude(service, operation, outcome, snapshot, call);
  }
}

/**
 * What became of an authorization. That there is none, and that the time in which it could still be executed is over, no
 * clock proves: one that was set forward says so of a call that is under way, and one that is set back lets that call in
 * later. A call under way has some time to arrive, and then the reference is closed. A repeat of its request uses it instead: of
 * its call and that one, which has the same reference, the processor executes one.
 */
async function inquire(
  service: Service,
  processor: Processor,
  operation: OpenOperation,
  taken: TakenOperation,
  token: string | null,
): Promise<Inquiry> {
  const first = await inquireProcessor(service, processor, operation, operation.id);
  if (first.kind !== "not_found" || !isConclusive(processor, taken)) return first;
  if (token === null && mayComeAgain(processor, taken)) return first;
  await service.timer.wait(processor.notFoundConclusiveAfterMs);
  const lease = leaseOf(service.processorTimeoutMs);
  if (!(await prolongLease(service.db.within(operation.environmentId).sql, operation, lease)))
    return { kind: "unknown", reason: "another process has the operation" };
  if (token !== null && taken.may_resend) return inquireProcessor(service, processor, operation, operation.id);
  return closeAtProcessor(service, processor, operation);
}

/** Of what the processor has accepted it is asked; anything else, and what it has lost, is sent again. */
async function findOrSend(
  service: Service,
  processor: Processor,
  operation: OpenOperation,
  snapshot: PaymentSnapshot,
  accepted: boolean,
): Promise<Inquiry> {
  const found = accepted
    ? await inquireProcessor(service, processor, operation, snapshot.payment.authorization_id)
    : null;
  if (found && found.kind !== "not_found") return found;
  return callProcessor(service, processor, operation, snapshot, null);
}

/** "Not found" proves nothing of what was accepted, nor until every call has ended, or is past its time, for long enough. */
function isConclusive(processor: Processor, taken: TakenOperation): boolean {
  return taken.accepted_at === null && taken.quiet_ms >= processor.notFoundConclusiveAfterMs;
}

/** Whether its request, of which nobody has heard, may still come again. */
function mayComeAgain(processor: Processor, taken: TakenOperation): boolean {
  const isWaitedFor = taken.kind === "authorize" && taken.idempotency_key !== null && taken.may_resend;
  return isWaitedFor && taken.quiet_ms < processor.notFoundConclusiveAfterMs + COMES_AGAIN_MS;
}

/**
 * Sends an authorization in place of a request that died before it did. Null: the right to do so was given before. Whatever the
 * dead one may have left on its way has the same reference, and is closed before this one counts as never executed.
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

/** The request that waits under the operation's key; null when there is none, or the key has been used anew since. */
async function waitingRequest(service: Service, taken: TakenOperation): Promise<KeyedRequest | null> {
  if (taken.idempotency_key === null) return null;
  const row = await findKey(service.db.within(taken.environment_id).sql, taken.environment_id, taken.idempotency_key);
  if (!row || row.operation_id !== taken.id) return null;
  return { key: row.key, operationName: row.operation_name, path: row.path, requestId: row.request_id };
}
