import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import type { Database } from "@/db/client";
import type { CheckoutAttemptResponse } from "@/lib/contract/checkout/checkout";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import type { Payment } from "@/lib/contract/payments/payment";
import {
  type Answer,
  type CardName,
  type Client,
  chargeOf,
  inParallel,
  type MoneyRequest,
  paymentBody,
  paymentOf,
} from "./client";
import { bookOf, PROCESSOR, type ProcessorName, readBooks } from "./processors";
import { answerChallenge, Checkout } from "./shopper";

/** A request with its final response, which must never change. */
type Answered = { request: MoneyRequest; answer: Answer };

/** Every kind of operation on payments and on transactions, and the cards that cause failures. */
const ORDERS = {
  automatic: (load) => load.sale({}),
  captured: (load) => load.held("payments", "capture"),
  capturedByTransaction: (load) => load.held("transactions", "capture"),
  voided: (load) => load.held("payments", "void"),
  voidedByTransaction: (load) => load.held("transactions", "void"),
  challenged: (load) => load.challenged("passed"),
  challengeFailed: (load) => load.challenged("failed"),
  session: (load) => load.session("good"),
  sessionChallenged: (load) => load.session("challenge"),
  sessionToken: (load) => load.sessionToken(),
  declined: (load) => load.sale({ card: "declined" }),
  lostAnswer: (load) => load.sale({ card: "lostAnswer" }),
  refusedOnce: (load) => load.sale({ card: "refusedOnce" }),
  captureFails: (load) => load.held("payments", "capture", "captureFails"),
  refundFailsLater: (load) => load.sale({ card: "refundFailsLater" }),
  garbage: (load) => load.sale({ card: "garbage" }),
} satisfies Orders;
/** Slow operations, and requests that compete with each other. */
const MORE_ORDERS = {
  slow: (load) => load.sale({ card: "slow" }),
  fraud: (load) => load.sale({ card: "fraud" }),
  refundedTooOften: (load) => load.refundedTooOften(),
  capturedAndVoided: (load) => load.capturedAndVoided(),
} satisfies Orders;
type Orders = Record<string, (load: Load) => Promise<void>>;
type Order = keyof typeof ORDERS | keyof typeof MORE_ORDERS;
const SELDOM = ["declined", "garbage", "lostAnswer", "refundFailsLater", "captureFails", "slow", "fraud"];
/** Doubles the weight of the usual orders; those that take seconds to resolve are rare. */
const mixOf = (orders: Orders) =>
  (Object.keys(orders) as Order[]).flatMap((order) => (SELDOM.includes(order) ? [order] : [order, order]));
const MIX = mixOf(ORDERS);
export const FULL_MIX = mixOf({ ...ORDERS, ...MORE_ORDERS });
/**
 * Crashes are only moments apart, especially on a busy machine, so a hang is recognized only after minutes.
 */
const GIVE_UP_MS = 240_000;

/** A shop's orders in parallel lanes, each request repeated until its response is final. */
export class Load {
  readonly answered: Answered[] = [];
  /** Requests that failed because their card token had expired. */
  readonly tooLate: Answered[] = [];
  readonly sessions: Checkout[] = [];
  readonly finished = new Map<Order, number>();
  /** The error that ended a lane; the others continue until `stop`. */
  failure: unknown = null;
  #stopped = false;
  #lanes: Promise<void>[] = [];

  constructor(
    readonly client: Client,
    lanes: number,
    readonly mix: readonly Order[] = MIX,
  ) {
    this.#lanes = Array.from({ length: lanes }, (_, lane) => this.#run(Math.floor((lane * mix.length) / lanes)));
    // A failed lane rejects in `stop`, which may be called much later.
    for (const lane of this.#lanes) {
      lane.catch((error: unknown) => {
        this.failure ??= error;
      });
    }
  }

  /** Starts no new orders and waits for those in progress. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#lanes);
  }

  /**
   * Waits for one more final response. A retry whose first request died waits seconds within one process, so
   * kills in quick succession would block every lane and hit nothing in progress. Throws a lane's error.
   */
  async goesOn(): Promise<void> {
    const before = this.answered.length;
    const deadline = Date.now() + GIVE_UP_MS;
    while (this.answered.length === before) {
      if (this.failure !== null) throw this.failure;
      if (Date.now() > deadline) throw new Error(`nothing was answered for ${GIVE_UP_MS} ms`);
      await wait(20);
    }
  }

  async #run(first: number): Promise<void> {
    for (let number = first; !this.#stopped; number++) {
      const order = this.mix[number % this.mix.length] as Order;
      await { ...ORDERS, ...MORE_ORDERS }[order](this);
      this.finished.set(order, (this.finished.get(order) ?? 0) + 1);
      await wait(5);
    }
  }

  async #send(path: string, body: object): Promise<Answer> {
    const key = randomUUID();
    const request = { key, path, body: path === "/v1/payments" ? { ...body, metadata: { key } } : body };
    const answer = await this.client.until(request, GIVE_UP_MS);
    const isTooLate = answer.status === 400 && "payment_token" in body;
    (isTooLate ? this.tooLate : this.answered).push({ request, answer });
    return answer;
  }

  /**
   * Charges immediately, then refunds in parts: the payment and the transaction concurrently, then the rest.
   */
  async sale(input: { card?: CardName; manual?: boolean }): Promise<void> {
    const created = await this.#send("/v1/payments", paymentBody(input));
    if (created.status === 201) await this.#refund(paymentOf(created));
  }

  async #refund(payment: Payment): Promise<void> {
    await Promise.all([
      this.#send(`/v1/payments/${payment.id}/refund`, { amount: 1_000 }),
      this.#send(`/v1/transactions/${chargeOf(payment)}/refund`, { amount: 2_500 }),
    ]);
    await this.#send(`/v1/payments/${payment.id}/refund`, {});
  }

  async held(by: "payments" | "transactions", kind: "capture" | "void", card: CardName = "good"): Promise<void> {
    const created = await this.#send("/v1/payments", paymentBody({ manual: true, card }));
    if (created.status !== 201) return;
    const payment = paymentOf(created);
    const path = `/v1/${by}/${by === "payments" ? payment.id : chargeOf(payment)}/${kind}`;
    const answer = await this.#send(path, kind === "capture" ? { amount: 7_000 } : { reason: "changed their mind" });
    if (kind === "capture" && answer.status === 200) await this.#refund(payment);
  }

  /** Five concurrent refunds, of which three are covered. */
  async refundedTooOften(): Promise<void> {
    const created = await this.#send("/v1/payments", paymentBody());
    if (created.status !== 201) return;
    const path = `/v1/payments/${paymentOf(created).id}/refund`;
    await inParallel([1, 2, 3, 4, 5], 5, () => this.#send(path, { amount: 3_000 }));
  }

  /** Concurrent, so that one of them comes too late. */
  async capturedAndVoided(): Promise<void> {
    const created = await this.#send("/v1/payments", paymentBody({ manual: true }));
    if (created.status !== 201) return;
    const payment = paymentOf(created);
    const [captured] = await Promise.all([
      this.#send(`/v1/payments/${payment.id}/capture`, {}),
      this.#send(`/v1/transactions/${chargeOf(payment)}/void`, {}),
    ]);
    if (captured.status === 200) await this.#refund(payment);
  }

  async challenged(result: "passed" | "failed"): Promise<void> {
    const created = await this.#send("/v1/payments", paymentBody({ card: "challenge" }));
    if (created.status !== 201) return;
    let payment = paymentOf(created);
    const deadline = Date.now() + GIVE_UP_MS;
    while (payment.status === "REQUIRES_ACTION" || payment.status === "PENDING") {
      if (Date.now() > deadline) throw new Error(`payment ${payment.id} stays ${payment.status}`);
      const { next_action: action } = payment;
      if (action) await answerChallenge(this.client, action.redirect_to_url.url, result);
      await wait(30);
      payment = await this.client.payment(payment.id).catch(() => payment);
    }
    if (payment.status === "CAPTURED") await this.#refund(payment);
  }

  async #newSession(): Promise<Checkout> {
    const created = await this.#send("/v1/client-sessions", { amount: 10_000, currency: "USD" });
    if (created.status !== 201) throw new Error(`no client session: ${created.status} ${created.text}`);
    const checkout = new Checkout(this.client, JSON.parse(created.text) as ClientSession);
    this.sessions.push(checkout);
    return checkout;
  }

  async session(card: CardName): Promise<void> {
    const checkout = await this.#newSession();
    await checkout.pay(card, "payment", GIVE_UP_MS);
    const deadline = Date.now() + GIVE_UP_MS;
    for (;;) {
      const { status } = await checkout.state(GIVE_UP_MS);
      if (status !== "REQUIRES_ACTION" && status !== "PROCESSING") return;
      if (Date.now() > deadline) throw new Error(`session ${checkout.session.id} stays ${status}`);
      await checkout.answerChallenge("passed");
      await wait(30);
    }
  }

  async sessionToken(): Promise<void> {
    const checkout = await this.#newSession();
    const made = await checkout.pay("good", "tokenize", GIVE_UP_MS);
    if (made.status !== 200) throw new Error(`no token of the card: ${made.status} ${made.text}`);
    const { payment_token } = JSON.parse(made.text) as CheckoutAttemptResponse;
    await this.#send("/v1/payments", { amount: 10_000, currency: "USD", payment_token: payment_token?.id });
  }
}

/** Every key returns the same status and bytes again, as a replay. */
export async function expectStableAnswers(load: Load): Promise<void> {
  const changed: string[] = [];
  await inParallel(load.answered, 8, async ({ request, answer }) => {
    const again = await load.client.until(request);
    const same = again.status === answer.status && again.text === answer.text && again.replayed;
    if (!same)
      changed.push(
        `${request.path} ${request.key}: ${answer.status} ${answer.text}\nnow ${again.status} ${again.text}`,
      );
  });
  expect(changed).toEqual([]);
}

/**
 * The processor's own store, which our kills can't repair, has the money of each key and session exactly
 * once.
 */
export async function expectMoneyOncePerKey(
  db: Database,
  load: Load,
  environmentId: string,
  processor = PROCESSOR,
): Promise<void> {
  await readBooks(db);
  const charges = bookOf(db.sql, processor, "charges");
  const creates = load.answered.filter(({ request }) => request.path === "/v1/payments");
  const rows = await db.sql<{ key: string; payments: number; charged: number; good: number }[]>`
    select t.metadata->>'key' as key, count(*) as payments,
      count(c.reference) filter (where c.outcome in ('approved', 'action_required')) as charged,
      count(*) filter (where p.status not in ('DECLINED', 'FAILED', 'PENDING')) as good
    from transactions t
    join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
    left join ${charges} c on c.reference = p.authorization_id
    where t.environment_id = ${environmentId} and t.type = 'CHARGE' and t.metadata ? 'key'
    group by 1`;
  const found = new Map(
    rows.map((row) => [row.key, `${row.payments} payments, ${row.charged} charged, ${row.good} good`]),
  );
  const wrong = creates.filter(({ request, answer }) => {
    const one = found.get(request.key);
    // The first response to a failed challenge was 201.
    const declinedLater = answer.status === 201 && paymentOf(answer).status === "REQUIRES_ACTION";
    const expected = answer.status === 201 ? "1 charged, 1 good" : "0 charged, 0 good";
    return one !== `1 payments, ${expected}` && !(declinedLater && one === "1 payments, 0 charged, 0 good");
  });
  expect(wrong.map(({ request, answer }) => `${request.key} ${answer.status}: ${found.get(request.key)}`)).toEqual([]);
  expect(rows).toHaveLength(creates.length);
  await expectFollowUps(db, load, environmentId, processor);
  await expectSessionsPaidOnce(db, load, environmentId, processor);
}

/**
 * Counts keys charged more than once at the processor, and its operations beyond the captures, voids and
 * refunds that succeeded here.
 */
export async function timesMoneyMovedTwice(
  db: Database,
  load: Load,
  environmentId: string,
  processor: ProcessorName,
): Promise<number> {
  await readBooks(db);
  const [charged] = await db.sql<{ twice: number }[]>`
    select count(*)::int as twice from (
      select t.metadata->>'key' from transactions t
      join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
      join ${bookOf(db.sql, processor, "charges")} c on c.reference = p.authorization_id and c.outcome = 'approved'
      where t.environment_id = ${environmentId} and t.type = 'CHARGE' and t.metadata ? 'key'
      group by 1 having count(*) > 1) k`;
  const { answered, stored } = await followUps(db, load, environmentId, processor);
  return (charged?.twice ?? 0) + stored.reduce((sum, one, index) => sum + Math.max(0, one - (answered[index] ?? 0)), 0);
}

const FOLLOW_UPS = ["capture", "void", "refund"] as const;

/** Counts the successful responses per kind, and the operations that the processor carried out. */
async function followUps(db: Database, load: Load, environmentId: string, processor: ProcessorName) {
  const answered = FOLLOW_UPS.map(
    (kind) => load.answered.filter(({ request, answer }) => request.path.endsWith(kind) && answer.status < 300).length,
  );
  // A refund that failed later was still accepted, unless we learned of both only after it had failed.
  const rows = await db.sql<{ kind: string; count: number }[]>`
    select f.kind, count(*)::int as count from ${bookOf(db.sql, processor, "operations")} f
    left join operations o on o.environment_id = f.account and o.id = f.reference
    where f.account = ${environmentId} and (f.outcome = 'approved' or (f.outcome = 'failed' and o.state is distinct from 'declined'))
    group by f.kind`;
  return { answered, stored: FOLLOW_UPS.map((kind) => rows.find((row) => row.kind === kind)?.count ?? 0) };
}

/** The processor's captures, voids and refunds match the successful responses in number and amount. */
async function expectFollowUps(
  db: Database,
  load: Load,
  environmentId: string,
  processor: ProcessorName,
): Promise<void> {
  const { answered, stored } = await followUps(db, load, environmentId, processor);
  expect(stored, FOLLOW_UPS.join()).toEqual(answered);
}

async function expectSessionsPaidOnce(
  db: Database,
  load: Load,
  environmentId: string,
  processor: ProcessorName,
): Promise<void> {
  const sessions = await db.sql<{ status: string; charged: number; paid: number }[]>`
    select s.status,
      count(p.id) filter (where p.status not in ('DECLINED', 'FAILED')) as paid,
      count(c.reference) filter (where c.outcome = 'approved') as charged
    from client_sessions s
    left join transactions t on t.environment_id = s.environment_id and t.client_session_id = s.id and t.type = 'CHARGE'
    left join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
    left join ${bookOf(db.sql, processor, "charges")} c on c.reference = p.authorization_id
    where s.environment_id = ${environmentId} group by s.environment_id, s.id`;
  expect(sessions).toHaveLength(load.sessions.length);
  const wrong = sessions.filter(
    ({ status, charged, paid }) => charged !== paid || charged !== (status === "COMPLETED" ? 1 : 0),
  );
  expect(wrong).toEqual([]);
}
