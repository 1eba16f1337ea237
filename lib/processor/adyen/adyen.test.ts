import { createHmac, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { memoryJournal } from "@/e2e/fixtures/memory-journal";
import type { Journal } from "../journal";
import { UnreadableReportError } from "../port";
import { fromAdyenAmount, toAdyenAmount } from "./amounts";
import { disputeOf } from "./connection";
import { type Notice, readNotices, signatureOf, signedText } from "./notices";
import { outcomeOfResponse } from "./outcomes";
import { authorizationOutcome, movementOutcome, outsideRefunds, Records } from "./records";
import { ownToken, readOwnToken } from "./tokens";

const KEY = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";
const ITEM = {
  pspReference: "7914073381342284",
  merchantAccountCode: "TestMerchant",
  merchantReference: "TestPayment-1407325143704",
  amount: { value: 1130, currency: "EUR" },
  eventCode: "AUTHORISATION",
  success: "true" as const,
};

describe("a webhook's signature", () => {
  test("is that of Adyen's published example", () => {
    expect(signedText(ITEM)).toBe(
      "7914073381342284::TestMerchant:TestPayment-1407325143704:1130:EUR:AUTHORISATION:true",
    );
    expect(signatureOf(signedText(ITEM), KEY)).toBe("coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=");
  });

  test("has its values verbatim, as Adyen's libraries sign them", () => {
    expect(signedText({ ...ITEM, merchantReference: "14-08-2020-09:53:00\\" })).toBe(
      "7914073381342284::TestMerchant:14-08-2020-09:53:00\\:1130:EUR:AUTHORISATION:true",
    );
  });
});

describe("a webhook's items", () => {
  const expected = { hmacKey: KEY, merchantAccount: "TestMerchant", live: false };
  const AT = "2026-11-24T10:00:00+01:00";
  /** An item with its own signature, or with another item's. */
  const item = (given: object = {}, signedAs: object = given) => {
    const text = signedText({ ...ITEM, ...signedAs } as never);
    const hmacSignature = createHmac("sha256", Buffer.from(KEY, "hex")).update(text).digest("base64");
    return { ...ITEM, eventDate: AT, additionalData: { hmacSignature }, ...given };
  };
  const unsigned = (given: object) => ({ ...item(), additionalData: {}, ...given });
  const read = (...items: object[]) => {
    const notificationItems = items.map((NotificationRequestItem) => ({ NotificationRequestItem }));
    return readNotices(JSON.stringify({ live: "false", notificationItems }), expected);
  };
  const REPORT = { eventCode: "REPORT_AVAILABLE", pspReference: "settlement_detail_report_batch_12.csv" };

  test("are read separately: a faulty one blocks no other, and makes Adyen redeliver the message", () => {
    const forged = item({ amount: { value: 1131, currency: "EUR" } }, {});
    expect(read(item(), item({ success: "false" }))).toMatchObject({ notices: [{}, {}], refused: null, signed: true });
    for (const one of [forged, unsigned({}), item({ pspReference: undefined }, {})])
      expect(read(one, item())).toMatchObject({ notices: [{ event: "AUTHORISATION" }], refused: expect.any(String) });
  });

  test("of unused kinds are dropped, whatever they contain and whoever signed them", () => {
    const reports = [
      unsigned({ ...REPORT, merchantReference: undefined }),
      item(REPORT),
      unsigned({ ...REPORT, amount: 1 }),
    ];
    for (const one of [...reports, unsigned({ eventCode: "EXPIRE" }), { eventCode: "constructor" }])
      expect(read(one)).toEqual({ notices: [], refused: null, signed: false });
    expect(read(item({ eventCode: "NOTIFICATION_OF_FRAUD" }))).toEqual({ notices: [], refused: null, signed: true });
  });

  test.each(["INFORMATION_SUPPLIED", "DISPUTE_DEFENSE_PERIOD_ENDED", "ISSUER_RESPONSE_TIMEFRAME_EXPIRED"])(
    "%s, which Adyen does not sign, is believed only when it is signed",
    (eventCode) => {
      expect(read(unsigned({ eventCode }))).toEqual({ notices: [], refused: null, signed: false });
      expect(read(item({ eventCode })).notices).toMatchObject([{ event: eventCode }]);
    },
  );

  test("of another merchant account are dropped if Adyen signed them, and refused if unsigned", () => {
    const other = { merchantAccountCode: "AnotherMerchant" };
    expect(read(item(other))).toEqual({ notices: [], refused: null, signed: true });
    expect(read(item(other, {})).refused).toContain("signature");
  });

  test("with colons in the merchant's reference are Adyen's, and no colon can be moved into another value", () => {
    const merchantReference = "14-08-2020-09:53:00";
    expect(read(item({ merchantReference }))).toMatchObject({ notices: [{ reference: merchantReference }] });
    const signed = { merchantReference: "a:b" };
    for (const moved of [
      { merchantAccountCode: "TestMerchant:a", merchantReference: "b" },
      { originalReference: ":TestMerchant", merchantAccountCode: "a", merchantReference: "b" },
      {
        pspReference: `${ITEM.pspReference}:`,
        originalReference: "TestMerchant",
        merchantAccountCode: "a",
        merchantReference: "b",
      },
    ])
      expect(read(item(moved, signed))).toMatchObject({ notices: [], refused: expect.any(String) });
  });

  test.each([
    ["an invalid date", { eventDate: "yesterday" }],
    ["a date in an absurd year", { eventDate: "+275760-09-13T00:00:00Z" }],
    ["a negative amount", { amount: { value: -1, currency: "EUR" } }],
    ["an amount that is not exact", { amount: { value: 2 ** 53, currency: "EUR" } }],
    ["a NUL in a reference", { pspReference: "79140733813422\u0000" }],
  ])("with %s are refused, though they are signed", (_what, given) => {
    expect(read(item({ eventCode: "CHARGEBACK", ...given }))).toMatchObject({
      notices: [],
      refused: expect.any(String),
    });
  });

  test("with null for what Adyen omits, or unknown enum values, are read without them", () => {
    const [notice] = read(item({ originalReference: null, merchantReference: null, reason: 5 })).notices;
    expect(notice).toMatchObject({ original: null, reference: "", reason: null });
  });

  test("are refused in a message of the other mode, and outside a message", () => {
    const body = JSON.stringify({ live: "false", notificationItems: [{ NotificationRequestItem: item() }] });
    expect(() => readNotices(body, { ...expected, live: true })).toThrow("a test account");
    for (const one of ["", "null", "{}", '{"live":"false","notificationItems":[{"NotificationRequestItem":{}}]}'])
      expect(() => readNotices(one, expected)).toThrow(UnreadableReportError);
  });
});

describe("amounts", () => {
  test.each([
    ["USD", 1999, 1999],
    ["JPY", 1999, 1999],
    ["CLP", 1999, 199_900],
    ["ISK", 1999, 199_900],
    ["IDR", 199_900, 1999],
    ["CVE", 199_900, 1999],
  ])("of %s go there and back exactly", (currency, ours, theirs) => {
    expect(toAdyenAmount(ours, currency)).toEqual({ value: theirs, currency });
    expect(fromAdyenAmount({ value: theirs, currency })).toBe(ours);
  });

  test("with a fraction that Adyen does not use are rejected, and of currencies without decimals the nearest amount is used", () => {
    expect(toAdyenAmount(199_950, "IDR")).toBeNull();
    expect(fromAdyenAmount({ value: 199_949, currency: "CLP" })).toBe(1_999);
    expect(fromAdyenAmount({ value: 199_950, currency: "CLP" })).toBe(2_000);
  });
});

describe("a token of the card component's fields", () => {
  const field = (text: string) => `adyenjs_0_1_25$${Buffer.from(text.repeat(8)).toString("base64")}`;
  const FIELDS = {
    encryptedCardNumber: field("number"),
    encryptedExpiryMonth: field("month"),
    encryptedExpiryYear: field("year"),
    encryptedSecurityCode: field("code"),
  };
  const BROWSER = {
    acceptHeader: "*/*",
    colorDepth: 24,
    javaEnabled: false,
    language: "nl-NL",
    userAgent: "Mozilla/5.0",
    screenHeight: 723,
    screenWidth: 1536,
    timeZoneOffset: -60,
  };
  test("is read back, with the known data of card and browser", () => {
    const given = { ...FIELDS, brand: "mc", browserInfo: BROWSER };
    expect(readOwnToken(ownToken(given))).toEqual(given);
  });

  test.each([
    ["a card number in clear", { ...FIELDS, encryptedCardNumber: "4242424242424242" }],
    ["the number of a test account", { ...FIELDS, encryptedCardNumber: "test_4111111111111111" }],
    ["a number as the holder's name", { ...FIELDS, holderName: "4242 4242 4242 4242" }],
    ["a field that is not encrypted", { ...FIELDS, number: "4242424242424242" }],
    ["a field too few", { ...FIELDS, encryptedSecurityCode: undefined }],
    ["a screen that Adyen cannot count", { ...FIELDS, browserInfo: { ...BROWSER, screenWidth: 2 ** 31 } }],
  ])("with %s is no token", (_what, fields) => {
    expect(readOwnToken(ownToken(fields as never))).toBeNull();
  });

  test.each(["", "adyen.", "adyen.{}", "pm_123", "adyen.bm90IGpzb24"])("is not %j", (text) => {
    expect(readOwnToken(text)).toBeNull();
  });
});

describe("refusals", () => {
  test.each([
    ["12", undefined, "insufficient_funds"],
    ["5", "43 : Stolen card", "stolen_card"],
    ["2", "41 : Lost card", "lost_card"],
    ["24", undefined, "incorrect_cvv"],
    ["11", undefined, "authentication_failed"],
    ["20", undefined, "fraud_suspected"],
    ["999", undefined, "generic_decline"],
  ])("with code %s and the network's %s decline as %s", (refusalReasonCode, refusalReasonRaw, decline_code) => {
    const data = refusalReasonRaw === undefined ? {} : { refusalReasonRaw };
    const outcome = outcomeOfResponse({ resultCode: "Refused", refusalReasonCode, additionalData: data });
    expect(outcome).toMatchObject({ kind: "declined", decline_code });
  });

  test("of an unknown kind are never final", () => {
    expect(outcomeOfResponse({ resultCode: "PartiallyAuthorised" }).kind).toBe("unknown");
    expect(outcomeOfResponse({ resultCode: "Received" }).kind).toBe("pending");
  });
});

describe("a dispute", () => {
  const told = (event: string, at: string, status: string | null, given: Partial<Notice> = {}): Notice => ({
    event,
    success: true,
    pspReference: "D1",
    original: "P1",
    reference: "r",
    at,
    reason: "Fraud",
    amount: { value: 1000, currency: "EUR" },
    dispute: { respondBefore: null, status },
    ...given,
  });
  const OPENED = told("NOTIFICATION_OF_CHARGEBACK", "2026-11-01T00:00:00Z", null);

  test("has its latest reported state, whatever the order", () => {
    const events = [told("CHARGEBACK_REVERSED", "2026-11-03T00:00:00Z", "Won"), OPENED];
    expect(disputeOf("D1", events)).toMatchObject({ status: "won", amount: 1000, created_at: new Date("2026-11-01") });
    expect(disputeOf("D1", [])).toBeNull();
  });

  test.each([
    ["Unresponded", "needs_response"],
    ["Responded", "under_review"],
    ["Pending", "under_review"],
    ["Undefended", "needs_response"],
    ["Expired", "lost"],
    ["Accepted", "accepted"],
    ["Won", "won"],
    ["Lost", "lost"],
  ])("that Adyen calls %s is %s", (status, ours) => {
    expect(disputeOf("D1", [told("CHARGEBACK", "2026-11-02T00:00:00Z", status)])?.status).toBe(ours);
  });

  test.each([
    ["NOTIFICATION_OF_CHARGEBACK", "needs_response"],
    ["REQUEST_FOR_INFORMATION", "needs_response"],
    ["DISPUTE_DEFENSE_PERIOD_ENDED", "lost"],
    ["SECOND_CHARGEBACK", "lost"],
  ])("undefended at %s is %s", (event, ours) => {
    expect(disputeOf("D1", [told(event, "2026-11-02T00:00:00Z", "Undefended")])?.status).toBe(ours);
  });

  test.each([
    ["10.4", "FRAUDULENT"],
    ["4855", "NOT_RECEIVED"],
    ["13.6", "CREDIT_NOT_PROCESSED"],
    ["unheard of", "OTHER"],
    [null, "OTHER"],
  ])("with the network's code %j has the reason %s", (reasonCode, reason) => {
    const dispute = { respondBefore: null, status: null, reasonCode };
    expect(disputeOf("D1", [{ ...OPENED, dispute }])).toMatchObject({ reason, network_reason_code: reasonCode });
  });

  test.each(["CLP", "ISK"])("about a part of our smallest unit of %s is about the nearest amount", (currency) => {
    const part = (value: number) => disputeOf("D1", [{ ...OPENED, amount: { value, currency } }])?.amount;
    expect([part(199_900), part(199_949), part(199_950)]).toEqual([1_999, 1_999, 2_000]);
  });

  test.each(["soon", "+275760-09-13T00:00:00Z", "0000-01-01T00:00:00Z"])(
    "that must be responded to before %j has no such time",
    (text) => {
      const dispute = { respondBefore: text, status: null };
      expect(disputeOf("D1", [{ ...OPENED, dispute }])?.respond_by).toBeNull();
    },
  );

  const amount = { value: 1000, currency: "EUR" };
  const ENDED = told("PREARBITRATION_LOST", "2026-12-03T00:00:00Z", null, { original: null });
  /** Records with one payment, whose PSP reference is P1. */
  async function withPayment() {
    const records = new Records(memoryJournal());
    const [reference, account] = [randomUUID(), randomUUID()];
    await records.begin(reference, {
      account,
      by: "call",
      kind: "authorize",
      authorization: reference,
      amount,
      captures: true,
    });
    await records.recordResponse(reference, "answer", { resultCode: "Authorised", pspReference: "P1" });
    return { records, reference, account };
  }
  const statusOf = async (records: Records, id: string) => disputeOf(id, await records.notices(id))?.status;

  test("whose outcome identifies no payment is found by its earlier messages", async () => {
    const { records } = await withPayment();
    await records.take(OPENED);
    expect(await records.take(ENDED)).toMatchObject({ object: "P1", dispute: "D1" });
    expect(await statusOf(records, "D1")).toBe("lost");
  });

  test("whose outcome was reported first is closed once its payment is reported", async () => {
    const { records } = await withPayment();
    expect(await records.take(ENDED)).toBeNull();
    expect(await records.take(OPENED)).toMatchObject({ object: "P1", dispute: "D1" });
    expect(await statusOf(records, "D1")).toBe("lost");
  });

  test("whose outcome names only the payment, as is Adyen's default, is the payment's", async () => {
    const { records } = await withPayment();
    await records.take(
      told("CAPTURE_FAILED", "2026-11-02T00:00:00Z", null, { pspReference: "C1", dispute: undefined } as never),
    );
    await records.take(OPENED);
    const ended = { ...ENDED, pspReference: "P1" };
    expect(await records.take(ended)).toMatchObject({ object: "P1", dispute: "D1" });
    expect(await statusOf(records, "D1")).toBe("lost");
    const { records: others } = await withPayment();
    expect(await others.take(ended)).toMatchObject({ object: "P1", dispute: "P1" });
    expect(await statusOf(others, "P1")).toBe("lost");
  });
});

describe("a message about a payment that identifies no operation", () => {
  const amount = { value: 1000, currency: "EUR" };
  const told = (event: string, pspReference: string, original = "P1", success = true): Notice => ({
    event,
    success,
    pspReference,
    original,
    reference: "the payment's",
    amount,
    at: "2026-11-03T00:00:00Z",
    reason: null,
  });
  async function withPayment(captures: boolean) {
    const records = new Records(memoryJournal());
    const [reference, account] = [randomUUID(), randomUUID()];
    await records.begin(reference, {
      account,
      by: "call",
      kind: "authorize",
      authorization: reference,
      amount,
      captures,
    });
    await records.recordResponse(reference, "answer", { resultCode: "Authorised", pspReference: "P1" });
    return { records, reference, account };
  }

  test.each([true, false])(
    "as a failed capture is recorded for the payment; captured immediately: %s",
    async (captures) => {
      const { records, reference, account } = await withPayment(captures);
      expect(await records.take(told("CAPTURE_FAILED", "C1"))).toMatchObject({ account, reference });
      const recorded = await records.find(reference);
      expect(recorded && authorizationOutcome(recorded)).toMatchObject({ kind: "approved", captured: false });
    },
  );

  test("as a refund that was made there, and as its failure, is matched with known refunds", async () => {
    const { records, reference, account } = await withPayment(true);
    for (const event of ["REFUND", "REFUND_FAILED"]) {
      const report = await records.take(told(event, "X1", "P1"));
      expect(report).toEqual({ id: `X1 ${event} true of P1`, account, reference, outside: true });
      const charge = await records.find(reference);
      const refund = { id: "X1", amount: 1_000, currency: "EUR", failed: event === "REFUND_FAILED" };
      expect(charge && outsideRefunds(charge)).toEqual([refund]);
    }
    expect(await records.take(told("REFUND", "X2", "P2"))).toBeNull();
  });

  test.each([
    ["REFUND", false],
    ["REFUND_FAILED", true],
    ["REFUNDED_REVERSED", true],
    ["CANCELLATION", true],
    ["CAPTURE", true],
  ])("as %s with success %s is reported by its ids, for people", async (event, success) => {
    const { records } = await withPayment(false);
    const report = await records.take(told(event, "X1", "P1", success));
    expect(report).toEqual({ id: `X1 ${event} ${success} of P1`, object: "X1" });
    expect(await records.take(told(event, "X2", "P2", success))).toBeNull();
  });

  test("as the capture of an automatic capture is not reported", async () => {
    const { records } = await withPayment(true);
    expect(await records.take(told("CAPTURE", "C1"))).toBeNull();
    expect(await records.take(told("CAPTURE", "C2", "P1", false))).toMatchObject({ object: "C2" });
  });
});

describe("when the service dies while storing a response", () => {
  const amount = { value: 1000, currency: "EUR" };
  /**
   * A reference whose service died while `keep` stored the
   * response: everything from the PSP reference on is missing.
   */
  async function dyingAt(kind: "authorize" | "refund", keep: (records: Records, reference: string) => Promise<void>) {
    const journal = memoryJournal();
    let isDead = false;
    const note: Journal["note"] = async (subject, name, value) => {
      if (name === "psp") isDead = true;
      if (isDead) throw new Error("the database is gone");
      return journal.note(subject, name, value);
    };
    const [reference, account] = [randomUUID(), randomUUID()];
    const dying = new Records({ ...journal, note });
    await dying.begin(reference, { account, by: "call", kind, authorization: randomUUID(), amount, captures: false });
    await expect(keep(dying, reference)).rejects.toThrow("gone");
    return { records: new Records(journal), reference, account };
  }

  test("a refund is found by its webhook", async () => {
    const { records, reference, account } = await dyingAt("refund", (dying, one) => dying.received(one, "R1"));
    const notice = { event: "REFUND", success: true, pspReference: "R1", original: "P1", reference, amount };
    const report = await records.take({ ...notice, at: "2026-11-03T00:00:00Z", reason: null });
    expect(report).toMatchObject({ account, reference });
    const recorded = await records.find(reference);
    expect(recorded && movementOutcome(recorded)).toMatchObject({ kind: "approved" });
  });

  test("a payment can be captured by the reference in its response, before any webhook", async () => {
    const answer = { resultCode: "Authorised", pspReference: "P1" } as const;
    const { records, reference } = await dyingAt("authorize", (dying, one) =>
      dying.recordResponse(one, "answer", answer),
    );
    expect(await records.find(reference)).toMatchObject({ pspReference: "P1" });
  });
});
