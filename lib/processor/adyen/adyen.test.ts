import { createHmac, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { memoryJournal } from "@/lib/testing/memory-journal";
import type { Journal } from "../journal";
import { UnreadableReportError } from "../port";
import { fromAdyenAmount, toAdyenAmount } from "./amounts";
import { disputeOf } from "./connection";
import { readNotices, signatureOf, signedText } from "./notices";
import { outcomeOfAnswer } from "./outcomes";
import { movementOutcome, Records } from "./records";
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

  test("covers values with colons and backslashes, each as it stands", () => {
    const one = signedText({ ...ITEM, merchantReference: "a:b\\", merchantAccountCode: "c" });
    const other = signedText({ ...ITEM, merchantReference: "a", merchantAccountCode: "c" });
    expect(one).toContain("a\\:b\\\\");
    expect(one).not.toBe(other);
  });

  test("is asked of every item of a message", () => {
    const item = (hmacSignature: string) => ({
      NotificationRequestItem: { ...ITEM, eventDate: "2026-11-24T10:00:00+01:00", additionalData: { hmacSignature } },
    });
    const good = createHmac("sha256", Buffer.from(KEY, "hex")).update(signedText(ITEM)).digest("base64");
    const body = (...items: object[]) => JSON.stringify({ live: "false", notificationItems: items });
    const expected = { hmacKey: KEY, merchantAccount: "TestMerchant", live: false };
    expect(readNotices(body(item(good), item(good)), expected)).toHaveLength(2);
    expect(() => readNotices(body(item(good), item("")), expected)).toThrow(UnreadableReportError);
    expect(() => readNotices(body(item(good)), { ...expected, live: true })).toThrow("a test account");
    expect(() => readNotices(body(item(good)), { ...expected, merchantAccount: "Other" })).toThrow("TestMerchant");
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

  test("with a part that Adyen does not count, or that we do not, are refused", () => {
    expect(toAdyenAmount(199_950, "IDR")).toBeNull();
    expect(fromAdyenAmount({ value: 199_950, currency: "CLP" })).toBeNull();
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
  test("is read back, with what is known of the card", () => {
    expect(readOwnToken(ownToken({ ...FIELDS, brand: "mc" }))).toEqual({ ...FIELDS, brand: "mc" });
  });

  test.each([
    ["a card number in clear", { ...FIELDS, encryptedCardNumber: "4242424242424242" }],
    ["the number of a test account", { ...FIELDS, encryptedCardNumber: "test_4111111111111111" }],
    ["a number as the holder's name", { ...FIELDS, holderName: "4242 4242 4242 4242" }],
    ["a field that is not encrypted", { ...FIELDS, number: "4242424242424242" }],
    ["a field too few", { ...FIELDS, encryptedSecurityCode: undefined }],
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
    const outcome = outcomeOfAnswer({ resultCode: "Refused", refusalReasonCode, additionalData: data });
    expect(outcome).toMatchObject({ kind: "declined", decline_code });
  });

  test("of no known kind are never taken for an end", () => {
    expect(outcomeOfAnswer({ resultCode: "PartiallyAuthorised" }).kind).toBe("unknown");
    expect(outcomeOfAnswer({ resultCode: "Received" }).kind).toBe("pending");
  });
});

test("a dispute is as it was last told, in whatever order", () => {
  const told = (event: string, at: string, status: string | null) => ({
    ...{ event, success: true, pspReference: "D1", original: "P1", reference: "r", at, reason: "Fraud" },
    ...{ amount: { value: 1000, currency: "EUR" }, dispute: { respondBefore: null, status } },
  });
  const events = [
    told("CHARGEBACK_REVERSED", "2026-11-03T00:00:00Z", "Won"),
    told("NOTIFICATION_OF_CHARGEBACK", "2026-11-01T00:00:00Z", null),
  ];
  expect(disputeOf("D1", events)).toMatchObject({ status: "won", amount: 1000, created_at: new Date("2026-11-01") });
  expect(disputeOf("D1", [])).toBeNull();
});

describe("when the service dies while an answer is being kept", () => {
  const amount = { value: 1000, currency: "EUR" };
  /** A reference whose answer was kept by `keep`, but for what comes with Adyen's own reference and after it. */
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
    await dying.begin(reference, {
      ...{ account, by: "call", kind, authorization: randomUUID(), amount, captures: false },
    });
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

  test("a payment can be captured by the reference in its answer, before any webhook", async () => {
    const answer = { resultCode: "Authorised", pspReference: "P1" } as const;
    const { records, reference } = await dyingAt("authorize", (dying, one) => dying.answered(one, "answer", answer));
    expect(await records.find(reference)).toMatchObject({ pspReference: "P1" });
  });
});
