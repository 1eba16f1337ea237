import type Stripe from "stripe";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "@/lib/clock";
import { newId } from "@/lib/ids";
import type { CardHolder } from "@/lib/processor/cards";
import { UnreadableReportError } from "@/lib/processor/port";
import type { StatementEntry } from "@/lib/processor/records";
import { createStripeProcessor, STRIPE } from "@/lib/processor/stripe/connector";
import { latch } from "../../fixtures/latch";
import { memoryJournal } from "../../fixtures/memory-journal";
import { eventsOf, messageOf, TEST_WEBHOOK_SECRET } from "./deliveries";
import { ACCOUNT_ID, startDouble, TEST_KEY } from "./double";
import { companyOf, connectorTo } from "./under-test";

const double = await startDouble();
afterAll(() => double.stop());
const processor = connectorTo(double);
const card = (number: string) => ({ number, exp_month: 12, exp_year: 2099, cvv: "123" });

/** Charges a card; returns the payment's account and kept objects. */
async function charged(number: string, money = { amount: 10_000, currency: "USD" }, holder?: CardHolder) {
  const [account, reference] = [newId(), newId()];
  const { token } = await processor.tokenize(account, card(number), holder);
  const objects: { kind: string; id: string }[] = [];
  const called = {
    account,
    objects,
    challengePage: "https://cardlane.example/challenge/x",
    notAfter: new Date(Date.now() + 60_000),
    keep: async (object: { kind: string; id: string }) => void objects.push(object),
  };
  const request = {
    ...called,
    reference,
    token,
    ...money,
    capture: true,
    customerEmail: null,
    billingAddress: null,
    description: null,
    metadata: {},
  };
  return { account, reference, objects, called, outcome: await processor.authorize(request) };
}

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

test("a dispute is reported by its payment's id, with its current state", async () => {
  const { account, objects } = await charged("4000000000000259");
  const told = eventsOf(double, account).find(({ type }) => type === "charge.dispute.created");
  const { reports } = processor;
  if (!told || reports.kind !== "pushed") throw new Error("there is no event of the dispute");
  const [report] = await reports.read(messageOf(told));
  expect(report).toMatchObject({ object: objects[0]?.id, dispute: expect.stringMatching(/^du_/) });
  const id = report && "dispute" in report ? (report.dispute ?? "") : "";
  const dispute = { id, amount: 10_000, currency: "USD", reason: "FRAUDULENT", status: "needs_response" };
  expect(await processor.readDispute?.(id)).toMatchObject(dispute);
  double.books.endDispute(id, "lost");
  expect(await processor.readDispute?.(id)).toMatchObject({ status: "lost" });
  expect(await processor.readDispute?.("du_of_nobody")).toBeNull();
});

describe("a response to a dispute", () => {
  const evidence = {
    texts: {
      product_description: "Two prints",
      customer_communication: "Where is it? It is there.",
      shipping_carrier: "DHL",
      shipping_tracking: "00340434161094042557",
      refund_policy: "30 days",
      notes: "Signed for by Ada.",
    },
    shippedAt: new Date("2026-11-14T08:00:00Z"),
    files: ["Lieferschein Müller & Söhne.pdf", "photo.jpg"].map((name, index) => ({
      id: newId(),
      name,
      type: index === 0 ? ("application/pdf" as const) : ("image/jpeg" as const),
      size: 1_000 + index,
      read: async () => Buffer.alloc(1_000 + index),
    })),
  };

  async function disputed() {
    const { account, objects } = await charged("4000000000000259");
    const intent = double.books.intent(objects[0]?.id ?? "");
    const { id: dispute } = [...double.books.disputes.values()].find((one) => one.payment_intent === intent.id) ?? {};
    if (!dispute) throw new Error("the card disputes its charge");
    const request = { account, dispute, reference: newId() };
    return {
      dispute,
      submit: (given = evidence, reference = request.reference) =>
        processor.respondToDispute?.({ ...request, reference, kind: "submit", evidence: given }),
      accept: () => processor.respondToDispute?.({ ...request, kind: "accept" }),
      stands: () => double.books.disputes.get(dispute) as Stripe.Dispute,
    };
  }

  test("submits texts and files in Stripe's fields, once however often it is repeated", async () => {
    const { submit, stands, dispute } = await disputed();
    expect(await submit()).toEqual({ kind: "sent" });
    expect(await submit()).toEqual({ kind: "sent" });
    const { evidence: sent, evidence_details, status } = stands();
    expect([status, evidence_details.submission_count]).toEqual(["under_review", 1]);
    expect(sent).toMatchObject({
      product_description: "Two prints",
      shipping_carrier: "DHL",
      shipping_tracking_number: "00340434161094042557",
      shipping_date: "2026-11-14",
      refund_policy_disclosure: "30 days",
      uncategorized_text: "Communication with the customer:\nWhere is it? It is there.\n\nSigned for by Ada.",
    });
    const files = [sent.uncategorized_file, sent.service_documentation].map((id) => double.books.files.get(String(id)));
    expect(files).toMatchObject([
      { filename: "Lieferschein Müller & Söhne.pdf", type: "pdf", size: 1_000, purpose: "dispute_evidence" },
      { filename: "photo.jpg", type: "jpeg", size: 1_001 },
    ]);
    expect(await processor.readDispute?.(dispute)).toMatchObject({ status: "under_review" });
  });

  test("reads one file of an account at a time, however many are sent at once", async () => {
    const { submit } = await disputed();
    const gate = latch();
    const reads: string[] = [];
    const held = (submission: string) => ({
      ...evidence,
      files: evidence.files.map(({ name, read, ...file }) => ({
        ...file,
        name,
        async read() {
          reads.push(`${submission} ${name}`);
          await gate.hold();
          return read();
        },
      })),
    });
    const first = submit(held("first"));
    await gate.reached;
    const second = submit(held("second"), newId());
    const other = await disputed();
    await other.submit(evidence);
    expect(reads).toEqual(["first Lieferschein Müller & Söhne.pdf"]);
    gate.release();
    await Promise.all([first, second]);
    expect(reads).toHaveLength(4);
  });

  test.each(["lost after", "stored 500 after", "503", "silence after", "garbage"] as const)(
    "whose answer is %s takes effect once",
    async (fault) => {
      const { submit, stands } = await disputed();
      double.faults.next("evidence", fault);
      expect((await submit())?.kind).toMatch(/^(?:unknown|sent)$/);
      await submit();
      expect(stands()).toMatchObject({ status: "under_review", evidence_details: { submission_count: 1 } });
    },
    30_000,
  );

  test("whose files are more than Stripe takes is refused before any of them is read", async () => {
    const { submit, stands } = await disputed();
    const stored = double.books.files.size;
    const filesOf = (size: number) =>
      evidence.files.map((file) => ({ ...file, size, read: () => Promise.reject(new Error("the file is read")) }));
    expect(await submit({ ...evidence, files: filesOf(2.25 * 1024 * 1024 + 1) })).toEqual({
      kind: "refused",
      refusal:
        "The files have 4.6 MB together, and Stripe takes at most 4.5 MB for one dispute. Remove files or make them smaller, then submit the evidence again.",
    });
    expect([stands().status, double.books.files.size]).toEqual(["needs_response", stored]);
    const most = evidence.files.map((file) => {
      const size = 2.25 * 1024 * 1024;
      return { ...file, size, read: async () => Buffer.alloc(size) };
    });
    expect(await submit({ ...evidence, files: most })).toEqual({ kind: "sent" });
  });

  test("that Stripe refuses is refused in its words", async () => {
    const { submit, stands } = await disputed();
    const grown = evidence.files.map((file) => ({ ...file, read: async () => Buffer.alloc(3_000_000) }));
    expect(await submit({ ...evidence, files: grown })).toMatchObject({
      kind: "refused",
      refusal: expect.stringMatching(/^Stripe refused the request: The combined size/),
    });
    expect(stands().status).toBe("needs_response");
  });

  test("gives the amount up by closing the dispute, once", async () => {
    const { accept, submit, stands } = await disputed();
    double.faults.next("close", "lost after");
    await accept();
    expect(await accept()).toEqual({ kind: "sent" });
    expect(stands().status).toBe("lost");
    expect(await submit(evidence, newId())).toMatchObject({ kind: "refused" });
  });

  test.each(["lost after", "stored 500 after", "503"] as const)(
    "is accepted, and a repeat reports that it may be, although the first answer is %s",
    async (fault) => {
      const { accept, stands } = await disputed();
      double.faults.next("close", fault);
      await accept();
      const kind = fault === "stored 500 after" ? "refused_repeat" : "sent";
      for (const _ of ["repeat", "another"]) expect(await accept()).toMatchObject({ kind });
      expect(stands().status).toBe("lost");
    },
    30_000,
  );

  test("whose close fails and is then refused reports the refusal of a repeat", async () => {
    const { accept, stands } = await disputed();
    double.faults.next("close", "stored 500");
    expect(await accept()).toMatchObject({ kind: "unknown" });
    stands().status = "under_review";
    for (const _ of ["repeat", "another"])
      expect(await accept()).toEqual({
        kind: "refused_repeat",
        refusal: "Stripe refused the request: This dispute is already under_review.",
      });
  });

  test("that the bank decided first refuses the acceptance, each time", async () => {
    const { accept, stands } = await disputed();
    stands().status = "lost";
    for (const _ of ["first", "repeat"]) expect(await accept()).toMatchObject({ kind: "refused" });
  });

  test("with a key that lacks the permission is not sent", async () => {
    const { accept, stands } = await disputed();
    double.faults.next("close", "403");
    expect(await accept()).toMatchObject({ kind: "not_sent" });
    expect(stands().status).toBe("needs_response");
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
