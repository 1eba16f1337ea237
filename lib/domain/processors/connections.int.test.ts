import { describe, expect, onTestFinished, test } from "vitest";
import { adyenTenant } from "@/e2e/doubles/adyen/tenant";
import { createOtherStore } from "@/e2e/doubles/other/store";
import { connectingService, connectingTenant } from "@/e2e/fixtures/connections";
import { testDatabase } from "@/e2e/fixtures/database";
import { systemTimer } from "@/lib/clock";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { newId } from "@/lib/ids";
import {
  changeConnection,
  checkConnection,
  connectProcessor,
  disconnectProcessor,
  listProcessors,
  MAX_CONNECTIONS,
  replaceRules,
} from "./connections";

const { db } = await testDatabase();
await createOtherStore(db.sql);

const refusalOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw error ?? new Error("it was not refused");
  return { code: error.code, message: error.message, param: error.errors[0]?.param };
};

const credentials = (key: string) => ({ processor: "other", label: "Shop", credentials: { key } });

describe("connecting", () => {
  test("stores the credentials sealed, shows a hint of them, and makes the first connection the default", async () => {
    const tenant = await connectingTenant(db);
    const made = await connectProcessor(tenant.owner(), credentials("test_one_secret99"));
    expect(made).toMatchObject({
      processor: "other",
      account: "account one",
      status: "CONNECTED",
      hint: "test…et99",
      is_default: true,
      takes_webhooks: false,
      raw_cards: false,
      metadata_keys: [],
      check_problem: null,
      last_webhook_at: null,
      webhook_url: `http://cardlane.test/webhooks/other/${made.id}`,
    });
    expect(JSON.stringify(await listProcessors(tenant.owner()))).not.toContain("secret99");
    const [row] = await db.sql`select to_jsonb(c)::text as text, credentials from processor_connections c
      where environment_id = ${tenant.environmentId}`;
    expect(row?.text).not.toContain("secret99");
    expect(JSON.parse(tenant.service.secret.unseal(row?.credentials))).toEqual({ key: "test_one_secret99" });
    const [act] =
      await db.sql`select to_jsonb(a)::text as text from audit_log a where environment_id = ${tenant.environmentId}
      and action = 'settings.processor_connected'`;
    expect(act?.text).toContain("account one");
    expect(act?.text).not.toContain("secret99");
    expect(await connectProcessor(tenant.owner(), credentials("test_two_k4242"))).toMatchObject({ is_default: false });
  });

  test.each([
    ["test_closed_k4242", "invalid_parameter", "credentials", "The account is closed. Open another one."],
    ["test_away_k4242", "processor_error", undefined, "Other could not be reached. Try again."],
    ["live_one_k4242", "invalid_parameter", "credentials", "These are live credentials, which move real money."],
    ["garbage", "invalid_parameter", "credentials.key", "A key begins with test_ or live_."],
    ["", "invalid_parameter", "credentials.key", "Enter the API key."],
  ])("with %s is rejected in words, and stores nothing", async (key, code, param, message) => {
    const tenant = await connectingTenant(db);
    const refusal = await refusalOf(connectProcessor(tenant.owner(), credentials(key)));
    expect(refusal).toMatchObject({ code, param, message: expect.stringContaining(message) });
    if (key !== "") expect(refusal.message).not.toContain(key);
    expect(await listProcessors(tenant.owner())).toEqual({ connections: [], rules: [], kept: new Map() });
  });

  test("are limited to fifty per environment; a disconnected one can be connected again", async () => {
    const tenant = await connectingTenant(db);
    const first = await tenant.connect("account1");
    const second = await tenant.connect("account2");
    for (let index = 3; index <= MAX_CONNECTIONS; index++) await tenant.connect(`account${index}`);
    const refusal = await refusalOf(tenant.connect("another"));
    expect(refusal).toMatchObject({ code: "invalid_state", message: expect.stringContaining("at most 50") });
    await disconnectProcessor(tenant.owner(), { id: second.id });
    expect((await refusalOf(tenant.connect("another"))).code).toBe("invalid_state");
    expect(await tenant.connect("account2")).toMatchObject({ id: second.id, status: "CONNECTED" });
    expect((await listProcessors(tenant.owner())).connections[0]?.id).toBe(first.id);
  });

  test("accepts only live credentials in live mode, and each account once", async () => {
    const tenant = await connectingTenant(db);
    expect((await refusalOf(tenant.connect("one", "test").then(() => tenant.connect("one", "test")))).code).toBe(
      "already_exists",
    );
    const wrong = connectProcessor(tenant.owner("live"), credentials("test_one_k4242"));
    expect((await refusalOf(wrong)).message).toContain("These are test credentials.");
    expect(await tenant.connect("one", "live")).toMatchObject({ status: "CONNECTED" });
  });

  test("of another environment is not found", async () => {
    const tenant = await connectingTenant(db);
    const { id } = await tenant.connect();
    const made = encodeId("connection", newId());
    for (const call of [
      () => changeConnection(tenant.owner("live"), { id, label: "Mine" }),
      () => checkConnection(tenant.owner("live"), { id }),
      () => disconnectProcessor(tenant.owner("live"), { id }),
    ])
      expect(await refusalOf(call())).toMatchObject({ code: "resource_not_found" });
    const text = async (asked: string) =>
      (await refusalOf(checkConnection(tenant.owner("live"), { id: asked }))).message.replace(asked, "…");
    expect(await text(id)).toBe(await text(made));
    const rules = replaceRules(tenant.owner("live"), [{ currency: null, brand: null, connection_id: id }]);
    expect(await refusalOf(rules)).toMatchObject({ param: "rules.0.connection_id" });
  });
});

describe("changing", () => {
  test("accepts other credentials of the same account, and none of another", async () => {
    const tenant = await connectingTenant(db);
    const { id } = await tenant.connect();
    const other = changeConnection(tenant.owner(), { id, credentials: { key: "test_two_k9999" } });
    expect(await refusalOf(other)).toMatchObject({
      param: "credentials",
      message: expect.stringContaining("account two"),
    });
    const changed = await changeConnection(tenant.owner(), { id, credentials: { key: "test_one_k9999", signing: "" } });
    expect(changed).toMatchObject({ hint: "test…9999", takes_webhooks: true });
  });

  test("adds the signing secret of messages later", async () => {
    const tenant = await connectingTenant(db);
    const { id } = await connectProcessor(tenant.owner(), credentials("test_one_k4242"));
    const changed = await changeConnection(tenant.owner(), { id, credentials: { signing: "later" } });
    expect(changed).toMatchObject({ hint: "test…4242", takes_webhooks: true });
  });

  test("replaces the default, of which there is one", async () => {
    const tenant = await connectingTenant(db);
    await tenant.connect("one");
    const two = await tenant.connect("two");
    await changeConnection(tenant.owner(), { id: two.id, is_default: true });
    const { connections } = await listProcessors(tenant.owner());
    expect(connections.map(({ account, is_default }) => [account, is_default])).toEqual([
      ["account one", false],
      ["account two", true],
    ]);
  });

  test("gives it card numbers in live mode only where the operator allows that", async () => {
    const tenant = await connectingTenant(db);
    const { id } = await tenant.connect("one", "live");
    expect(await refusalOf(changeConnection(tenant.owner("live"), { id, raw_cards: true }))).toMatchObject({
      message: expect.stringContaining("PCI_DSS_COMPLIANT"),
    });
    const service = connectingService(db, { pciDssCompliant: true });
    const owner = tenant.owner("live", service);
    const payment = { currency: "USD", brand: null } as const;
    const takes = async (by = service) =>
      (await by.processors.choose(tenant.merchant.live, payment))?.processor.capabilities.rawCards;
    expect(await takes()).toBe(false);
    await changeConnection(owner, { id, raw_cards: true });
    expect(await takes()).toBe(true);
    // The same connection in an installation without that setting.
    expect(await takes(connectingService(db))).toBe(false);
  });

  test("stores the processor's current verdict on the credentials", async () => {
    const tenant = await connectingTenant(db);
    const { id } = await tenant.connect();
    expect(await checkConnection(tenant.owner(), { id })).toMatchObject({ check_problem: null });
    const sealed = tenant.service.secret.seal(JSON.stringify({ key: "test_closed_k4242" }));
    await db.sql`update processor_connections set credentials = ${sealed}, revision = revision + 1 where id = ${decodeId("connection", id)}`;
    const problem = "The account is closed. Open another one.";
    expect(await checkConnection(tenant.owner(), { id })).toMatchObject({
      check_problem: problem,
      status: "CONNECTED",
    });
    expect((await listProcessors(tenant.owner())).connections[0]).toMatchObject({ check_problem: problem });
  });
});

describe("disconnecting", () => {
  const MANUAL = { capture_method: "manual" };
  const withCards = async () => {
    const tenant = await connectingTenant(db);
    const { id } = await tenant.connect();
    await changeConnection(tenant.owner(), { id, raw_cards: true });
    return { tenant, id, disconnect: () => disconnectProcessor(tenant.owner(), { id }) };
  };

  test("deletes the credentials; payments there wait until the same account is reconnected", async () => {
    const { tenant, id, disconnect } = await withCards();
    const { body: payment } = await tenant.create();
    expect(payment).toMatchObject({ status: "CAPTURED" });
    expect(await disconnect()).toMatchObject({ status: "DISCONNECTED", is_default: false, takes_webhooks: false });
    expect(await disconnect()).toMatchObject({ status: "DISCONNECTED" });
    const [row] = await db.sql`select credentials from processor_connections where id = ${decodeId("connection", id)}`;
    expect(row).toEqual({ credentials: null });
    const refused = await tenant.act("refund", payment.id);
    expect(refused).toMatchObject({ status: 422, code: "processor_not_configured" });
    expect(refused.body.detail).toContain("Settings → Processors");
    expect(await refusalOf(changeConnection(tenant.owner(), { id, label: "x" }))).toMatchObject({
      code: "invalid_state",
    });
    // New payments go to the sandbox again.
    const { body: sandboxed } = await tenant.create();
    const [at] = await db.sql`select connection_id from payments where id = ${decodeId("payment", sandboxed.id)}`;
    expect(at).toEqual({ connection_id: null });
    expect(await tenant.connect("one")).toMatchObject({ id, status: "CONNECTED", is_default: true });
    expect((await tenant.act("refund", payment.id)).status).toBe(202);
  });

  test("is refused while anything is open there, and names it", async () => {
    const { tenant, disconnect } = await withCards();
    await tenant.create(MANUAL);
    await tenant.create({ card: { number: "4000000000003220", exp_month: 12, exp_year: 2040, cvv: "123" } });
    const { body: refunded } = await tenant.create();
    await tenant.act("refund", refunded.id, { amount: 100 });
    expect((await refusalOf(disconnect())).message).toBe(
      "Still open there: 1 authorized payment to capture or void, 1 payment waiting for 3-D Secure, 1 payment with a pending refund. Finish these or wait until nothing is open, then disconnect.",
    );
  });

  test("is refused while the processor stores a card, until it is deleted or deletion has failed for an hour", async () => {
    const tenant = await adyenTenant(db, onTestFinished);
    const [{ id } = { id: "" }] = (await listProcessors(tenant.owner())).connections;
    await changeConnection(tenant.owner(), { id, raw_cards: true });
    const connection = decodeId("connection", id) ?? "";
    const disconnect = () => disconnectProcessor(tenant.owner(), { id });
    const pass = (time: string) =>
      db.sql`update processor_journal set created_at = created_at - ${time}::interval where connection = ${connection}`;
    await tenant.create();
    await tenant.decide();
    expect(tenant.double.stored.size).toBe(1);
    await pass("61 minutes");
    expect((await refusalOf(disconnect())).message).toBe(
      "Still open there: 1 card that the processor still stores, for up to an hour. Finish these or wait until nothing is open, then disconnect.",
    );
    expect(await (await tenant.service.processors.reporter(connection))?.processor.forgetOldAttempts()).toBe(1);
    expect(tenant.double.stored.size).toBe(0);
    await tenant.create();
    await tenant.decide();
    expect((await refusalOf(disconnect())).message).toContain("1 card that the processor still stores");
    await pass("2 hours");
    expect(await disconnect()).toMatchObject({ status: "DISCONNECTED" });
  });

  test("is refused while rules or a choice of default depend on it", async () => {
    const tenant = await connectingTenant(db);
    const one = await tenant.connect("one");
    const two = await tenant.connect("two");
    await replaceRules(tenant.owner(), [{ currency: "EUR", brand: null, connection_id: two.id }]);
    expect((await refusalOf(disconnectProcessor(tenant.owner(), { id: one.id }))).message).toContain(
      "the default first",
    );
    expect((await refusalOf(disconnectProcessor(tenant.owner(), { id: two.id }))).message).toContain(
      "Routing rules send payments",
    );
    await replaceRules(tenant.owner(), []);
    expect(await disconnectProcessor(tenant.owner(), { id: two.id })).toMatchObject({ status: "DISCONNECTED" });
  });

  test("concurrently with a payment refuses one of the two", async () => {
    for (let round = 0; round < 6; round++) {
      const { tenant, disconnect } = await withCards();
      const stale = staleService();
      await stale.processors.choose(tenant.merchant.test, { currency: "USD", brand: null });
      const [paid, ended] = await Promise.allSettled([tenant.create(MANUAL, { service: stale }), disconnect()]);
      const status = paid.status === "fulfilled" ? paid.value.status : 0;
      expect([status, ended.status]).toEqual(status === 201 ? [201, "rejected"] : [422, "fulfilled"]);
    }
    await expectClean();
  });

  test("a process that does not know of it yet charges nothing there, and uses no token", async () => {
    const { tenant, disconnect } = await withCards();
    const stale = staleService();
    const { body: paid } = await tenant.create();
    await stale.processors.choose(tenant.merchant.test, { currency: "USD", brand: null });
    await disconnect();
    expect(await tenant.create({}, { service: stale })).toMatchObject({
      status: 422,
      code: "processor_not_configured",
    });
    const refund = await tenant.act("refund", paid.id, {}, { service: staleService() });
    expect(refund).toMatchObject({ status: 422, code: "processor_not_configured" });
    const [left] =
      await db.sql`select count(*)::int as open from operations where environment_id = ${tenant.environmentId} and state = 'open'`;
    expect(left).toEqual({ open: 0 });
    await expectClean();
  });
});

/** A process that never refreshes the connections it has read. */
const staleService = () => connectingService(db, { timer: { ...systemTimer, elapsedMs: () => 0 } });

async function expectClean(): Promise<void> {
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
}
