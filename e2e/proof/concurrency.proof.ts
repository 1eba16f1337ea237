import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { testDatabase } from "../fixtures/database";
import { testService } from "../fixtures/factories";
import { countDeadlocks, expectCleanBooks, untilNothingIsOpen } from "./books";
import { type Answer, Client, chargeOf, inParallel, type MoneyRequest, paymentBody, paymentOf } from "./client";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { bookOf, PROCESSOR, type RunningProcessor, readBooks, runProcessor } from "./processors";
import { createTenant, type ProofTenant } from "./tenant";

const KEYS = Number(process.env.PROOF_KEYS ?? 200);
const DUPLICATES = 20;
const PAYMENTS = Number(process.env.PROOF_PAYMENTS ?? 50);
const ATTACKS = 40;

/**
 * With a processor that decides later, the first response may be a 202; final responses are then all replays.
 */
const COUNTS_OF_FIRST = PROCESSOR === "adyen" || PROCESSOR === "other" ? [0, 1] : [1];

const { db, url } = await testDatabase();
let hosts: ProofHost[];
let processor: RunningProcessor;
let tenant: ProofTenant;
/** One client per process. */
let clients: [Client, Client];

beforeAll(async () => {
  processor = await runProcessor(db, () => hosts[0]?.baseUrl ?? "");
  const options = { databaseUrl: url, env: { PROCESSOR_TIMEOUT_MS: "8000", ...processor.env } };
  hosts = await Promise.all([startHost(options), startHost(options)]);
  tenant = await createTenant(db);
  clients = hosts.map((host) => new Client(tenant.apiKey, () => host.baseUrl)) as [Client, Client];
});

afterAll(async () => {
  await processor.stop();
  await Promise.all(hosts.map((host) => host.stop()));
});

async function newPayment(input: Parameters<typeof paymentBody>[0] = {}) {
  const answer = await clients[0].until({ key: randomUUID(), path: "/v1/payments", body: paymentBody(input) });
  return paymentOf(answer);
}

/** The request under the key: approved, declined or held payments, and every kind of operation on one. */
async function requestOf(index: number): Promise<MoneyRequest> {
  const key = randomUUID();
  const create = (body: object) => ({ key, path: "/v1/payments", body });
  switch (index % 8) {
    case 0:
      return create(paymentBody());
    case 1:
      return create(paymentBody({ manual: true }));
    case 2:
      return create(paymentBody({ card: "declined" }));
    case 3:
      return create(paymentBody({ card: "refusedOnce" }));
    case 4:
      return { key, path: `/v1/payments/${(await newPayment({ manual: true })).id}/capture`, body: { amount: 400 } };
    case 5:
      return { key, path: `/v1/payments/${(await newPayment({ manual: true })).id}/void`, body: {} };
    case 6:
      return {
        key,
        path: `/v1/payments/${(await newPayment()).id}/refund`,
        body: { amount: 300, reason: "DUPLICATE" },
      };
    default:
      return { key, path: `/v1/transactions/${chargeOf(await newPayment())}/refund`, body: {} };
  }
}

async function countOperations(): Promise<number> {
  const [row] = await db.sql<{ count: number }[]>`
    select count(*) as count from operations where environment_id = ${tenant.environmentId}`;
  return row?.count ?? 0;
}

test(`${KEYS} keys × ${DUPLICATES} concurrent duplicates over two processes are ${KEYS} operations and ${KEYS} responses`, async () => {
  const requests = await inParallel(Array.from({ length: KEYS }), 10, (_, index) => requestOf(index));
  const before = await countOperations();
  const answers = await inParallel(requests, 12, (request) =>
    Promise.all(Array.from({ length: DUPLICATES }, (_, copy) => (clients[copy % 2] as Client).until(request))),
  );
  expect((await countOperations()) - before).toBe(KEYS);
  for (const [index, copies] of answers.entries()) {
    const said = new Set(copies.map(({ status, text }) => `${status} ${text}`));
    expect([...said], JSON.stringify(requests[index])).toHaveLength(1);
    const first = copies.filter((copy) => !copy.replayed);
    expect(COUNTS_OF_FIRST, JSON.stringify(requests[index])).toContain(first.length);
  }
  await readBooks(db);
  const [store] = await db.sql<{ moves: number }[]>`
    select (select count(*) from ${bookOf(db.sql, PROCESSOR, "charges")} where account = ${tenant.environmentId})
      + (select count(*) from ${bookOf(db.sql, PROCESSOR, "operations")} where account = ${tenant.environmentId}) as moves`;
  expect(store?.moves).toBe(await countOperations());
  await expectCleanBooks(db);
  reportFigure(`${KEYS} keys sent ${KEYS * DUPLICATES} times`);
});

/**
 * Sends one attack until it is decided: one that is too early is retried under a new key, one still in
 * progress under its own.
 */
async function attack(client: Client, path: string, body: object): Promise<Answer> {
  let key = randomUUID();
  for (;;) {
    const answer = await client.until({ key, path, body });
    const early =
      answer.code === "invalid_state" &&
      /"current_status":"(AUTHORIZED|PENDING)"/.test(answer.text) &&
      path.endsWith("refund");
    if (!early) return answer;
    key = randomUUID();
  }
}

type Decided = { kind: "capture" | "void" | "refund"; answer: Answer };

/** Concurrent captures, a void, and partial and full refunds, on the payment and on its charge. */
function attackPayment(payment: { id: string; charge: string }): Promise<Decided[]> {
  return Promise.all(
    Array.from({ length: ATTACKS }, async (_, index): Promise<Decided> => {
      const kind = index % 20 === 19 ? "void" : index % 4 === 0 ? "capture" : "refund";
      const target = index % 3 === 0 ? `transactions/${payment.charge}` : `payments/${payment.id}`;
      const amount =
        kind === "refund" && index % 5 !== 0
          ? 100 + index * 37
          : kind === "capture" && index % 8 === 0
            ? 9_000 + index
            : null;
      const answer = await attack(
        clients[index % 2] as Client,
        `/v1/${target}/${kind}`,
        kind !== "void" && amount ? { amount } : {},
      );
      return { kind, answer };
    }),
  );
}

test(`${PAYMENTS} payments × ${ATTACKS} concurrent captures, voids and refunds never return more than was captured`, async () => {
  const payments = await inParallel(Array.from({ length: PAYMENTS }), 10, async () => {
    const payment = await newPayment({ manual: true });
    return { id: payment.id, charge: chargeOf(payment) };
  });
  const deadlocks = await countDeadlocks(db);
  const stop = new AbortController();
  const settling = settleUntil(stop.signal);
  const decided = await inParallel(payments, 4, attackPayment);
  stop.abort();
  await settling;
  await untilNothingIsOpen(db);
  for (const [index, { id }] of payments.entries()) {
    const answers = decided[index] as Decided[];
    const done = (kind: Decided["kind"]) => answers.filter((one) => one.kind === kind && one.answer.status < 300);
    const payment = await clients[0].payment(id);
    expect(done("capture").length + done("void").length, id).toBe(1);
    expect(payment.amount_captured).toBeLessThanOrEqual(payment.amount);
    expect(payment.amount_refunded).toBeLessThanOrEqual(payment.amount_captured);
    const refunds = payment.transactions.filter((row) => row.type === "REFUND" && row.status !== "FAILED");
    expect(refunds.reduce((sum, row) => sum + row.amount, 0)).toBe(payment.amount_refunded);
    expect(done("refund")).toHaveLength(refunds.length);
    // The attacks include a full refund, so a captured payment has nothing left to refund.
    expect(payment.amount_refundable).toBe(0);
    expect(answers.map(({ answer }) => answer.code).filter((code) => code && !REFUSALS.has(code))).toEqual([]);
  }
  await readBooks(db);
  const over = await db.sql`
    select reference from ${bookOf(db.sql, PROCESSOR, "charges")} where amount_captured > amount or amount_refunded > amount_captured
      or (voided and amount_captured > 0)`;
  expect([...over]).toEqual([]);
  expect((await countDeadlocks(db)) - deadlocks).toBe(0);
  await expectCleanBooks(db);
  reportFigure(`${PAYMENTS * ATTACKS} captures, voids and refunds raced on ${PAYMENTS} payments`);
});

const REFUSALS = new Set(["invalid_state", "amount_exceeds_refundable", "amount_exceeds_capturable"]);

/** Runs the nightly batch continuously, since only it locks many payments together. */
async function settleUntil(signal: AbortSignal): Promise<void> {
  const service = testService(db);
  while (!signal.aborted) await runSettlement(service, { environmentId: tenant.environmentId, chunkSize: 20 });
}
