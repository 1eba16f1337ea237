import { isDisputed } from "@/lib/contract/disputes/statuses";
import { cardText, moneyText } from "@/lib/contract/format";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import type { RefundReason } from "@/lib/contract/transactions/words";
import {
  afterReload,
  type BulkRow,
  type BulkRowState,
  type BulkRun,
  type BulkStore,
  canRetryRow,
  isOver,
} from "./bulk-record";
import type { MoneyResponse } from "./money-action";
import { type Attempt, type AttemptResult, attemptMoney, type KeyFinding } from "./money-attempt";
import type { MoneySubject } from "./money-subject";

/** A refund that needs a second person. `reason`: for colleagues. */
export type ApprovalToRequest = { paymentId: string; refund: RefundBody; reason: string };
type RefundBody = { amount: number; reason: RefundReason; comment?: string; acknowledge_dispute?: true };

export type BulkPorts = {
  /** Throws an Error with a message for users. */
  read(paymentId: string): Promise<MoneySubject>;
  /** State of the request with this key; sends nothing. Throws like `read`. */
  lookUp(key: string): Promise<KeyFinding>;
  send(request: { chargeId: string; body: object; key: string }): Promise<Attempt<MoneyResponse>>;
  /** Requests a colleague's approval, or finds the open request. Throws if that is not certain. */
  requestApproval(
    request: ApprovalToRequest,
  ): Promise<{ kind: "requested"; id: string } | { kind: "refused"; detail: string }>;
  store: BulkStore;
  newKey(): string;
  /** Milliseconds since 1970. */
  now(): number;
  wait(ms: number): Promise<void>;
  exclusively<T>(paymentId: string, work: () => Promise<T>): Promise<T>;
  /** Something has changed on the server. */
  onChange(paymentId: string): void;
};

export const NO_FORM: Omit<BulkRun, "rows"> = { reason: "CUSTOMER_REQUEST", comment: "", acknowledgesDisputes: false };
const AT_ONCE = 3;
const LOOK_EVERY_MS = 3_000;

/** Full refunds of what is left, each row with a new key. */
export function rowsOf(transactions: readonly ListedTransaction[], newKey: () => string): BulkRow[] {
  return transactions.map((transaction) => ({
    paymentId: transaction.payment_id,
    chargeId: transaction.id,
    amount: transaction.amount_refundable,
    currency: transaction.currency,
    card: cardText(transaction.card_brand, transaction.card_last4),
    customer: transaction.customer_email ?? transaction.customer_name ?? transaction.customer_id,
    disputed: isDisputed(transaction.dispute?.status ?? null),
    key: newKey(),
    sentAt: null,
    state: { step: "waiting" },
  }));
}

/** Refunds many payments, three at a time. Each row has its own key and its own outcome. */
export class BulkRefund {
  #run: BulkRun;
  #started: boolean;
  #stopped = false;
  #closed = false;
  #requesting = false;
  readonly #listeners = new Set<() => void>();

  constructor(
    rows: readonly BulkRow[] | null,
    private readonly ports: BulkPorts,
  ) {
    const left = rows === null ? ports.store.find() : null;
    this.#run = left ? afterReload(left) : { ...NO_FORM, rows: rows ?? [] };
    this.#started = left !== null;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getSnapshot = (): BulkRun => this.#run;

  get started(): boolean {
    return this.#started;
  }

  get stopping(): boolean {
    return this.#stopped && !isOver(this.#run);
  }

  /** Sends rows in order. A second call does nothing. */
  async start(form: Omit<BulkRun, "rows">): Promise<void> {
    if (this.#started) return;
    this.#started = true;
    this.#update({ ...this.#run, ...form });
    await this.#work();
  }

  /** Drops waiting refunds; those in progress run to their end. */
  stop(): void {
    this.#stopped = true;
    this.#update(this.#run);
  }

  /** Sends rows that were never sent. Unknown outcomes are left to {@link retry}. */
  async resume(): Promise<void> {
    if (!isOver(this.#run)) return;
    this.#stopped = false;
    const rows = this.#run.rows.map((row): BulkRow => {
      return row.state.step === "not_sent" ? { ...row, state: { step: "waiting" } } : row;
    });
    this.#update({ ...this.#run, rows });
    await this.#work();
  }

  /** Repeats the row's request under its own key. */
  async retry(row: BulkRow): Promise<void> {
    const current = this.#find(row.key);
    if (current.state.step !== "unknown" || !canRetryRow(current, this.ports.now())) return;
    this.#setState(current.key, { step: "sending" });
    await this.#send(current, true);
  }

  /** Requests approval of the rows that need it. A second call in the meantime does nothing. */
  async requestApprovals(reason: string): Promise<void> {
    if (this.#requesting) return;
    this.#requesting = true;
    try {
      for (const row of this.#run.rows) {
        if (row.state.step === "needs_approval" && !this.#closed) await this.#requestApproval(row, reason);
      }
    } finally {
      this.#requesting = false;
    }
  }

  async #requestApproval(row: BulkRow, reason: string): Promise<void> {
    const { paymentId } = row;
    const request = { paymentId, refund: this.#bodyOf(row), reason };
    try {
      const result = await this.ports.exclusively(paymentId, () => this.ports.requestApproval(request));
      this.#setState(
        row.key,
        result.kind === "requested"
          ? { step: "requested", requestId: result.id }
          : { step: "refused", detail: result.detail },
      );
      this.ports.onChange(paymentId);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const detail = `Perhaps not requested. ${why} Requesting again never makes a second request.`;
      this.#setState(row.key, { step: "needs_approval", detail });
    }
  }

  /** Detaches the window; requests in progress are still recorded. */
  close(): void {
    this.#closed = true;
    this.#stopped = true;
  }

  open(): void {
    this.#closed = false;
    this.#stopped = false;
    for (const { key, state } of this.#run.rows)
      if (state.step === "unknown" && state.why === "pending") void this.#watch(key);
  }

  /** Discards the run: every outcome is known, or the user abandoned it. */
  forget(): void {
    this.ports.store.remove();
  }

  async #work(): Promise<void> {
    const worker = async () => {
      for (;;) {
        const next = this.#run.rows.find(({ state }) => state.step === "waiting");
        if (!next) return;
        if (this.#stopped) this.#setState(next.key, { step: "not_sent", detail: "Stopped before it was sent." });
        else await this.#refund(next);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  /** Sends a row if its payment is unchanged. */
  async #refund(row: BulkRow): Promise<void> {
    this.#setState(row.key, { step: "sending" });
    try {
      await this.ports.exclusively(row.paymentId, async () => {
        const subject = await this.ports.read(row.paymentId);
        if (subject.refundable !== row.amount || !subject.actions.includes("refund")) {
          const left = moneyText(subject.refundable, subject.currency);
          this.#setState(row.key, {
            step: "refused",
            detail: `The payment has changed: ${left} is left to refund. Nothing was sent.`,
          });
          return;
        }
        if (isDisputed(subject.dispute) && !(this.#run.acknowledgesDisputes && row.disputed)) {
          this.#setState(row.key, { step: "refused", detail: DISPUTED });
          return;
        }
        const sent = { ...row, sentAt: this.ports.now() };
        this.#replace({ ...sent, state: { step: "sending" } });
        await this.#send(sent, false);
      });
    } catch (error) {
      const { sentAt } = this.#find(row.key);
      const detail = error instanceof Error ? error.message : String(error);
      this.#setState(
        row.key,
        sentAt === null
          ? { step: "not_sent", detail: `Not sent. ${detail}` }
          : { step: "unknown", why: "no_answer", notice: detail },
      );
    }
  }

  async #send(row: BulkRow, earlierUnknown: boolean): Promise<void> {
    const request = { chargeId: row.chargeId, body: this.#bodyOf(row), key: row.key };
    const ports = { send: () => this.ports.send(request), wait: this.ports.wait, stopped: () => this.#closed };
    this.#setState(row.key, stateOf(await attemptMoney(ports, earlierUnknown)));
    this.ports.onChange(row.paymentId);
    const { state } = this.#find(row.key);
    if (state.step === "unknown" && state.why === "pending") void this.#watch(row.key);
  }

  #bodyOf(row: BulkRow): RefundBody {
    const { reason, comment, acknowledgesDisputes } = this.#run;
    const acknowledged = acknowledgesDisputes && row.disputed;
    return {
      amount: row.amount,
      reason,
      ...(comment && { comment }),
      ...(acknowledged && { acknowledge_dispute: true }),
    };
  }

  /** The processor has it: poll its key for the outcome. */
  async #watch(key: string): Promise<void> {
    for (;;) {
      await this.ports.wait(LOOK_EVERY_MS);
      const { state, paymentId } = this.#find(key);
      if (this.#closed || state.step !== "unknown" || state.why !== "pending") return;
      try {
        const finding = await this.ports.lookUp(key);
        if (finding.kind === "done") this.#setState(key, { step: "refunded", refundId: finding.transactionId ?? "" });
        if (finding.kind === "refused") this.#setState(key, { step: "refused", detail: finding.refusal.detail });
        if (finding.kind === "done" || finding.kind === "refused") return this.ports.onChange(paymentId);
      } catch (error) {
        this.#setState(key, { ...state, notice: error instanceof Error ? error.message : String(error) });
      }
    }
  }

  #find(key: string): BulkRow {
    const row = this.#run.rows.find((candidate) => candidate.key === key);
    if (!row) throw new Error("no such row");
    return row;
  }

  #setState(key: string, state: BulkRowState): void {
    this.#replace({ ...this.#find(key), state });
  }

  #replace(row: BulkRow): void {
    this.#update({ ...this.#run, rows: this.#run.rows.map((other) => (other.key === row.key ? row : other)) });
  }

  /** Persists the run before it is acted on or shown. */
  #update(run: BulkRun): void {
    if (this.#started) this.ports.store.save(run);
    this.#run = { ...run };
    for (const listener of this.#listeners) listener();
  }
}

const DISPUTED = "The cardholder’s bank disputes this payment. Nothing was sent.";

function stateOf(outcome: AttemptResult<MoneyResponse>): BulkRowState {
  switch (outcome.kind) {
    case "done":
      return { step: "refunded", refundId: outcome.data.id };
    case "refused":
      return { step: outcome.refusal.needsApproval ? "needs_approval" : "refused", detail: outcome.refusal.detail };
    case "unknown":
      return {
        step: "unknown",
        why: outcome.why,
        notice: outcome.refusal?.detail ?? null,
      };
    default:
      return outcome satisfies never;
  }
}
