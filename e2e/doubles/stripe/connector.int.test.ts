import type Stripe from "stripe";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "@/lib/clock";
import { newId } from "@/lib/ids";
import type { CardHolder } from "@/lib/processor/cards";
import { UnreadableReportError } from "@/lib/processor/port";
import type { StatementEntry } from "@/lib/processor/records";
import { createStripeProcessor, STRIPE } from "@/lib/processor/stripe/connector";
import { memoryJournal } from "../../fixtures/memory-journal";
import { eventsOf, messageOf, TEST_WEBHOOK_SECRET } from "./deliveries";
import { ACCOUNT_ID, startDouble, TEST_KEY } from "./double";
import { card, chargeAt, companyOf, connectorTo } from "./under-test";

const double = await startDouble();
afterAll(() => double.stop());
const processor = connectorTo(double);
const charged = chargeAt(processor);

test("the bank compares the address sent with a card's number, as far as it is known", async () => {
  const address = {
    line1: "1 Main Street",
    line2: null,
    city: "Springfield",
    state: "IL",
    postal_code: "62701",
    country: "US",
  };
  const checked = async (holder?: CardHolder) => {
    const { outcome } = await charged("4242424242424242", undefined, holder);
    return outcome.kind === "approved" && outcome.checks?.avs_result;
  };
  expect(await checked({ name: "Ada Park", address })).toBe("Y");
  expect(await checked({ name: null, address: { ...address, line1: null } })).toBe("P");
  expect(await checked({ name: "Ada Park", address: null })).toBeNull();
  expect(await checked()).toBeNull();
});

describe("credentials", () => {
  const check = (secretKey: string, live: boolean) =>
    createStripeProcessor({
      name: "c",
      credentials: { secret_key: secretKey },
      settings: { live, rawCards: false, metadataKeys: [] },
      timeoutMs: 2_000,
      clock: systemClock,
      journal: memoryJournal(),
      endpoint: double.endpoint,
    }).checkConnection?.();

  test("that are valid identify their account", async () => {
    expect(await check(TEST_KEY, false)).toEqual({
      kind: "works",
      id: ACCOUNT_ID,
      account: `Double Ltd (${ACCOUNT_ID})`,
      live: false,
    });
  });
  test.each([
    ["pk_test_publishable", false, /no secret key/],
    [TEST_KEY, true, /test mode/],
    ["sk_live_something", false, /real money/],
    ["sk_test_ofsomebodyelse", false, /does not accept/],
  ])("%s, for live: %s, are refused in words that do not name them", async (key, live, words) => {
    const answer = await check(key, live);
    expect(answer).toMatchObject({ kind: "refused", reason: expect.stringMatching(words) });
    expect(JSON.stringify(answer)).not.toContain(key);
  });
  test.each(["403", "429", "silence", "garbage"] as const)("that meet %s report what to do", async (fault) => {
    double.faults.next("account", fault, 2);
    const answer = await check(TEST_KEY, false);
    expect(answer?.kind).toBe(fault === "403" ? "refused" : "unreachable");
    double.faults.clear();
  });
  test("are shown by their first and last letters, and read by their shape", () => {
    expect(STRIPE.hint({ secret_key: "sk_test_abcdefgh4242" })).toBe("sk_test_…4242");
    expect(STRIPE.credentials.safeParse({ secret_key: "pk_test_x" }).success).toBe(false);
    expect(STRIPE.credentials.safeParse({ secret_key: "sk_live_x1", webhook_secret: "secret" }).success).toBe(false);
  });
});

describe("messages", () => {
  const { reports } = processor;
  if (reports.kind !== "pushed") throw new Error("it pushes its reports");
  const about = async () => {
    const { account } = await charged("4242424242424242");
    const [event] = eventsOf(double, account);
    if (!event) throw new Error("there is no event of the charge");
    return event;
  };

  test("with another's signature, or an old one, are not read", async () => {
    const event = await about();
    const old = new Date(Date.now() - 301_000);
    expect(await reports.read(messageOf(event))).toHaveLength(1);
    expect(await reports.read(messageOf(event, { sentAt: new Date(Date.now() - 290_000) }))).toHaveLength(1);
    for (const message of [messageOf(event, { secret: "whsec_ofanotheraccount" }), messageOf(event, { sentAt: old })])
      expect(() => reports.read(message)).toThrow(UnreadableReportError);
  });

  test("of another account, another mode, or about other objects report nothing", async () => {
    const event: { type: string; data: { object: object } } = await about();
    const strange: object[] = [
      { ...event, account: "acct_another" },
      { ...event, livemode: true },
      { ...event, type: "customer.created" },
      { ...event, data: { object: { ...event.data.object, metadata: {} } } },
    ];
    for (const one of strange) expect(await reports.read(messageOf(one as Stripe.Event))).toEqual([]);
  });

  test("that are signed but invalid, or contain what can't be stored, are rejected", async () => {
    const event: { data: { object: object } } = await about();
    const dispute = { id: "du_1", payment_intent: "pi_1" };
    const strange: unknown[] = [
      ...[null, 1, "text", [], {}],
      { ...event, data: {} },
      { ...event, data: undefined },
      { ...event, data: { object: null } },
      { ...event, data: { object: { ...event.data.object, metadata: "text" } } },
      { ...event, id: "evt_\u0000" },
      { ...event, data: { object: { ...event.data.object, id: "pi_\u0000" } } },
      { ...event, type: "charge.dispute.created", data: { object: { ...dispute, id: "du_\u0000" } } },
      { ...event, type: "charge.dispute.created", data: { object: { ...dispute, payment_intent: {} } } },
    ];
    for (const one of strange)
      expect(() => reports.read(messageOf(one as Stripe.Event))).toThrow(UnreadableReportError);
    const without = {
      ...event,
      type: "charge.dispute.created",
      data: { object: { ...dispute, payment_intent: null } },
    };
    expect(await reports.read(messageOf(without as Stripe.Event))).toEqual([]);
  });

  test("are not parsed before a secret is set", async () => {
    const without = createStripeProcessor({
      name: "c",
      credentials: { secret_key: TEST_KEY },
      settings: { live: false, rawCards: false, metadataKeys: [] },
      timeoutMs: 2_000,
      clock: systemClock,
      journal: memoryJournal(),
      endpoint: double.endpoint,
    });
    const event = await about();
    if (without.reports.kind !== "pushed") throw new Error("it pushes its reports");
    const { read } = without.reports;
    expect(() => read(messageOf(event, { secret: TEST_WEBHOOK_SECRET }))).toThrow(UnreadableReportError);
  });

  test("that were missed are found page by page, each once, the oldest first", async () => {
    const accounts: string[] = [];
    for (let i = 0; i < 3; i++) accounts.push((await charged("4242424242424242")).account);
    const { reports: later } = connectorTo(double, { clock: { now: () => new Date(Date.now() + 60_000) } });
    if (later.kind !== "pushed" || !later.catchUp) throw new Error("it has no list of events");
    const first = await later.catchUp(null);
    const ids = first.reports.map(({ id }) => id);
    const expected = accounts.flatMap((account) => eventsOf(double, account).map(({ id }) => id));
    expect(ids.slice(-3)).toEqual(expected);
    expect(await later.catchUp(first.cursor)).toMatchObject({ reports: [], cursor: first.cursor, more: false });
    const { account } = await charged("4242424242424242");
    const [next] = eventsOf(double, account);
    expect((await later.catchUp(first.cursor)).reports.map(({ id }) => id)).toEqual([next?.id]);
  });

  describe("are read from a list", () => {
    /** A double with `count` events of one payment, and a connector whose clock is one minute ahead. */
    async function listing(count: number) {
      const own = await startDouble();
      onTestFinished(() => own.stop());
      const event = await about();
      for (let index = 0; index < count; index++) own.books.events.push({ ...event, id: `evt_${index}` });
      const { reports: later } = connectorTo(own, { clock: { now: () => new Date(Date.now() + 60_000) } });
      if (later.kind !== "pushed" || !later.catchUp) throw new Error("it has no list of events");
      return { own, catchUp: later.catchUp };
    }

    test("are read from the oldest available if Stripe no longer has the last event, after 30 days", async () => {
      const { catchUp } = await listing(3);
      const page = await catchUp("evt_forgotten");
      expect(page.reports.map(({ id }) => id)).toEqual(["evt_0", "evt_1", "evt_2"]);
      expect(page).toMatchObject({ cursor: "evt_2", more: false });
    });

    test("are read past one that cannot be read", async () => {
      const { own, catchUp } = await listing(3);
      own.books.events[1] = { ...own.books.events[1], data: {} } as Stripe.Event;
      expect(await catchUp(null)).toMatchObject({ reports: [{ id: "evt_0" }, { id: "evt_2" }], cursor: "evt_2" });
    });

    test("start at a bounded time, however many there were in the last hour", async () => {
      const { own, catchUp } = await listing(1_500);
      const page = await catchUp(null);
      expect(own.requests.filter(({ operation }) => operation === "list")).toHaveLength(10);
      expect(page.reports.at(0)?.id).toBe("evt_500");
      expect(page).toMatchObject({ cursor: "evt_599", more: true });
      expect((await catchUp(page.cursor)).reports.at(0)?.id).toBe("evt_600");
    });
  });
});

test("accepts only its own tokens, by their card", async () => {
  const [account, stranger] = [newId(), newId()];
  const { token } = await processor.tokenize(account, card("5555555555554444"));
  const shown = { brand: "mastercard", last4: "4444", exp_month: 12, exp_year: 2099, bin: null };
  expect(await processor.acceptToken?.(account, token)).toEqual({ token, ...shown });
  expect(await processor.acceptToken?.(stranger, token)).toBeNull();
  expect(await processor.acceptToken?.(account, "pm_card_visa")).toMatchObject({ brand: "visa", last4: "4242" });
  for (const one of ["pm_of_nobody", "tok_visa", "", "pm_../events", "4242424242424242"])
    expect(await processor.acceptToken?.(account, one)).toBeNull();
});

test("its list has every payment and refund of a range, with our references and in minor units", async () => {
  const sale = await charged("4242424242424242", { amount: 500, currency: "ISK" });
  const declined = await charged("4000000000000002");
  const refund = newId();
  const money = { amount: 200, currency: "ISK", reason: null, authorization: sale.reference };
  expect(await processor.refund({ ...sale.called, reference: refund, ...money })).toEqual({ kind: "approved" });
  const range = { since: new Date(Date.now() - 60_000), until: new Date(Date.now() + 60_000) };
  const entries: StatementEntry[] = [];
  for await (const entry of processor.statement?.(range) ?? []) entries.push(entry);
  const of = (reference: string) => entries.filter((entry) => entry.reference === reference);
  expect(of(sale.reference)).toMatchObject([
    { kind: "payment", state: "captured", amount: 500, captured: 500, refunded: 200, currency: "ISK" },
  ]);
  expect(of(declined.reference)).toMatchObject([{ kind: "payment", state: "declined", captured: 0 }]);
  const payment = sale.objects[0]?.id;
  expect(of(refund)).toMatchObject([{ kind: "refund", state: "succeeded", amount: 200, payment }]);
  expect(companyOf(double).money(sale.reference)).toEqual({ captured: 50_000, refunded: 20_000, voided: false });
});

test("what Stripe cannot express is rejected, and no request is sent", async () => {
  const before = double.requests.length;
  const { outcome } = await charged("4242424242424242", { amount: 1_234, currency: "KWD" });
  expect(outcome).toMatchObject({ kind: "declined", refusal: expect.stringContaining("steps of 0.010") });
  expect(double.requests.slice(before).map(({ operation }) => operation)).toEqual(["tokenize"]);
});
