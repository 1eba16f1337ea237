import { describe, expect, onTestFinished, test } from "vitest";
import { connect, type Sql } from "@/db/client";
import { claimKey, type KeyClaim } from "@/db/queries/idempotency/keys";
import { CARD, openShop } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { holds, losesAnswer, says } from "@/e2e/fixtures/scripted-processor";
import { AppError } from "@/lib/contract/errors";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { newId } from "@/lib/ids";
import { ProcessorTimeoutError } from "@/lib/processor/deadline";
import { createRegistry } from "@/lib/processor/registry";

const { db, url } = await testDatabase({ max: 20 });

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

/** The key of a request that died between its claim and its operation. */
async function claimAndDie(tenant: MoneyTenant, key: string, body: object): Promise<void> {
  await tenant.act("refund", (await tenant.create()).body.id, {}, { key: `${key} template` });
  const answer = await tenant.create(body, { key });
  expect(answer.status).toBe(201);
  await db.sql`update idempotency_keys set state = 'running', status_code = null, response_body = null, completed_at = null,
      operation_id = gen_random_uuid(), locked_until = now() + interval '10 seconds'
    where environment_id = ${tenant.environmentId} and key = ${key}`;
}

describe("a key", () => {
  test("with other parameters is refused, and its first use stays", async () => {
    const tenant = await moneyTenant(db);
    const first = await tenant.create({}, { key: "k" });
    expect(await tenant.create({ amount: 1 }, { key: "k" })).toMatchObject({
      status: 409,
      code: "idempotency_key_reused",
    });
    expect(await tenant.act("refund", first.body.id, {}, { key: "k" })).toMatchObject({
      code: "idempotency_key_reused",
    });
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ text: first.text, replayed: true });
  });

  test("in use is read, not locked: a replay writes nothing", async () => {
    const tenant = await moneyTenant(db);
    await tenant.create({}, { key: "k" });
    const claim: KeyClaim = {
      key: "k",
      digest: Buffer.alloc(32),
      body: null,
      endpoint: "createPayment",
      path: "/v1/payments",
      requestId: newId(),
      actor: { type: "system", id: null },
      operationId: newId(),
      leaseMs: 1_000,
    };
    const claimAgain = (key: string) =>
      db.sql.begin(async (tx) => {
        const claimed = await claimKey(tx as unknown as Sql, tenant.environmentId, { ...claim, key });
        const [row] = await tx<[{ wrote: boolean }]>`select pg_current_xact_id_if_assigned() is not null as wrote`;
        return { claimed: claimed.length, wrote: row.wrote };
      });
    expect(await claimAgain("k")).toEqual({ claimed: 0, wrote: false });
    expect(await claimAgain("new")).toEqual({ claimed: 1, wrote: true });
  });

  test("with many waiting requests is looked up once for all of them", async () => {
    const own = connect(url, { max: 20 });
    onTestFinished(() => own.close());
    let looks = 0;
    // Counts on connections that are opened from now on.
    own.sql.options.debug = (_connection, text) => {
      if (text.includes("as lease_over")) looks++;
    };
    const tenant = await moneyTenant(db, { db: own });
    const held = holds();
    tenant.script.next(held.step);
    const first = tenant.create({}, { key: "k" });
    await held.reached;
    const repeats = await Promise.all(Array.from({ length: 30 }, () => tenant.create({}, { key: "k" })));
    expect(new Set(repeats.map(({ code }) => code))).toEqual(new Set(["idempotency_request_in_progress"]));
    // Each request looks once by itself, then about twenty times together with the others.
    expect(looks).toBeGreaterThanOrEqual(30);
    expect(looks).toBeLessThan(30 + 40);
    held.release();
    expect((await first).status).toBe(201);
  });

  test("of another merchant is another key", async () => {
    const tenant = await moneyTenant(db);
    const stranger = await moneyTenant(db);
    const mine = await tenant.create({}, { key: "shared" });
    const theirs = await stranger.create({}, { key: "shared" });
    expect([theirs.status, theirs.replayed, theirs.text === mine.text]).toEqual([201, false, false]);
    expect(stranger.script.count("authorize")).toBe(1);
  });

  test.each([
    ["23 hours 59 minutes 59 seconds", true],
    ["24 hours", false],
  ])("of %s replays: %s", async (age, replays) => {
    const tenant = await moneyTenant(db);
    const first = await tenant.create({}, { key: "k" });
    const refund = await tenant.act("refund", first.body.id, { amount: 1_000 }, { key: "r" });
    await tenant.ageKey("k", age);
    const again = await tenant.create({}, { key: "k" });
    expect([again.replayed, again.body.id === first.body.id]).toEqual([replays, replays]);
    await tenant.ageKey("r", age);
    const refundAgain = await tenant.act("refund", first.body.id, { amount: 1_000 }, { key: "r" });
    expect([refundAgain.replayed, refundAgain.text === refund.text]).toEqual([replays, replays]);
    expect((await tenant.get(first.body.id)).amount_refunded).toBe(replays ? 1_000 : 2_000);
    await expectClean();
  });

  test("older than 24 hours is reused once by concurrent requests", async () => {
    const tenant = await moneyTenant(db);
    const first = await tenant.create({}, { key: "k" });
    await tenant.ageKey("k", "24 hours");
    const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.create({ amount: 5 }, { key: "k" })));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers[0]?.body.id).not.toBe(first.body.id);
    expect(tenant.script.count("authorize")).toBe(2);
  });

  test("reused after 24 hours does not get the response of its old operation without an outcome", async () => {
    const tenant = await moneyTenant(db);
    tenant.script.next(losesAnswer);
    const old = await tenant.create({}, { key: "k" });
    await tenant.ageKey("k", "24 hours");
    const fresh = await tenant.create({ amount: 777 }, { key: "k" });
    expect(fresh).toMatchObject({ status: 201, body: { amount: 777 } });
    await tenant.endLeases();
    await tenant.complete();
    expect(await tenant.get(old.body.id)).toMatchObject({ status: "CAPTURED", amount: 10_000 });
    expect(await tenant.create({ amount: 777 }, { key: "k" })).toMatchObject({ text: fresh.text, replayed: true });
    await expectClean();
  });

  test("of a request that died before it wrote anything becomes free after a wait", async () => {
    const tenant = await moneyTenant(db);
    await claimAndDie(tenant, "k", { amount: 321 });
    expect(await tenant.create({ amount: 321 }, { key: "k" })).toMatchObject({
      status: 409,
      code: "idempotency_request_in_progress",
    });
    await tenant.endLeases();
    const answers = await Promise.all(Array.from({ length: 12 }, () => tenant.create({ amount: 321 }, { key: "k" })));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
  });

  test("is not replayed to a caller that has lost the permission in the meantime", async () => {
    const tenant = await moneyTenant(db);
    await tenant.create({}, { key: "k" });
    const reauthorize = async () => {
      throw new AppError("permission_denied", "The key lacks payment.create.");
    };
    expect(await tenant.create({}, { key: "k", context: { reauthorize } })).toMatchObject({
      status: 403,
      code: "permission_denied",
    });
  });
});

describe("while the processor cannot tokenize the card", () => {
  const unknown = says({ kind: "unknown", reason: "no answer" });
  /** After `leave` the processor accepts no cards. */
  async function leaving() {
    const sandbox = testService(db).processors.builtIn("test");
    if (!sandbox) throw new Error("tests always have the sandbox");
    let isAway = false;
    const tokenize: typeof sandbox.tokenize = async (...given) => {
      if (isAway) throw new ProcessorTimeoutError(8_000);
      return sandbox.tokenize(...given);
    };
    const tenant = await moneyTenant(db, { processors: createRegistry({ sandbox: { ...sandbox, tokenize } }) });
    return {
      ...tenant,
      leave: (away = true) => {
        isAway = away;
      },
    };
  }

  test("a repeat gets its key's response, and no error that nothing was charged", async () => {
    const tenant = await leaving();
    tenant.script.next(losesAnswer);
    const first = await tenant.create({}, { key: "k" });
    expect(first).toMatchObject({ status: 202, body: { status: "PENDING" } });
    tenant.leave();
    tenant.script.next(unknown);
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 202, body: { id: first.body.id } });
    expect(await tenant.create({ amount: 1 }, { key: "k" })).toMatchObject({ code: "idempotency_key_reused" });
    await tenant.endLeases();
    await tenant.complete();
    const done = await tenant.create({}, { key: "k" });
    expect(done).toMatchObject({ status: 201, replayed: true, body: { id: first.body.id, status: "CAPTURED" } });
    await expectClean();
  });

  test("a duplicate of a request in progress gets 409", async () => {
    const tenant = await leaving();
    const held = holds();
    tenant.script.next(held.step);
    const first = tenant.create({}, { key: "k" });
    await held.reached;
    tenant.leave();
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ code: "idempotency_request_in_progress" });
    held.release();
    expect((await first).status).toBe(201);
  });

  test("a new request gets the error, charges nothing, and may reuse its key", async () => {
    const tenant = await leaving();
    tenant.leave();
    const refused = await tenant.create({}, { key: "k" });
    expect(refused).toMatchObject({ status: 504, code: "processor_timeout" });
    expect(refused.text).toContain("Nothing was charged");
    expect(await tenant.key("k")).toBeNull();
    tenant.leave(false);
    expect(await tenant.create({}, { key: "k" })).toMatchObject({ status: 201, replayed: false });
  });

  test("a repeated attempt in the payment form shows its current status", async () => {
    const shop = await openShop(db);
    const { script, service } = shop.tenant;
    script.next(losesAnswer);
    await shop.pay({ attempt: "a" });
    const at = await service.processors.choose(shop.tenant.merchant.test, { currency: "USD", brand: null });
    if (!at) throw new Error("tests always have the sandbox");
    Object.assign(at.processor, { tokenize: () => Promise.reject(new ProcessorTimeoutError(8_000)) });
    script.next(unknown);
    expect((await shop.pay({ attempt: "a", card: CARD })).state.status).toBe("PROCESSING");
  });
});

describe("a duplicate", () => {
  test("waits for the first request and returns its response", async () => {
    const tenant = await moneyTenant(db);
    const held = holds();
    tenant.script.next(held.step);
    const first = tenant.create({}, { key: "k" });
    await held.reached;
    const second = tenant.create({}, { key: "k" });
    held.release();
    const [a, b] = await Promise.all([first, second]);
    expect([a.replayed, b.replayed, a.text === b.text]).toEqual([false, true, true]);
  });

  test("gives up after two seconds and leaves the first request alone", async () => {
    const tenant = await moneyTenant(db);
    const held = holds();
    tenant.script.next(held.step);
    const first = tenant.create({}, { key: "k" });
    await held.reached;
    expect(await tenant.create({}, { key: "k" })).toMatchObject({
      status: 409,
      code: "idempotency_request_in_progress",
    });
    held.release();
    expect(await first).toMatchObject({ status: 201, replayed: false });
    expect(tenant.script.count("authorize")).toBe(1);
  });
});
