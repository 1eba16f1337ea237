import { describe, expect, test } from "vitest";
import { listSealedOtherwise } from "@/db/queries/service/secret-rotation";
import { otherConnector } from "@/e2e/doubles/other/connector";
import { createOtherStore } from "@/e2e/doubles/other/store";
import { type ConnectingTenant, connectingService, connectingTenant } from "@/e2e/fixtures/connections";
import { testDatabase } from "@/e2e/fixtures/database";
import { TEST_SECRET, testPaymentToken } from "@/e2e/fixtures/factories";
import { latch } from "@/e2e/fixtures/latch";
import { losesAnswer, scriptProcessor } from "@/e2e/fixtures/scripted-processor";
import { systemTimer } from "@/lib/clock";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { rotateSecret } from "@/lib/domain/secret-keys";
import { newId } from "@/lib/ids";
import { operatorConnectionId } from "@/lib/processor/connections";
import { createSecret } from "@/lib/secret";
import { recoverOperations } from "../payments/recover-operations";
import { changeConnection, replaceRules } from "./connections";

const { db } = await testDatabase();
await createOtherStore(db.sql);

const VISA = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };
const MASTERCARD = { ...VISA, number: "5555555555554444" };

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}

/** Two connections that accept card numbers; the first is the default. */
async function twoConnections(options: Parameters<typeof connectingTenant>[1] = {}) {
  const tenant = await connectingTenant(db, options);
  const [one, two] = [await tenant.connect("one"), await tenant.connect("two")];
  for (const { id } of [one, two]) await changeConnection(tenant.owner(), { id, raw_cards: true });
  return { tenant, one: one.id, two: two.id };
}

async function placeOf(paymentId: string) {
  const [row] = await db.sql<{ connection_id: string | null }[]>`
    select connection_id from payments where id = ${decodeId("payment", paymentId)}`;
  return row?.connection_id ? encodeId("connection", row.connection_id) : null;
}

const tokenAt = async (tenant: ConnectingTenant) => (await testPaymentToken(tenant.owner(), { card: VISA })).id;

/** A token of the processor's own, as its script makes it in the browser. */
async function ownToken(tenant: ConnectingTenant) {
  const at = await tenant.service.processors.choose(tenant.merchant.test, { currency: "USD", brand: null });
  if (!at) throw new Error("it is connected");
  return (await at.processor.tokenize(tenant.environmentId, VISA)).token;
}

describe("a new payment", () => {
  test("goes to the first matching rule's connection, or else to the default", async () => {
    const { tenant, one, two } = await twoConnections();
    await replaceRules(tenant.owner(), [
      { currency: "EUR", brand: "mastercard", connection_id: one },
      { currency: "EUR", brand: null, connection_id: two },
      { currency: null, brand: "mastercard", connection_id: two },
    ]);
    const at = async (body: object) => placeOf((await tenant.create(body)).body.id);
    expect(await at({ card: VISA })).toBe(one);
    expect(await at({ card: VISA, currency: "EUR" })).toBe(two);
    expect(await at({ card: MASTERCARD, currency: "EUR" })).toBe(one);
    expect(await at({ card: MASTERCARD, currency: "GBP" })).toBe(two);
    await expectClean();
  });

  test("stays with the connection it was made at, even if the default has changed", async () => {
    const tenant = await connectingTenant(db);
    const { body: payment } = await tenant.create({ card: VISA, capture_method: "manual" });
    expect(await placeOf(payment.id)).toBeNull();
    await tenant.connect("one");
    expect((await tenant.act("capture", payment.id)).status).toBe(200);
    expect(await placeOf(payment.id)).toBeNull();
    await expectClean();
  });

  test("stays with its processor, whatever the rules are later", async () => {
    const { tenant, one, two } = await twoConnections();
    const { body: payment } = await tenant.create({ capture_method: "manual" });
    expect(await placeOf(payment.id)).toBe(one);
    await changeConnection(tenant.owner(), { id: two, is_default: true });
    await replaceRules(tenant.owner(), [{ currency: null, brand: null, connection_id: two }]);
    expect((await tenant.act("capture", payment.id)).status).toBe(202);
    const objects =
      await db.sql`select distinct processor from processor_objects where environment_id = ${tenant.environmentId}`;
    expect([...objects]).toEqual([{ processor: decodeId("connection", one) }]);
    expect(await placeOf((await tenant.create()).body.id)).toBe(two);
    await expect(
      db.sql`update payments set connection_id = ${decodeId("connection", two)} where id = ${decodeId("payment", payment.id)}`,
    ).rejects.toThrow(/for ever/);
  });

  test("is declined where it was sent, and not sent anywhere else", async () => {
    const { tenant, one, two } = await twoConnections();
    await replaceRules(tenant.owner(), [{ currency: "USD", brand: null, connection_id: two }]);
    const declined = await tenant.create({ card: { ...VISA, number: "4000000000000002" } });
    expect(declined).toMatchObject({ status: 402, code: "card_declined" });
    const places = await db.sql`select connection_id from payments where environment_id = ${tenant.environmentId}`;
    expect([...places]).toEqual([{ connection_id: decodeId("connection", two) }]);
    expect(one).not.toBe(two);
  });

  test("in live mode without any connection is refused, with the place to connect one", async () => {
    const tenant = await connectingTenant(db);
    const context = { environment: tenant.merchant.live };
    const refused = await tenant.create({}, { context } as never);
    expect(refused).toMatchObject({ status: 422, code: "processor_not_configured" });
    expect(refused.body.detail).toContain("Settings → Processors");
  });
});

describe("a card's token", () => {
  test("is paid at the connection that created it, whatever the current rules are", async () => {
    const { tenant, one, two } = await twoConnections();
    const payment_token = await tokenAt(tenant);
    await changeConnection(tenant.owner(), { id: two, is_default: true });
    const paid = await tenant.create({ payment_token });
    expect(paid.status).toBe(201);
    expect(await placeOf(paid.body.id)).toBe(one);
  });

  test("of a processor's own script is accepted by the currency's connection, and the charge reports its card", async () => {
    const { tenant, one } = await twoConnections();
    const token = await ownToken(tenant);
    const paid = await tenant.create({ payment_token: token });
    expect(paid).toMatchObject({ status: 201, body: { card: { brand: "visa", last4: "4242", bin: "424242" } } });
    expect(await placeOf(paid.body.id)).toBe(one);
    expect((await tenant.operations(paid.body.id))[0]).toMatchObject({ last_answer: "approved (code 00 at one)" });
    const [row] =
      await db.sql`select card_brand, card_last4, card_exp_month from transactions where environment_id = ${tenant.environmentId}`;
    expect(row).toEqual({ card_brand: "visa", card_last4: "4242", card_exp_month: 12 });
    await expectClean();
  });

  test.each([
    ["pm_of_nobody", 422, "processor_refused"],
    ["tok_of_nobody", 404, "resource_not_found"],
    ["x".repeat(5_000), 422, "processor_refused"],
  ])("an unknown connection does not exist: %s", async (token, status, code) => {
    const { tenant } = await twoConnections();
    const refused = await tenant.create({ payment_token: token });
    expect(refused).toMatchObject({ status, code });
    expect(refused.text.length).toBeLessThan(500);
  });

  test("brought by a repeat that other rules sent elsewhere is not given to the first processor", async () => {
    const { tenant, two } = await twoConnections();
    // The first request dies before it sends anything.
    const dying = connectingService(db);
    const choose: typeof dying.processors.choose = async (...given) => {
      const at = await dying.processors.choose(...given);
      const script = at && scriptProcessor(at.processor);
      script?.next(() => Promise.reject(new Error("the process died")));
      return at && script && { ...at, processor: script.processor };
    };
    const service = { ...dying, processors: { ...dying.processors, choose } };
    await tenant.create({ card: VISA }, { service, key: "again" }).catch(() => null);
    await tenant.endLeases();
    await changeConnection(tenant.owner(), { id: two, is_default: true });
    const again = await tenant.create({ card: VISA }, { key: "again" });
    expect([202, 402]).toContain(again.status);
    const places =
      await db.sql`select distinct processor from processor_objects where environment_id = ${tenant.environmentId}`;
    expect(places.map(({ processor }) => processor)).not.toContain(decodeId("connection", two));
    await expectClean();
  });
});

describe("a process's cache", () => {
  test("sees its own changes immediately, and those of others within a second", async () => {
    const { tenant, one, two } = await twoConnections();
    let elapsedMs = 10_000;
    const other = connectingService(db, { timer: { ...systemTimer, elapsedMs: () => elapsedMs } });
    const choose = async (by = other) =>
      (await by.processors.choose(tenant.merchant.test, { currency: "USD", brand: null }))?.connectionId;
    expect(await choose()).toBe(decodeId("connection", one));
    await changeConnection(tenant.owner(), { id: two, is_default: true });
    expect(await choose(tenant.service)).toBe(decodeId("connection", two));
    expect(await choose()).toBe(decodeId("connection", one));
    elapsedMs += 1_001;
    expect(await choose()).toBe(decodeId("connection", two));
  });

  test("costs an environment without connections no query", async () => {
    const { tenant } = await twoConnections();
    const otherMerchant = await connectingTenant(db);
    const asked: string[] = [];
    const within = (id: string) => {
      asked.push(id);
      return db.within(id);
    };
    const spied = { ...db, within };
    const service = connectingService(spied as typeof db, { timer: { ...systemTimer, elapsedMs: () => 0 } });
    const { processors } = service;
    for (const _ of [1, 2]) {
      await processors.choose(otherMerchant.merchant.test, { currency: "USD", brand: null });
      expect(await processors.hasOthers(otherMerchant.merchant.test)).toBe(false);
    }
    expect(asked).toEqual([]);
    await processors.choose(tenant.merchant.test, { currency: "USD", brand: null });
    await processors.choose(tenant.merchant.test, { currency: "USD", brand: null });
    expect(new Set(asked)).toEqual(new Set([tenant.environmentId]));
    expect(asked.length).toBe(1);
  });

  test("survives a new secret: all sealed values are sealed again", async () => {
    const { tenant, one } = await twoConnections();
    const moved = createSecret("another secret, which has 32 and more characters", [TEST_SECRET]);
    expect((await listSealedOtherwise(db.orm, `s1.${moved.keyId}.`, 100)).map(({ kind }) => kind)).toContain(
      "connection",
    );
    await rotateSecret(db.orm, moved);
    const left = await listSealedOtherwise(db.orm, `s1.${moved.keyId}.`, 100);
    expect(left.filter(({ kind }) => kind === "connection")).toEqual([]);
    const service = connectingService(db, {}, { secret: moved });
    const at = await service.processors.find(tenant.merchant.test, decodeId("connection", one));
    expect(at?.processor.name).toBe(decodeId("connection", one));
    await rotateSecret(db.orm, createSecret(TEST_SECRET, ["another secret, which has 32 and more characters"]));
  });
});

describe("which environments have connections", () => {
  /** A service that intercepts the query for connections. */
  function lookingService(look: (rows: Promise<unknown>) => Promise<unknown>) {
    const sql = new Proxy(db.sql, {
      apply(target, self, given: Parameters<typeof db.sql>) {
        const rows = Reflect.apply(target, self, given) as Promise<unknown>;
        return String(given[0]).includes("sum(revision)") ? look(rows) : rows;
      },
    });
    return connectingService({ ...db, sql } as typeof db);
  }

  test("is known after two reads, although connections keep changing", async () => {
    const { tenant, one } = await twoConnections();
    let looks = 0;
    const service = lookingService(async (rows) => {
      looks++;
      const found = await rows;
      if (looks < 50) service.processors.changed();
      return found;
    });
    const at = await service.processors.choose(tenant.merchant.test, { currency: "USD", brand: null });
    expect(at?.connectionId).toBe(decodeId("connection", one));
    expect(looks).toBeLessThanOrEqual(2);
  });

  test("stays fresh although each read takes longer than its result is valid", async () => {
    const { tenant, one } = await twoConnections();
    let looks = 0;
    let nowMs = 0;
    const timer = { ...systemTimer, elapsedMs: () => nowMs };
    const looking = lookingService(async (rows) => {
      nowMs += 1_500;
      if (++looks > 50) throw new Error("it keeps looking forever");
      return rows;
    });
    const service = connectingService(looking.db as typeof db, { timer });
    const at = await service.processors.choose(tenant.merchant.test, { currency: "USD", brand: null });
    expect(at?.connectionId).toBe(decodeId("connection", one));
    expect(looks).toBe(1);
  });

  test("is known to payments while a missing connection is looked up", async () => {
    const { tenant, one } = await twoConnections();
    const payment = { currency: "USD", brand: null } as const;
    let isHeld = false;
    const looking = latch();
    const service = lookingService(async (rows) => {
      if (isHeld) await looking.hold();
      return rows;
    });
    await service.processors.choose(tenant.merchant.test, payment);
    isHeld = true;
    const missing = service.processors.find(tenant.merchant.test, newId());
    await looking.reached;
    const at = await service.processors.choose(tenant.merchant.test, payment);
    expect(at?.connectionId).toBe(decodeId("connection", one));
    looking.release();
    expect(await missing).toBeNull();
  });
});

describe("the operator's processor", () => {
  const connector = () => otherConnector(db.sql, { decidesAfterMs: 60_000 });
  const operatorWith = (key: string) => ({
    connector: connector(),
    credentials: { key, signing: "signed" },
    rawCards: true,
    endpoint: undefined,
  });
  const serviceWith = (key: string | null) =>
    connectingService(db, { operator: key === null ? null : operatorWith(key), pciDssCompliant: true });
  const payment = { currency: "USD", brand: null } as const;

  test("accepts live payments of merchants without a connection, under the account's one id", async () => {
    const tenant = await connectingTenant(db);
    const at = await serviceWith("live_house_k1").processors.choose(tenant.merchant.live, payment);
    expect(at).toMatchObject({ connectionId: operatorConnectionId("other", "house"), guarded: false });
    // Another key of the same account has the same connection id; another account has a different one.
    const same = await serviceWith("live_house_k2").processors.choose(tenant.merchant.live, payment);
    expect(same?.connectionId).toBe(at?.connectionId);
    const other = serviceWith("live_elsewhere_k1").processors;
    expect((await other.choose(tenant.merchant.live, payment))?.connectionId).not.toBe(at?.connectionId);
    expect(await other.find(tenant.merchant.live, at?.connectionId ?? "")).toBeNull();
    expect(await serviceWith(null).processors.find(tenant.merchant.live, at?.connectionId ?? "")).toBeNull();
    expect(await other.choose(tenant.merchant.test, payment)).toMatchObject({ connectionId: null });
    await tenant.connect("one", "live");
    expect(await serviceWith("live_house_k1").processors.choose(tenant.merchant.live, payment)).toMatchObject({
      guarded: true,
    });
  });

  test("that is unreachable at first is retried, and nothing is decided until then", async () => {
    const tenant = await connectingTenant(db);
    const { processors } = serviceWith("live_away_k1");
    await expect(processors.choose(tenant.merchant.live, payment)).rejects.toMatchObject({ code: "processor_error" });
    const wrong = serviceWith("test_house_k9").processors;
    await expect(wrong.choose(tenant.merchant.live, payment)).rejects.toMatchObject({ code: "processor_error" });
  });
});

test("a lost response at a connection is resolved there by recovery", async () => {
  const { tenant } = await twoConnections();
  const losing = connectingService(db);
  const choose: typeof losing.processors.choose = async (...given) => {
    const at = await losing.processors.choose(...given);
    const script = at && scriptProcessor(at.processor);
    script?.next(losesAnswer);
    return at && script && { ...at, processor: script.processor };
  };
  const lost = await tenant.create({}, { service: { ...losing, processors: { ...losing.processors, choose } } });
  expect(lost.status).toBe(202);
  await tenant.endLeases();
  await recoverOperations(tenant.service);
  expect(await tenant.get(lost.body.id)).toMatchObject({ status: "CAPTURED" });
  await expectClean();
});
