import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { decodeId } from "@/lib/contract/ids";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import { testDatabase } from "../fixtures/database";
import { expectCleanBooks } from "./books";
import { type Answer, Client, chargeOf, paymentBody, paymentOf } from "./client";
import { type ProofHost, startHost } from "./host";
import { createTenant } from "./tenant";

const { db, url } = await testDatabase();
let host: ProofHost;
let client: Client;

beforeAll(async () => {
  host = await startHost({ databaseUrl: url, env: { PROCESSOR_TIMEOUT_MS: "8000" } });
  const tenant = await createTenant(db);
  client = new Client(tenant.apiKey, () => host.baseUrl);
});
afterAll(async () => {
  await expectCleanBooks(db);
  await host.stop();
});

function create(input: Parameters<typeof paymentBody>[0]) {
  const request = { key: randomUUID(), path: "/v1/payments", body: paymentBody(input) };
  return { request, send: () => client.post(request) };
}

const follow = (path: string, kind: string, body: object = {}) => {
  const request = { key: randomUUID(), path: `/v1/${path}/${kind}`, body };
  return { request, send: () => client.post(request) };
};

const idIn = (answer: Answer) => {
  const said = JSON.parse(answer.text) as { id?: string; payment_id?: string };
  return said.id ?? said.payment_id ?? "";
};

async function becomes(id: string, status: PaymentStatus): Promise<void> {
  await vi.waitFor(async () => expect((await client.payment(id)).status).toBe(status), {
    timeout: 30_000,
    interval: 100,
  });
}

/** The payment's ledger, as "line debit>credit amount". */
async function ledgerOf(id: string): Promise<string[]> {
  const rows = await db.sql`
    select line, debit_account, credit_account, amount from ledger_entries
    where payment_id = ${decodeId("payment", id)} order by created_at, line`;
  return rows.map((row) => `${row.line} ${row.debit_account}>${row.credit_account} ${row.amount}`);
}

/**
 * The processor's charges for the payment with their captured amounts; a closed reference is not a charge.
 */
async function storeOf(id: string) {
  const rows = await db.sql`
    select c.outcome, c.amount_captured, c.amount_refunded from payments p
    join sandbox_processor.charges c on c.reference = p.authorization_id
    where p.id = ${decodeId("payment", id)} and c.behavior <> 'closed'`;
  return [...rows];
}

async function expectReplay(sent: { send: () => Promise<Answer> }, first: Answer): Promise<void> {
  const again = await sent.send();
  expect([again.status, again.text, again.replayed]).toEqual([first.status, first.text, true]);
}

const TAKEN = (amount: number) => `1 processor_receivable>merchant_payable ${amount}`;
const fees = (lines: string[]) => lines.filter((line) => !line.includes("fees"));

describe.concurrent("each fault card, from end to end", () => {
  test("…0341 authorizes, its capture fails with 402, the hold stays and can be voided", async () => {
    const created = await create({ card: "captureFails", manual: true }).send();
    const payment = paymentOf(created);
    expect([created.status, payment.status]).toEqual([201, "AUTHORIZED"]);
    const capture = follow(`payments/${payment.id}`, "capture");
    const failed = await capture.send();
    expect([failed.status, failed.code]).toEqual([402, "payment_failed"]);
    expect(await client.payment(payment.id)).toMatchObject({
      status: "AUTHORIZED",
      amount_capturable: 10_000,
      available_actions: ["capture", "void"],
    });
    await expectReplay(capture, failed);
    expect(await ledgerOf(payment.id)).toEqual([]);
    expect((await follow(`payments/${payment.id}`, "void").send()).status).toBe(200);
    const atOnce = create({ card: "captureFails" });
    const notTaken = await atOnce.send();
    expect([notTaken.status, notTaken.code]).toEqual([402, "payment_failed"]);
    expect(await client.payment(idIn(notTaken))).toMatchObject({ status: "AUTHORIZED", amount_captured: 0 });
    await expectReplay(atOnce, notTaken);
  });

  test("…5126 accepts the refund and fails it 5 seconds later: the money is refundable again", async () => {
    const payment = paymentOf(await create({ card: "refundFailsLater" }).send());
    const refund = follow(`transactions/${chargeOf(payment)}`, "refund");
    const accepted = await refund.send();
    expect(accepted.status).toBe(201);
    expect(JSON.parse(accepted.text)).toMatchObject({ type: "REFUND", status: "CAPTURED", amount: 10_000 });
    expect(await client.payment(payment.id)).toMatchObject({ status: "REFUNDED", amount_refundable: 0 });
    await becomes(payment.id, "CAPTURED");
    const after = await client.payment(payment.id);
    expect(after).toMatchObject({ amount_refunded: 0, amount_refundable: 10_000, available_actions: ["refund"] });
    expect(after.transactions[1]).toMatchObject({ status: "FAILED", refunded_at: null });
    await expectReplay(refund, accepted);
    expect(fees(await ledgerOf(payment.id))).toEqual([
      TAKEN(10_000),
      "1 merchant_payable>processor_receivable 10000",
      "2 processor_receivable>merchant_payable 10000",
    ]);
  });

  test("…4954 is declined for fraud with a score of 95", async () => {
    const sent = create({ card: "fraud" });
    const answer = await sent.send();
    expect(answer).toMatchObject({ status: 402, code: "card_declined" });
    expect(JSON.parse(answer.text)).toMatchObject({ decline_code: "fraud_suspected" });
    const payment = await client.payment(idIn(answer));
    expect(payment).toMatchObject({ status: "DECLINED", available_actions: [] });
    expect(payment.transactions[0]).toMatchObject({ fraud_score: 95, decline_code: "fraud_suspected" });
    await expectReplay(sent, answer);
    expect(await ledgerOf(payment.id)).toEqual([]);
  });

  test("…1976 charges and loses the response: 202 PENDING, soon CAPTURED once, and the key responds 201", async () => {
    const sent = create({ card: "lostAnswer" });
    const pending = await sent.send();
    const id = idIn(pending);
    expect([pending.status, paymentOf(pending).status]).toEqual([202, "PENDING"]);
    expect(await storeOf(id)).toEqual([{ outcome: "approved", amount_captured: 10_000, amount_refunded: 0 }]);
    await becomes(id, "CAPTURED");
    const final = await sent.send();
    expect([final.status, idIn(final), paymentOf(final).status]).toEqual([201, id, "CAPTURED"]);
    await expectReplay(sent, final);
    expect(fees(await ledgerOf(id))).toEqual([TAKEN(10_000)]);
    expect(await storeOf(id)).toHaveLength(1);
  });

  test("…1984 is refused before it is executed, and then works, in one request", async () => {
    const sent = create({ card: "refusedOnce" });
    const answer = await sent.send();
    expect([answer.status, paymentOf(answer).status]).toEqual([201, "CAPTURED"]);
    await expectReplay(sent, answer);
    expect(await storeOf(idIn(answer))).toEqual([{ outcome: "approved", amount_captured: 10_000, amount_refunded: 0 }]);
    expect(fees(await ledgerOf(idIn(answer)))).toEqual([TAKEN(10_000)]);
  });

  test("…1968 responds with garbage and never executes: 202 PENDING, then FAILED, and the key responds 402", async () => {
    const sent = create({ card: "garbage" });
    const pending = await sent.send();
    const id = idIn(pending);
    expect([pending.status, paymentOf(pending).status]).toEqual([202, "PENDING"]);
    const refused = await follow(`payments/${id}`, "refund").send();
    expect([refused.status, refused.code]).toEqual([409, "outcome_pending"]);
    await becomes(id, "FAILED");
    const final = await sent.send();
    expect([final.status, final.code, idIn(final)]).toEqual([402, "payment_failed", id]);
    await expectReplay(sent, final);
    expect(await ledgerOf(id)).toEqual([]);
    expect(await storeOf(id)).toEqual([]);
  });

  test("…1992 responds after 5 seconds; a concurrent duplicate is asked to wait", async () => {
    const started = performance.now();
    const sent = create({ card: "slow" });
    const first = sent.send();
    const claimed = () => db.sql`select 1 from idempotency_keys where key = ${sent.request.key}`;
    await vi.waitFor(async () => expect(await claimed()).toHaveLength(1), { timeout: 4_000, interval: 20 });
    const duplicate = await sent.send();
    expect([duplicate.status, duplicate.code]).toEqual([409, "idempotency_request_in_progress"]);
    const answer = await first;
    expect(performance.now() - started).toBeGreaterThan(4_900);
    expect([answer.status, paymentOf(answer).status]).toEqual([201, "CAPTURED"]);
    await expectReplay(sent, answer);
    expect(await storeOf(idIn(answer))).toHaveLength(1);
  });
});
