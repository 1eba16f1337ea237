import { afterAll, describe, expect, test } from "vitest";
import { newId } from "@/lib/ids";
import type { StoreCardOutcome } from "@/lib/processor/cards";
import { type AuthorizeRequest, type Inquiry, UnreadableReportError } from "@/lib/processor/port";
import type { ProcessorObject } from "@/lib/processor/records";
import { eventsOf, messageOf } from "./deliveries";
import { type Double, startDouble } from "./double";
import { FAULTS, type Fault, type Operation } from "./faults";
import { companyOf, connectorTo } from "./under-test";

const TIMEOUT_MS = 1_500;
const PAGE = "https://cardlane.example/challenge/of-this-card";
const PAID = { captured: 10_000, refunded: 0, voided: false };

const shared = await startDouble();
afterAll(() => shared.stop());

/** A customer of one account at a double, and Cardlane's calls for the customer's cards. */
function customerAt(double: Double) {
  const processor = connectorTo(double, { timeoutMs: TIMEOUT_MS });
  const { storeCard, removeCard } = processor;
  if (!storeCard || !removeCard) throw new Error("it stores cards");
  const [account, customer] = [newId(), newId()];
  const tokenize = async (number: string) =>
    (await processor.tokenize(account, { number, exp_month: 12, exp_year: 2099, cvv: "123" })).token;

  async function check(number: string) {
    const holder = { name: null, address: null };
    return { reference: newId(), account, customer, token: await tokenize(number), holder, challengePage: PAGE };
  }
  async function stored(number: string): Promise<string> {
    const outcome = await storeCard?.(await check(number));
    if (outcome?.kind !== "stored") throw new Error(`the check of ${number} ended as ${outcome?.kind}`);
    return outcome.token;
  }
  function charge(token: string, given: Partial<AuthorizeRequest> = {}): AuthorizeRequest {
    const objects: ProcessorObject[] = [];
    return {
      reference: newId(),
      account,
      token,
      amount: PAID.captured,
      currency: "USD",
      capture: true,
      customerEmail: null,
      billingAddress: null,
      description: null,
      metadata: {},
      challengePage: PAGE,
      objects,
      notAfter: new Date(Date.now() + 60_000),
      keep: async (object: ProcessorObject) => {
        if (!objects.some(({ id }) => id === object.id)) objects.push(object);
      },
      ...given,
    };
  }
  const pay = (token: string, initiator: "customer" | "merchant") =>
    processor.authorize(charge(token, { stored: { customer, initiator } }));
  return { processor, storeCard, removeCard, account, customer, tokenize, check, stored, charge, pay };
}

/** Methods attached to a customer, in all of the double's books. */
const attached = ({ books }: Double, token: string) => books.cards.method(token).customer;

const FINAL = new Set(["stored", "approved", "declined", "never"]);

/** Repeats a call that wasn't sent, or that may be sent again under its reference. */
async function repeated<T extends StoreCardOutcome | Inquiry>(call: () => Promise<T>): Promise<T> {
  let answer = await call();
  for (let tries = 0; tries < 3 && !FINAL.has(answer.kind); tries++) answer = await call();
  return answer;
}

const withDouble = async <T>(use: (double: Double) => Promise<T>): Promise<T> => {
  const double = await startDouble();
  try {
    return await use(double);
  } finally {
    await double.stop();
  }
};

test.each(FAULTS)("%s: a check that is sent again stores its card once", async (fault) => {
  await Promise.all(
    (["customer", "setup"] as const).map((operation) =>
      withDouble(async (double) => {
        const { storeCard, check, pay } = customerAt(double);
        const request = await check("4242424242424242");
        double.faults.next(operation, fault);
        const end = await repeated(() => storeCard(request));
        expect(end, operation).toMatchObject({ kind: "stored", token: request.token });
        double.faults.releaseLate();
        expect(double.books.cards.customers.size).toBe(
          operation === "customer" && fault === "stored 500 after" ? 2 : 1,
        );
        expect(attached(double, request.token)).not.toBeNull();
        expect(await storeCard(request)).toEqual(end);
        expect(await pay(request.token, "merchant")).toMatchObject({ kind: "approved" });
      }),
    ),
  );
});

/** Faults after which the payment is closed: its card is no longer available. */
const NEVER: Partial<Record<Operation, readonly Fault[]>> = {
  create: ["stored 500", "stored 500 after"],
  confirm: ["lost before", "late", "stored 500", "503", "silence"],
};

test.each(FAULTS)("%s: a payment is made once and its card stored, or neither", async (fault) => {
  const ends = await Promise.all(
    (["customer", "create", "update", "confirm"] as const).map((operation) =>
      withDouble(async (double) => {
        const { processor, tokenize, charge, customer, pay } = customerAt(double);
        const request = charge(await tokenize("4242424242424242"), { store: { customer } });
        double.faults.next(operation, fault);
        let end: Inquiry = await processor.authorize(request);
        for (let tries = 0; tries < 3 && end.kind === "not_sent"; tries++) end = await processor.authorize(request);
        const asked = { ...request, kind: "authorize", authorization: request.reference } as const;
        if (!FINAL.has(end.kind)) end = await processor.inquire(asked);
        if (end.kind === "not_found") end = await repeated(() => processor.close(request));
        double.faults.releaseLate();
        const paid = companyOf(double).money(request.reference);
        expect(paid, operation).toEqual(end.kind === "approved" ? PAID : null);
        if (end.kind === "approved") {
          expect(end.storedToken).toBe(request.token);
          expect(await pay(request.token, "merchant")).toMatchObject({ kind: "approved" });
        } else expect(attached(double, request.token)).toBeNull();
        return [operation, end.kind] as const;
      }),
    ),
  );
  for (const [operation, end] of ends)
    expect(`${operation}: ${end}`).toBe(`${operation}: ${NEVER[operation]?.includes(fault) ? "never" : "approved"}`);
});

test.each(FAULTS)("%s: a card is removed, or the call rejects and can be repeated", async (fault) => {
  await Promise.all(
    (["read", "detach"] as const).map((operation) =>
      withDouble(async (double) => {
        const { removeCard, account, customer, stored, pay } = customerAt(double);
        const token = await stored("4242424242424242");
        double.faults.next(operation, fault);
        const remove = () =>
          removeCard(account, { token, customer }).then(
            () => true,
            () => false,
          );
        let removed = await remove();
        expect(attached(double, token) === null || !removed).toBe(true);
        for (let tries = 0; tries < 3 && !removed; tries++) removed = await remove();
        expect(removed, operation).toBe(true);
        expect(attached(double, token)).toBeNull();
        expect(await pay(token, "merchant")).toMatchObject({ kind: "declined", refusal: expect.any(String) });
      }),
    ),
  );
});

describe("without the shopper", () => {
  const { stored, pay } = customerAt(shared);
  test.each([
    ["4000000000007106", "insufficient_funds"],
    ["4000000000007304", "stolen_card"],
    // Stripe's `authentication_required`: the bank requires a challenge.
    ["4000000000007403", "authentication_failed"],
  ])("%s is declined: %s", async (number, decline_code) => {
    const token = await stored(number);
    expect(await pay(token, "merchant")).toMatchObject({ kind: "declined", decline_code });
    expect(await pay(token, "customer")).toMatchObject({ kind: "approved" });
  });

  test("a stored card is charged without its security code", async () => {
    const token = await stored("4242424242424242");
    expect(await pay(token, "merchant")).toMatchObject({ kind: "approved", checks: { cvv_result: null } });
  });
});

test("equal cards have equal fingerprints, even of different customers", async () => {
  const ofCheck = async (number: string) => {
    const { storeCard, check } = customerAt(shared);
    const outcome = await storeCard(await check(number));
    return outcome.kind === "stored" ? outcome.fingerprint : null;
  };
  const first = await ofCheck("4242424242424242");
  expect(first).toMatch(/^\S{16}$/);
  expect(await ofCheck("4242424242424242")).toBe(first);
  expect(await ofCheck("5555555555554444")).not.toBe(first);
  const { processor, tokenize, charge, customer } = customerAt(shared);
  const paid = await processor.authorize(charge(await tokenize("4242424242424242"), { store: { customer } }));
  expect(paid).toMatchObject({ kind: "approved", fingerprint: first });
});

test("each of our customers is one customer at Stripe, with only our ids", async () => {
  await withDouble(async (double) => {
    const { storeCard, check, processor, tokenize, charge, account, customer } = customerAt(double);
    const checks = await Promise.all(["4242424242424242", "5555555555554444"].map(check));
    await Promise.all(checks.map((request) => repeated(() => storeCard(request))));
    await processor.authorize(charge(await tokenize("4111111111111111"), { store: { customer } }));
    const [only, ...others] = [...double.books.cards.customers.values()];
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      metadata: { cardlane_account: account, cardlane_customer: customer },
      email: null,
      name: null,
      description: null,
    });
  });
});

describe("messages about stored cards", () => {
  const { processor, account, customer, stored, removeCard } = customerAt(shared);
  const { reports } = processor;
  if (reports.kind !== "pushed") throw new Error("it pushes its reports");
  const told = async () => {
    const events = eventsOf(shared, account).filter(({ type }) => type.startsWith("payment_method."));
    return (await Promise.all(events.map(async (event) => reports.read(messageOf(event))))).flat();
  };

  test("report a new expiry date, and a removal", async () => {
    const storedCard = await stored("4242424242424242");
    expect(await told()).toEqual([]);
    shared.books.cards.renew(storedCard, 7, 2101);
    const card = { brand: "visa", bin: null, last4: "4242", exp_month: 7, exp_year: 2101 };
    const updated = { id: expect.stringMatching(/^evt_/), storedCard, change: "updated", card };
    expect(await told()).toEqual([updated]);
    await removeCard(account, { token: storedCard, customer });
    expect(await told()).toEqual([updated, { id: expect.stringMatching(/^evt_/), storedCard, change: "removed" }]);
  });

  test("about anything but cards report nothing, and those that can't be stored are refused", async () => {
    const [event] = eventsOf(shared, account).filter(({ type }) => type === "payment_method.automatically_updated");
    if (!event) throw new Error("there is no event of the renewal");
    const about = (change: object) =>
      messageOf({ ...event, data: { object: { ...event.data.object, ...change } } } as typeof event);
    expect(await reports.read(about({ card: null, type: "sepa_debit" }))).toEqual([]);
    for (const change of [{ id: "pm_\u0000" }, { card: { brand: "visa", last4: "4", exp_month: 1, exp_year: 2100 } }])
      await expect((async () => reports.read(about(change)))()).rejects.toBeInstanceOf(UnreadableReportError);
  });
});
