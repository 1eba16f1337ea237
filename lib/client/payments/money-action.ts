import {
  type Attempt,
  type AttemptResult,
  attemptMoney,
  type KeyFinding,
  type Refusal,
  type UnknownWhy,
} from "./money-attempt";
import { canRetry, type MoneyAction, type MoneyBody, type MoneyRecord, type RecordStore } from "./money-record";
import { changesBetween, type MoneySubject } from "./money-subject";

/** State of one money dialog. Nothing shows as done before the service has confirmed it. */
export type MoneyState =
  | { step: "editing" }
  | { step: "sending"; retry: boolean }
  | { step: "done" }
  | { step: "refused"; refusal: Refusal }
  | { step: "unknown"; why: UnknownWhy; notice: string | null; checking: boolean; retryable: boolean };

export type MoneySnapshot = {
  readonly state: MoneyState;
  /** Null before the first read. */
  readonly subject: MoneySubject | null;
  /** Reason why the payment couldn't be read. */
  readonly readError: string | null;
  /** Concurrent changes that the user must see before sending. */
  readonly changes: readonly string[];
  /** The request, while sending, done or unknown. */
  readonly record: MoneyRecord | null;
};

/** The object that the API returned for a request: a payment or a refund. */
export type MoneyResponse = { id: string; object: string; status: string };

export type MoneyPorts = {
  /** The current payment. Throws an Error with a message for users. */
  read(): Promise<MoneySubject>;
  /** State of the request with this key; sends nothing. Throws like `read`. */
  lookUp(key: string): Promise<KeyFinding>;
  send(request: {
    action: MoneyAction;
    chargeId: string;
    body: MoneyBody;
    key: string;
  }): Promise<Attempt<MoneyResponse>>;
  store: RecordStore;
  owner: Pick<MoneyRecord, "mode" | "merchantId">;
  newKey(): string;
  /** Milliseconds since 1970. */
  now(): number;
  wait(ms: number): Promise<void>;
  /** Runs while no other tab of this browser acts on the same payment. */
  exclusively<T>(paymentId: string, work: () => Promise<T>): Promise<T>;
  /** Something has changed on the server. */
  onChange(): void;
};

const POLL_MS = [1_000, 1_000, 2_000, 3_000, 5_000];

/**
 * Drives one money action on one payment. It creates the idempotency key and keeps it until the outcome is
 * known, across retries and, through its record, across reloads; after a refusal stored under the key, the
 * next attempt gets a new one.
 */
export class MoneyDriver {
  #key: string;
  #closed = false;
  #polling = false;
  #snapshot: MoneySnapshot;
  readonly #listeners = new Set<() => void>();

  constructor(
    readonly action: MoneyAction,
    readonly paymentId: string,
    private readonly ports: MoneyPorts,
  ) {
    const left = ports.store.find(paymentId, action);
    this.#key = left?.key ?? ports.newKey();
    this.#snapshot = {
      state: left ? this.#unknown(left, left.transactionId === null ? "no_answer" : "pending") : { step: "editing" },
      subject: null,
      readError: null,
      changes: [],
      record: left,
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getSnapshot = (): MoneySnapshot => this.#snapshot;

  /** Loads fresh amounts, or checks an unknown outcome. */
  async open(): Promise<void> {
    this.#closed = false;
    await this.refresh();
  }

  close(): void {
    this.#closed = true;
  }

  /** Refreshes amounts when the dialog opens and when its tab is shown again. */
  async refresh(): Promise<void> {
    if (this.#snapshot.state.step === "unknown") return await this.check();
    const subject = await this.#read();
    if (!subject || this.#closed || !this.#isEditable()) return;
    const { subject: before, changes: seen } = this.#snapshot;
    const changes = before ? changesBetween(before, subject) : [];
    this.#set({ subject, changes: changes.length > 0 ? changes : seen });
  }

  /**
   * Sends the form; `amount` is in minor units. Does nothing unless the form is ready, so a second click
   * sends no second request.
   */
  async submit(body: MoneyBody, amount: number): Promise<void> {
    const shown = this.#snapshot.subject;
    if (!this.#isEditable() || !shown) return;
    this.#set({ state: { step: "sending", retry: false }, changes: [], record: null });
    try {
      await this.ports.exclusively(this.paymentId, async () => {
        const other = this.ports.store.find(this.paymentId, this.action);
        if (other) {
          this.#adopt(other);
          return;
        }
        const subject = await this.#read();
        const changes = subject ? changesBetween(shown, subject) : [];
        if (!subject || changes.length > 0) {
          this.#set({ subject: subject ?? shown, changes, state: { step: "editing" } });
          return;
        }
        const record = this.#recordOf(subject, body, amount);
        this.ports.store.save(record);
        this.#set({ subject, record });
        await this.#send(record, false);
      });
    } catch (error) {
      const { record } = this.#snapshot;
      if (record) this.#set({ state: this.#unknown(record, "no_answer") });
      // Before sending, only the browser can fail: no storage for the record, or no lock.
      else this.#set({ state: { step: "editing" }, readError: `Nothing was sent. ${messageOf(error)}` });
    }
  }

  /** Repeats the request under the same key, which returns its result or executes it now. */
  async retry(): Promise<void> {
    const { state, record } = this.#snapshot;
    if (state.step !== "unknown" || state.checking || !record || !canRetry(record, this.ports.now())) return;
    this.#set({ state: { step: "sending", retry: true } });
    try {
      await this.ports.exclusively(this.paymentId, async () => {
        if (!(await this.#hasChanged(record))) await this.#send(record, true);
      });
    } catch (error) {
      this.#set({ state: this.#unknown(record, "no_answer", messageOf(error)) });
    }
  }

  /**
   * True if another refund was made while our request never arrived: the user must see that before it is sent
   * again. The key stays the same, so that a late arrival counts as the same request.
   */
  async #hasChanged(record: MoneyRecord): Promise<boolean> {
    if (record.action !== "refund") return false;
    // If the check gets no response, send anyway: the key ensures a single execution.
    const finding = await this.ports.lookUp(record.key).catch(() => null);
    if (finding?.kind !== "absent") return false;
    const subject = await this.ports.read();
    if (subject.refundable === record.refundable) return false;
    this.ports.store.remove(record);
    const changes = changesBetween({ ...subject, refundable: record.refundable }, subject);
    this.#set({ subject, changes, record: null, state: { step: "editing" } });
    return true;
  }

  /** Another tab sent this action and its outcome is unknown: take it over under its key. */
  #adopt(other: MoneyRecord): void {
    this.#key = other.key;
    this.#set({ record: other, state: this.#unknown(other, "no_answer") });
  }

  /** Checks the status of the request without sending it. */
  async check(): Promise<void> {
    const { state, record } = this.#snapshot;
    if (state.step !== "unknown" || state.checking || !record) return;
    this.#set({ state: { ...state, checking: true } });
    try {
      const finding = await this.ports.lookUp(record.key);
      const subject = await this.#read();
      if (subject) this.#set({ subject });
      this.#settle(record, finding, state.why);
    } catch (error) {
      this.#set({ state: { ...state, checking: false, notice: messageOf(error) } });
    }
  }

  /** An unknown outcome older than its key's lifetime, which the user has checked themselves. */
  forget(): void {
    const { record, state } = this.#snapshot;
    if (state.step !== "unknown" || !record || canRetry(record, this.ports.now())) return;
    this.ports.store.remove(record);
    this.#key = this.ports.newKey();
    this.#set({ state: { step: "editing" }, record: null });
  }

  #set(change: Partial<MoneySnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }

  #isEditable(): boolean {
    const { step } = this.#snapshot.state;
    return step === "editing" || step === "refused";
  }

  #unknown(record: MoneyRecord, why: UnknownWhy, notice: string | null = null): MoneyState {
    return { step: "unknown", why, notice, checking: false, retryable: canRetry(record, this.ports.now()) };
  }

  /** The payment; null if it can't be read, with the error in the state. */
  async #read(): Promise<MoneySubject | null> {
    try {
      const subject = await this.ports.read();
      this.#set({ readError: null });
      return subject;
    } catch (error) {
      this.#set({ readError: messageOf(error) });
      return null;
    }
  }

  #recordOf(subject: MoneySubject, body: MoneyBody, amount: number): MoneyRecord {
    return {
      ...this.ports.owner,
      action: this.action,
      paymentId: this.paymentId,
      chargeId: subject.chargeId,
      key: this.#key,
      body,
      amount,
      refundable: subject.refundable,
      currency: subject.currency,
      card: subject.card,
      transactionId: null,
      sentAt: this.ports.now(),
    };
  }

  async #send(record: MoneyRecord, earlierUnknown: boolean): Promise<void> {
    const request = { action: this.action, chargeId: record.chargeId, body: record.body, key: record.key };
    const outcome = await attemptMoney(
      { send: () => this.ports.send(request), wait: this.ports.wait, stopped: () => this.#closed },
      earlierUnknown,
    );
    await this.#conclude(record, outcome);
  }

  async #conclude(record: MoneyRecord, outcome: AttemptResult<MoneyResponse>): Promise<void> {
    switch (outcome.kind) {
      case "done":
        this.#finish({ step: "done" }, outcome.data.object === "transaction" ? outcome.data.id : null);
        return;
      case "refused": {
        if (outcome.keySpent) this.#key = this.ports.newKey();
        this.#finish({ step: "refused", refusal: outcome.refusal }, null);
        // The shown amounts led to the refusal, so fresh ones are part of it rather than a concurrent change.
        const subject = await this.#read();
        if (subject && !this.#closed) this.#set({ subject });
        return;
      }
      case "unknown": {
        const transactionId = this.action === "refund" ? outcome.data?.id : undefined;
        const known = { ...record, transactionId: transactionId ?? record.transactionId };
        this.ports.store.save(known);
        this.#set({ record: known, state: this.#unknown(known, outcome.why, outcome.refusal?.detail) });
        this.ports.onChange();
        if (outcome.why === "pending") void this.#poll();
        return;
      }
      default:
        outcome satisfies never;
    }
  }

  #finish(state: MoneyState, transactionId: string | null): void {
    const { record } = this.#snapshot;
    if (record) {
      this.ports.store.remove(record);
      this.#set({ record: { ...record, transactionId: transactionId ?? record.transactionId } });
    }
    this.#set({ state });
    this.ports.onChange();
  }

  /** Polls while the processor has the request, until there is a result or the dialog closes. */
  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    for (let times = 0; ; times++) {
      await this.ports.wait(POLL_MS[Math.min(times, POLL_MS.length - 1)] as number);
      const { state } = this.#snapshot;
      if (this.#closed || state.step !== "unknown" || state.why !== "pending") break;
      await this.check();
    }
    this.#polling = false;
  }

  #settle(record: MoneyRecord, finding: KeyFinding, why: UnknownWhy): void {
    switch (finding.kind) {
      case "done":
        this.#finish({ step: "done" }, this.action === "refund" ? finding.transactionId : null);
        return;
      case "refused":
        this.#key = this.ports.newKey();
        this.#finish({ step: "refused", refusal: finding.refusal }, null);
        return;
      case "open":
        this.#set({ state: this.#unknown(record, "pending") });
        void this.#poll();
        return;
      case "absent":
        this.#set({ state: this.#unknown(record, why, NOT_ARRIVED) });
        return;
      default:
        finding satisfies never;
    }
  }
}

const NOT_ARRIVED = "The service has not received the request yet. It may still arrive.";

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
