import { describe, expect, test } from "vitest";
import { findOperation } from "@/db/queries/payments/operations";
import { insertProcessorObject, listProcessorObjects } from "@/db/queries/payments/processor-objects";
import { otherCompany } from "@/e2e/doubles/other/company";
import { createOtherProcessor, type OtherOptions } from "@/e2e/doubles/other/processor";
import { createOtherStore, faultsOfOtherStore } from "@/e2e/doubles/other/store";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { holds, losesAnswer, says } from "@/e2e/fixtures/scripted-processor";
import { decodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { newId } from "@/lib/ids";
import type { Inquiry, Processor, Report } from "@/lib/processor/port";
import { createRegistry, type Reporter } from "@/lib/processor/registry";
import { continuePayment } from "./follow-up";
import { processReport } from "./process-reports";

const { db } = await testDatabase({ own: true });
await createOtherStore(db.sql);
const company = otherCompany(db.sql);

const card = (number: string) => ({ card: { number, exp_month: 12, exp_year: 2040, cvv: "123" } });
const MANUAL = { capture_method: "manual" };

/** A tenant of the other processor, whose calls `around` may wrap. */
const tenantOf = (options: Omit<OtherOptions, "sql"> = {}, around: (processor: Processor) => Processor = (p) => p) => {
  const other = createOtherProcessor({ sql: db.sql, decidesAfterMs: 60_000, ...options });
  return moneyTenant(db, { processors: createRegistry({ sandbox: around(other) }) });
};

const reporterOf = async (tenant: MoneyTenant, name = "other"): Promise<Reporter> => {
  const from = await tenant.service.processors.reporter(name);
  if (!from) throw new Error(`there is no processor ${name}`);
  return from;
};

/**
 * Delivers all reports of the tenant until none is left, some of them twice; returns the number of
 * redeliveries.
 */
async function deliver(tenant: MoneyTenant): Promise<number> {
  let refused = 0;
  for (;;) {
    const news = await company.news(tenant.environmentId);
    if (news.length === 0) return refused;
    for (const one of [...news, ...news.slice(0, 1)]) {
      const taken = await processReport(tenant.service, await reporterOf(tenant), one);
      if (taken) await company.acknowledge(one.id);
      else refused++;
    }
  }
}

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
  expect(await faultsOfOtherStore(db)).toEqual([]);
}

/** The processor's view of a tenant's payments. */
const heldOf = async (tenant: MoneyTenant) =>
  (
    await db.sql`select status, amount_captured, amount_refunded from other_processor.intents
      where account = ${tenant.environmentId} order by id`
  ).map((row) => ({ ...row }));

describe("an outcome that is decided later", () => {
  test("is 202, finishes by a report, and the same key then has the outcome", async () => {
    const tenant = await tenantOf();
    const { body: payment } = await tenant.create(MANUAL);
    const capture = () => tenant.act("capture", payment.id, { amount: 7_000 }, { key: "capture" });
    expect(await capture()).toMatchObject({ status: 202, body: { status: "PENDING" } });
    expect(await tenant.act("void", payment.id)).toMatchObject({ status: 409, code: "outcome_pending" });
    await company.decide(tenant.environmentId);
    await deliver(tenant);
    expect(await capture()).toMatchObject({ status: 200, replayed: true, body: { amount_captured: 7_000 } });
    const refunds = ["a", "b"].map((key) => () => tenant.act("refund", payment.id, { amount: 3_500 }, { key }));
    for (const refund of refunds) expect((await refund()).status).toBe(202);
    expect(await tenant.act("refund", payment.id, { amount: 1 })).toMatchObject({ status: 422 });
    await company.decide(tenant.environmentId);
    await deliver(tenant);
    for (const refund of refunds) expect(await refund()).toMatchObject({ status: 201, replayed: true });
    expect(await tenant.get(payment.id)).toMatchObject({ status: "REFUNDED", amount_refunded: 7_000 });
    await expectClean();
  });

  test("is found by polling, too, if no report ever arrives", async () => {
    const tenant = await tenantOf();
    const { body: payment } = await tenant.create();
    await tenant.act("refund", payment.id, {}, { key: "refund" });
    await company.decide(tenant.environmentId);
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.act("refund", payment.id, {}, { key: "refund" })).toMatchObject({ status: 201 });
    await expectClean();
  });

  test("and is refused leaves the payment as it was", async () => {
    const tenant = await tenantOf();
    const { body: payment } = await tenant.create({ ...MANUAL, ...card("4000000000000341") });
    await tenant.act("capture", payment.id, {}, { key: "capture" });
    await company.decide(tenant.environmentId);
    await deliver(tenant);
    expect(await tenant.act("capture", payment.id, {}, { key: "capture" })).toMatchObject({ code: "payment_failed" });
    expect(await tenant.get(payment.id)).toMatchObject({ status: "AUTHORIZED", amount_captured: 0 });
    await expectClean();
  });
});

describe("a report", () => {
  async function refundedOn(tenant: MoneyTenant, number: string) {
    const { body: payment } = await tenant.create(card(number));
    await tenant.act("refund", payment.id, { amount: 4_000 }, { key: "refund" });
    await company.decide(tenant.environmentId);
    return payment.id as string;
  }

  test("that arrives before the sender of the operation knows of its acceptance must be redelivered", async () => {
    const tenant = await tenantOf();
    const { body: payment } = await tenant.create();
    const held = holds();
    tenant.script.next(async (real) => {
      const answer = await real();
      return held.step(async () => answer);
    });
    const refund = tenant.act("refund", payment.id, {});
    await held.reached;
    await company.decide(tenant.environmentId);
    const [news] = await company.news(tenant.environmentId);
    expect(await processReport(tenant.service, await reporterOf(tenant), news as Report)).toBe(false);
    held.release();
    expect((await refund).status).toBe(202);
    expect(await processReport(tenant.service, await reporterOf(tenant), news as Report)).toBe(true);
    expect(await tenant.get(payment.id)).toMatchObject({ status: "REFUNDED" });
    await expectClean();
  });

  test("that a refund was returned is processed once, before or after the report that it undoes", async () => {
    const tenant = await tenantOf();
    const id = await refundedOn(tenant, "4000000000005126");
    await company.giveBack(tenant.environmentId);
    await deliver(tenant);
    expect(await tenant.get(id)).toMatchObject({ status: "CAPTURED", amount_refunded: 0, amount_refundable: 10_000 });
    await tenant.act("refund", id, { amount: 2_000 }, { key: "again" });
    await company.decide(tenant.environmentId);
    await deliver(tenant);
    expect(await tenant.get(id)).toMatchObject({ amount_refunded: 2_000 });
    await company.giveBack(tenant.environmentId);
    await deliver(tenant);
    await deliver(tenant);
    expect(await tenant.get(id)).toMatchObject({ amount_refunded: 0 });
    await expectClean();
  });

  test("is not trusted: a completed or pending refund does not change", async () => {
    const tenant = await tenantOf();
    const id = await refundedOn(tenant, "4242424242424242");
    await deliver(tenant);
    const [, refund] = await tenant.operations(id);
    const report = { id: "made up", account: tenant.environmentId, reference: refund?.id ?? "" };
    expect(await processReport(tenant.service, await reporterOf(tenant), report)).toBe(true);
    expect(await tenant.get(id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 4_000 });
    await tenant.act("refund", id, { amount: 1_000 });
    const open = (await tenant.operations(id)).find(({ state }) => state === "open");
    const early = { id: "early", account: tenant.environmentId, reference: open?.id ?? "" };
    // The processor decides later: another report follows, and the status is checked until then.
    expect(await processReport(tenant.service, await reporterOf(tenant), early)).toBe(true);
    expect((await tenant.operations(id)).find(({ state }) => state === "open")).toMatchObject({ id: open?.id });
    await company.decide(tenant.environmentId);
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.get(id)).toMatchObject({ amount_refunded: 5_000 });
    await deliver(tenant);
    await expectClean();
  });

  test("about another object or processor is acknowledged and changes nothing", async () => {
    const tenant = await tenantOf();
    const id = await refundedOn(tenant, "4000000000005126");
    await deliver(tenant);
    await company.giveBack(tenant.environmentId);
    const [news] = await company.news(tenant.environmentId);
    const service = testService(db);
    const sandbox = service.processors.builtIn("test");
    if (!sandbox) throw new Error("tests always have the sandbox");
    const from = await reporterOf(tenant);
    const named = { account: tenant.environmentId, reference: news?.reference ?? "" };
    const cases: [Reporter, Report][] = [
      [from, { id: "1", object: "movement_of_nobody" }],
      [{ ...from, processor: sandbox }, news as Report],
      [
        { ...from, mode: "live" },
        { id: "2", ...named },
      ],
      [
        { ...from, connectionId: newId() },
        { id: "3", ...named },
      ],
      [
        { ...from, environmentId: newId() },
        { id: "4", ...named },
      ],
    ];
    for (const [reporter, report] of cases) expect(await processReport(tenant.service, reporter, report)).toBe(true);
    expect(await tenant.get(id)).toMatchObject({ amount_refunded: 4_000 });
    await deliver(tenant);
    expect(await tenant.get(id)).toMatchObject({ amount_refunded: 0 });
    await expectClean();
  });
});

describe("a challenge at an address of the processor's own", () => {
  const start = async () => {
    const tenant = await tenantOf({ challenges: "its own page" });
    const { body } = await tenant.create(card("4000000000003220"));
    return { tenant, id: body.id as string, url: body.next_action.redirect_to_url.url as string };
  };

  test.each([
    [true, "CAPTURED"],
    [false, "DECLINED"],
  ])("is shown to the merchant, and continues by a report when it is passed: %s", async (passed, status) => {
    const { tenant, id, url } = await start();
    expect(url).toMatch(/^https:\/\/pages\.other-processor\.example\//);
    expect(await tenant.get(id)).toMatchObject({ status: "REQUIRES_ACTION" });
    await company.answerChallenge(url, passed);
    const news = await company.news(tenant.environmentId);
    await deliver(tenant);
    expect(await tenant.get(id)).toMatchObject({ status, next_action: null });
    for (const one of news) expect(await processReport(tenant.service, await reporterOf(tenant), one)).toBe(true);
    expect(await tenant.get(id)).toMatchObject({ status });
    await expectClean();
  });

  test("that was abandoned stays so, as long as the processor approves nothing", async () => {
    const { tenant, id } = await start();
    await continuePayment(tenant.service, tenant.merchant.test, decodeId("payment", id) ?? "", "abandoned");
    expect(await tenant.get(id)).toMatchObject({ status: "DECLINED" });
    const [authorize] = await tenant.operations(id);
    const report = { id: "n", account: tenant.environmentId, reference: authorize?.id ?? "" };
    const from = { ...(await reporterOf(tenant)), processor: tenant.script.processor };
    const answers: Inquiry[] = [{ kind: "not_found" }, { kind: "never" }, { kind: "pending" }];
    for (const answer of answers) {
      tenant.script.next(says(answer));
      expect(await processReport(tenant.service, from, report)).toBe(true);
    }
    tenant.script.next(says({ kind: "unknown", reason: "no answer" }));
    expect(await processReport(tenant.service, from, report)).toBe(false);
    expect(await tenant.operations(id)).toHaveLength(2);
    await expectClean();
  });
});

describe("an unsupported operation", () => {
  test("a part is not captured of a processor that captures the whole only, and the key stays free", async () => {
    const tenant = await tenantOf({ partialCapture: false });
    const { body: payment } = await tenant.create(MANUAL);
    const part = await tenant.act("capture", payment.id, { amount: 9_999 }, { key: "capture" });
    expect(part).toMatchObject({ status: 400, code: "invalid_parameter", body: { param: "amount" } });
    expect(await tenant.key("capture")).toBeNull();
    expect((await tenant.act("capture", payment.id, { amount: 10_000 }, { key: "capture" })).status).toBe(202);
    await company.decide(tenant.environmentId);
    await deliver(tenant);
    expect(await tenant.get(payment.id)).toMatchObject({ status: "CAPTURED", amount_captured: 10_000 });
    await expectClean();
  });

  test("a card number is not sent to a processor that accepts none, and the key stays free", async () => {
    const tenant = await tenantOf({}, (processor) => ({
      ...processor,
      capabilities: { ...processor.capabilities, rawCards: false },
      tokenize: () => Promise.reject(new Error("a processor without card numbers received one")),
    }));
    const refused = await tenant.create({}, { key: "create" });
    expect(refused).toMatchObject({ status: 400, code: "invalid_parameter", body: { param: "card" } });
    expect(await tenant.key("create")).toBeNull();
  });
});

describe("a process that was paused while another took over the operation", () => {
  const later = () => {
    const held = holds();
    const gate = () => held.step(async () => ({ kind: "not_found" }));
    return { ...held, gate };
  };
  type Gate = ReturnType<typeof later>;
  /** Pauses the first call of a kind: before its id is stored, or right after. */
  const stopped =
    (kind: "authorize" | "capture" | "refund", when: "before" | "after", { gate }: Gate) =>
    (processor: Processor): Processor => {
      let calls = 0;
      return {
        ...processor,
        [kind]: (request: Parameters<Processor["refund"]>[0]) => {
          if (calls++ > 0) return processor[kind](request as never);
          const keep: typeof request.keep = async (object) => {
            if (when === "before") await gate();
            await request.keep(object);
            if (when === "after") await gate();
          };
          return processor[kind]({ ...request, keep } as never);
        },
      };
    };

  test.each(["before", "after"] as const)(
    "charges nothing after the 402, stopped %s the charge's id was stored",
    async (when) => {
      const pause = later();
      const tenant = await tenantOf({}, stopped("authorize", when, pause));
      const first = tenant.create({}, { key: "create" });
      await pause.reached;
      await tenant.endLeases();
      await tenant.complete();
      const failed = await tenant.create({}, { key: "create" });
      expect(failed).toMatchObject({ status: 402, code: "payment_failed", replayed: true });
      pause.release();
      expect(await first).toMatchObject({ status: 402, text: failed.text });
      expect(await heldOf(tenant)).toEqual([{ status: "canceled", amount_captured: 0, amount_refunded: 0 }]);
      await expectClean();
    },
  );

  test.each([
    ["capture", "before"],
    ["capture", "after"],
    ["refund", "before"],
    ["refund", "after"],
  ] as const)("does a %s once, stopped %s its id was stored", async (kind, when) => {
    const pause = later();
    const tenant = await tenantOf({}, stopped(kind, when, pause));
    const { body: payment } = await tenant.create(kind === "capture" ? MANUAL : {});
    const first = tenant.act(kind, payment.id, { amount: 3_000 }, { key: "k" });
    await pause.reached;
    await tenant.endLeases();
    await tenant.complete();
    await company.decide(tenant.environmentId);
    await deliver(tenant);
    const done = await tenant.act(kind, payment.id, { amount: 3_000 }, { key: "k" });
    expect(done).toMatchObject({ status: kind === "capture" ? 200 : 201, replayed: true });
    pause.release();
    expect(await first).toMatchObject({ status: done.status, text: done.text });
    const [held] = await heldOf(tenant);
    expect(held).toMatchObject(kind === "capture" ? { amount_captured: 3_000 } : { amount_refunded: 3_000 });
    await expectClean();
  });

  test("stores no id, not even one that it stored before", async () => {
    const tenant = await tenantOf();
    const { body: payment } = await tenant.create();
    tenant.script.next(losesAnswer);
    await tenant.act("refund", payment.id);
    const { id } = (await tenant.operations(payment.id)).find(({ kind }) => kind === "refund") ?? { id: "" };
    const { environmentId } = tenant;
    const epoch = (await findOperation(db.sql, environmentId, id))?.epoch ?? 0;
    const keep = (by: number, object: string) =>
      insertProcessorObject(
        db.sql,
        { environmentId, id, epoch: by },
        { processor: "other", kind: "refund", id: object },
      );
    const [ours, theirs] = [`ours of ${id}`, `theirs of ${id}`];
    expect([await keep(epoch, ours), await keep(epoch, ours)]).toEqual([true, true]);
    await db.sql`update operations set epoch = epoch + 1 where environment_id = ${environmentId} and id = ${id}`;
    expect([await keep(epoch, ours), await keep(epoch, theirs)]).toEqual([false, false]);
    expect(await keep(epoch + 1, ours)).toBe(true);
    const kept = await listProcessorObjects(db.sql, environmentId, decodeId("payment", payment.id) ?? "");
    expect(kept.map((object) => object.id)).not.toContain(theirs);
    await company.decide(environmentId);
    await tenant.endLeases();
    await tenant.complete();
    expect(await keep(epoch + 1, theirs)).toBe(false);
  });

  test("charges nothing after the 402 of a replay whose own call was refused", async () => {
    const tenant = await tenantOf();
    const held = holds();
    const refused = says({ kind: "not_sent", reason: "refused before it was looked at" });
    const unknown = says({ kind: "not_found" });
    tenant.script.next(held.step, unknown, unknown, refused, refused, refused);
    const first = tenant.create({}, { key: "create" });
    await held.reached;
    await tenant.endLeases();
    const repeat = await tenant.create({}, { key: "create" });
    expect(repeat).toMatchObject({ status: 402, code: "payment_failed" });
    held.release();
    expect(await first).toMatchObject({ status: 402, text: repeat.text });
    expect(await heldOf(tenant)).toEqual([{ status: "canceled", amount_captured: 0, amount_refunded: 0 }]);
    await expectClean();
  });
});
