import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import type { Database } from "@/db/client";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { testService } from "../fixtures/factories";
import { type Answer, type CardName, type Client, chargeOf, type MoneyRequest, paymentBody } from "./client";
import {
  expectCapture,
  expectCreate,
  expectRefund,
  expectVoid,
  failRefunds,
  type ModelPayment,
  settle,
  shown,
} from "./model";
import type { RunningProcessor } from "./processors";

export type Model = { payments: ModelPayment[]; sent: { request: MoneyRequest; answer: Answer }[] };
export type Real = { client: Client; db: Database; environmentId: string; processor: RunningProcessor };
type Command = fc.AsyncCommand<Model, Real>;

async function send(model: Model, real: Real, request: MoneyRequest): Promise<Answer> {
  const answer = await real.client.until(request);
  model.sent.push({ request, answer });
  return answer;
}

async function expectSame(model: Model, real: Real): Promise<void> {
  for (const payment of model.payments) {
    const seen = await real.client.payment(payment.id);
    const [charge, ...refunds] = seen.transactions;
    expect({
      id: seen.id,
      status: seen.status,
      amount: seen.amount,
      amount_captured: seen.amount_captured,
      amount_capturable: seen.amount_capturable,
      amount_refunded: seen.amount_refunded,
      amount_refundable: seen.amount_refundable,
      available_actions: seen.available_actions,
      charge_status: charge?.status,
      refunds: refunds.map((refund) => `${refund.id} ${refund.amount} ${refund.status}`),
    }).toEqual(shown(payment));
  }
}

function expectAnswer({ status, code, text }: Answer, expected: { status: number; code: string | null }): void {
  expect([status, code], text).toEqual([expected.status, expected.code]);
}

function expectReplay(again: Answer, first: Answer): void {
  expect([again.status, again.text, again.replayed]).toEqual([first.status, first.text, true]);
}

export class Create implements Command {
  constructor(
    readonly card: CardName,
    readonly manual: boolean,
    readonly amount: number,
  ) {}
  check = () => true;
  async run(model: Model, real: Real) {
    const body = paymentBody({ card: this.card, manual: this.manual, amount: this.amount });
    const expected = expectCreate(this.card, this.manual, real.processor.name);
    const answer = await send(model, real, { key: randomUUID(), path: "/v1/payments", body });
    expectAnswer(answer, expected);
    const said = JSON.parse(answer.text) as { id?: string; payment_id?: string };
    const seen = await real.client.payment(said.id ?? said.payment_id ?? "");
    const captured = expected.paymentStatus === "CAPTURED" ? this.amount : 0;
    const base = {
      id: seen.id,
      charge: chargeOf(seen),
      card: this.card,
      amount: this.amount,
      refunded: 0,
      settled: false,
    };
    const payment = { ...base, status: expected.paymentStatus, captured, refunds: [] };
    model.payments.push(payment);
    await expectSame({ ...model, payments: [payment] }, real);
  }
  toString = () => `create(${this.card}, ${this.manual ? "manual" : "automatic"}, ${this.amount})`;
}

export class Act implements Command {
  constructor(
    readonly kind: "capture" | "void" | "refund",
    readonly pick: number,
    readonly onTransaction: boolean,
    readonly amount: number | null,
  ) {}
  check = (model: Readonly<Model>) => model.payments.length > 0;
  async run(model: Model, real: Real) {
    const payment = model.payments[this.pick % model.payments.length] as ModelPayment;
    const target = this.onTransaction ? `transactions/${payment.charge}` : `payments/${payment.id}`;
    const body = this.amount === null || this.kind === "void" ? {} : { amount: this.amount };
    const expected = {
      capture: () => expectCapture(payment, this.amount),
      void: () => expectVoid(payment),
      refund: () => expectRefund(payment, this.amount),
    }[this.kind]();
    const answer = await send(model, real, { key: randomUUID(), path: `/v1/${target}/${this.kind}`, body });
    expectAnswer(answer, expected);
    expected.apply(await this.#refundId(payment, real, expected.status));
    await expectSame({ ...model, payments: [payment] }, real);
  }
  async #refundId(payment: ModelPayment, real: Real, status: number): Promise<string> {
    if (this.kind !== "refund" || status !== 201) return "";
    return (await real.client.payment(payment.id)).transactions.at(-1)?.id ?? "";
  }
  toString = () =>
    `${this.kind}(${this.pick}, ${this.onTransaction ? "transaction" : "payment"}, ${this.amount ?? "all"})`;
}

/** The same request with the same key: returns the same bytes and has no effect. */
export class Replay implements Command {
  constructor(readonly pick: number) {}
  check = (model: Readonly<Model>) => model.sent.length > 0;
  async run(model: Model, real: Real) {
    const { request, answer } = model.sent[this.pick % model.sent.length] as Model["sent"][number];
    const again = await real.client.post(request);
    expectReplay(again, answer);
  }
  toString = () => `replay(${this.pick})`;
}

/** A different request with a used key: refused, without effect. */
class Reuse implements Command {
  constructor(
    readonly pick: number,
    readonly elsewhere: boolean,
  ) {}
  check = (model: Readonly<Model>) => model.sent.length > 0 && model.payments.length > 0;
  async run(model: Model, real: Real) {
    const { request } = model.sent[this.pick % model.sent.length] as Model["sent"][number];
    const id = model.payments[this.pick % model.payments.length]?.id;
    const other = this.elsewhere
      ? { ...request, path: `/v1/payments/${id}/refund`, body: { amount: 77_777 } }
      : { ...request, path: "/v1/payments", body: paymentBody({ amount: 77_777 }) };
    const answer = await real.client.post(other);
    expectAnswer(answer, { status: 409, code: "idempotency_key_reused" });
  }
  toString = () => `reuse(${this.pick}, ${this.elsewhere ? "refund" : "payment"})`;
}

class Settle implements Command {
  check = (model: Readonly<Model>) => model.payments.length > 0;
  async run(model: Model, real: Real) {
    await runSettlement(testService(real.db), { environmentId: real.environmentId });
    settle(model.payments);
    await expectSame(model, real);
  }
  toString = () => "settle";
}

class FailRefunds implements Command {
  check = (model: Readonly<Model>) =>
    model.payments.some(
      ({ card, refunds }) => card === "refundFailsLater" && refunds.some(({ status }) => status !== "FAILED"),
    );
  async run(model: Model, real: Real) {
    await real.processor.failRefunds(real.environmentId);
    failRefunds(model.payments);
    await expectSame(model, real);
  }
  toString = () => "failRefunds";
}

const card = fc.oneof(
  { weight: 12, arbitrary: fc.constant<CardName>("good") },
  { weight: 3, arbitrary: fc.constantFrom<CardName>("captureFails", "refundFailsLater", "refusedOnce") },
  { weight: 2, arbitrary: fc.constantFrom<CardName>("declined", "fraud", "challenge") },
  { weight: 1, arbitrary: fc.constant<CardName>("lostAnswer") },
);
/** Small amounts, so that partial operations often reach or exceed the limit. */
const amount = fc.integer({ min: 1, max: 10 });
const pick = fc.nat({ max: 100 });
/** Random histories of at most this many requests and events. */
const histories = fc.commands<Model, Real, false>(
  [
    fc.tuple(card, fc.boolean(), amount).map(([name, manual, value]) => new Create(name, manual, value)),
    fc
      .tuple(fc.constantFrom("capture", "void", "refund", "refund", "refund"), pick, fc.boolean(), fc.option(amount))
      .map((given) => new Act(...(given as ConstructorParameters<typeof Act>))),
    fc
      .tuple(fc.constantFrom("capture", "refund", "refund"), pick, fc.boolean(), fc.option(amount))
      .map((given) => new Act(...(given as ConstructorParameters<typeof Act>))),
    pick.map((value) => new Replay(value)),
    fc.tuple(pick, fc.boolean()).map(([value, elsewhere]) => new Reuse(value, elsewhere)),
    fc.constant(new Settle()),
    fc.constant(new FailRefunds()),
  ] as never,
  { maxCommands: 40, size: "max" },
);

/** Checks the service behind a processor against the model in `runs` random histories. */
export async function proveModel(start: () => Promise<{ model: Model; real: Real }>, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(histories, async (history: Iterable<Command>) => {
      const { model, real } = await start();
      await fc.asyncModelRun(() => ({ model, real }), history);
      await expectSame(model, real);
    }),
    // Shrinking replays a history many times; PROOF_SHRINK=no skips it.
    { numRuns: runs, endOnFailure: process.env.PROOF_SHRINK === "no", includeErrorInReport: true },
  );
}
