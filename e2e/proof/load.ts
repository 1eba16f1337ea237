import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import type { Database } from "@/db/client";
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

/** A request that has its final answer, which must never change. */
type Answered = { request: MoneyRequest; answer: Answer };

/** What a shop does all day, from many lanes at once, each request repeated until its answer is final. */
export class Load {
  readonly answered: Answered[] = [];
  #stopped = false;
  #lanes: Promise<void>[] = [];

  constructor(
    readonly client: Client,
    lanes: number,
  ) {
    this.#lanes = Array.from({ length: lanes }, (_, lane) => this.#run(lane));
    // A lane that fails says so to `stop`, which may be a while.
    for (const lane of this.#lanes) lane.catch(() => {});
  }

  /** No new orders; those under way are brought to their end. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#lanes);
  }

  async #run(lane: number): Promise<void> {
    for (let order = lane; !this.#stopped; order++) {
      await this.#order(order);
      await wait(5);
    }
  }

  async #send(path: string, body: object): Promise<Answer> {
    const key = randomUUID();
    const request = { key, path, body: path === "/v1/payments" ? { ...body, metadata: { key } } : body };
    const answer = await this.client.until(request);
    this.answered.push({ request, answer });
    return answer;
  }

  async #order(number: number): Promise<void> {
    const created = await this.#send("/v1/payments", paymentBody({ manual: number % 2 === 0, card: cardOf(number) }));
    if (created.status !== 201) return;
    const payment = paymentOf(created);
    const path = `/v1/payments/${payment.id}`;
    if (payment.status === "AUTHORIZED") {
      if (number % 6 === 0) return void (await this.#send(`${path}/void`, { reason: "changed their mind" }));
      await this.#send(`${path}/capture`, number % 4 === 0 ? { amount: 7_000 } : {});
    }
    await Promise.all([
      this.#send(`${path}/refund`, { amount: 1_000 }),
      this.#send(`/v1/transactions/${chargeOf(payment)}/refund`, { amount: 2_500 }),
    ]);
    if (number % 3 === 0) await this.#send(`${path}/refund`, {});
  }
}

function cardOf(number: number): CardName {
  if (number % 17 === 0) return "declined";
  if (number % 11 === 0) return "lostAnswer";
  return number % 13 === 0 ? "refusedOnce" : "good";
}

/** Every key gives the same status and bytes again, as a replay. */
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

/** The processor's own store, which no kill of ours can put right, has each key's money exactly once. */
export async function expectMoneyOncePerKey(db: Database, load: Load, environmentId: string): Promise<void> {
  const creates = load.answered.filter(({ request }) => request.path === "/v1/payments");
  const rows = await db.sql<{ key: string; payments: number; charged: number }[]>`
    select t.metadata->>'key' as key, count(*) as payments, count(c.reference) filter (where c.outcome = 'approved') as charged
    from transactions t
    join payments p on p.environment_id = t.environment_id and p.id = t.payment_id
    left join sandbox_processor.charges c on c.reference = p.authorization_id
    where t.environment_id = ${environmentId} and t.type = 'CHARGE'
    group by 1`;
  const found = new Map(rows.map((row) => [row.key, `${row.payments} payments, ${row.charged} charged`]));
  const wrong = creates.filter(
    ({ request, answer }) => found.get(request.key) !== `1 payments, ${answer.status === 201 ? 1 : 0} charged`,
  );
  expect(wrong.map(({ request, answer }) => `${request.key} ${answer.status}: ${found.get(request.key)}`)).toEqual([]);
  expect(rows).toHaveLength(creates.length);
  await expectFollowUps(db, load, environmentId);
}

/** As many captures, voids and refunds at the processor, and of as much, as were answered well. */
async function expectFollowUps(db: Database, load: Load, environmentId: string): Promise<void> {
  const kinds = ["capture", "void", "refund"] as const;
  const answered = kinds.map((kind) => {
    const good = load.answered.filter(({ request, answer }) => request.path.endsWith(kind) && answer.status < 300);
    return { kind, count: good.length };
  });
  const stored = await db.sql<{ kind: string; count: number }[]>`
    select kind, count(*) as count from sandbox_processor.operations
    where account = ${environmentId} and outcome = 'approved' group by kind`;
  expect(kinds.map((kind) => ({ kind, count: stored.find((row) => row.kind === kind)?.count ?? 0 }))).toEqual(answered);
}
