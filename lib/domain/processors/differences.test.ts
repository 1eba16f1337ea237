import { describe, expect, test } from "vitest";
import type { OurEntry } from "@/db/queries/processors/our-entries";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import type { PaymentPart, StatementEntry } from "@/lib/processor/records";
import { judge, listedText, movesMoney, mustBeThere, ourText } from "./differences";

const OURS = {
  environment_id: "e",
  id: "i",
  payment_id: "p",
  transaction_id: "t",
  reference: "r",
  authorization: "r",
  amount: 5_000,
  currency: "USD",
  under_way: false,
  created_at: "2026-11-20T09:00:00.000Z",
  object_kind: null,
  object_id: null,
  late_approval: null,
};
const LISTED = {
  object: { kind: "payment_intent", id: "pi_1" },
  reference: "r",
  created_at: new Date("2026-11-20T09:00:00Z"),
  amount: 5_000,
  currency: "USD",
};

function ours(state: PaymentStatus, captured = 0, refunded = 0): OurEntry {
  return { ...OURS, kind: "payment", state, captured, refunded };
}
const late = (late_approval: OurEntry["late_approval"]): OurEntry => ({ ...ours("DECLINED"), late_approval });
type State = Extract<StatementEntry, { kind: "payment" }>["state"];
const listed = (state: State, captured = 0, refunded = 0): StatementEntry => ({
  ...LISTED,
  kind: "payment" as const,
  state,
  captured,
  refunded,
});

const GIVING_BACK = "Cardlane is giving it back";

describe("a payment", () => {
  test.each([
    [ours("AUTHORIZED"), listed("authorized")],
    [ours("CAPTURED", 5_000), listed("captured", 5_000)],
    [ours("SETTLED", 2_000), listed("captured", 2_000)],
    [ours("PARTIALLY_REFUNDED", 5_000, 100), listed("captured", 5_000, 100)],
    [ours("VOIDED"), listed("voided")],
    [ours("FAILED"), listed("voided")],
    [ours("DECLINED"), listed("declined")],
    [ours("DECLINED"), listed("action_required")],
    [late("reversed"), listed("captured", 5_000, 5_000)],
    [late("reversed"), listed("voided")],
    [late("to_reverse"), listed("captured", 5_000, 5_000)],
    [late("to_reverse"), listed("voided")],
  ])("%o and %o are the same money", (here, there) => expect(judge(here, there)).toEqual({ kind: "same" }));

  test.each([
    [ours("FAILED"), listed("captured", 5_000), "states_differ", "took this money"],
    [ours("VOIDED"), listed("authorized"), "states_differ", "Release it"],
    [late("reversed"), listed("authorized"), "states_differ", "Release it"],
    [late("reversed"), listed("captured", 5_000, 100), "states_differ", "took this money"],
    [late("to_reverse"), listed("captured", 5_000), "states_differ", GIVING_BACK],
    [late("to_reverse"), listed("authorized"), "states_differ", GIVING_BACK],
    [late("to_reverse"), { ...listed("captured", 4_999), amount: 4_999 }, "states_differ", GIVING_BACK],
    [ours("AUTHORIZED"), listed("captured", 5_000), "states_differ", "captured in the processor's dashboard"],
    [ours("AUTHORIZED"), listed("voided"), "states_differ", "void it here"],
    [ours("CAPTURED", 5_000), listed("authorized"), "states_differ", "not captured"],
    [ours("SETTLED", 5_000), listed("voided"), "states_differ", "did not take"],
    [ours("CAPTURED", 5_000), listed("captured", 4_000), "amounts_differ", "Another part"],
    [ours("CAPTURED", 5_000), listed("captured", 5_000, 100), "amounts_differ", "More was refunded"],
    [ours("REFUNDED", 5_000, 5_000), listed("captured", 5_000), "amounts_differ", "was returned"],
    [ours("CAPTURED", 5_000), { ...listed("captured", 5_000), amount: 6_000 }, "amounts_differ", "different amount"],
    [ours("CAPTURED", 5_000), { ...listed("captured", 5_000), currency: "EUR" }, "amounts_differ", "different amount"],
  ])("%o and %o differ", (here, there, kind, advice) =>
    expect(judge(here, there)).toEqual({ kind, advice: expect.stringContaining(advice) }),
  );
});

describe("a payment that began before the report", () => {
  const part = (over: Partial<PaymentPart>): StatementEntry => ({
    ...LISTED,
    kind: "payment",
    amount: 1,
    state: "pending",
    captured: 0,
    refunded: 0,
    part: { captured: 0, settled: 0, released: false, ...over },
  });

  test.each([
    [ours("CAPTURED", 5_000), part({ captured: 5_000 })],
    [ours("PARTIALLY_REFUNDED", 2_000, 500), part({ captured: 2_000, settled: 2_000, released: true })],
    // Captured earlier, paid out, or without readable lines.
    [ours("CAPTURED", 5_000), part({ settled: 5_000 })],
    [ours("SETTLED", 5_000), part({ settled: 2_000 })],
    [ours("CAPTURED", 5_000), part({ released: true })],
    [ours("CAPTURED", 5_000), part({})],
    [ours("AUTHORIZED"), part({})],
    [ours("VOIDED"), part({ released: true })],
    [ours("FAILED"), part({ captured: -5_000 })],
  ])("%o and %o may be the same money", (here, there) => expect(judge(here, there)).toEqual({ kind: "same" }));

  test.each([
    [late("to_reverse"), part({ captured: 5_000 }), "states_differ", GIVING_BACK],
    [ours("AUTHORIZED"), part({ captured: 5_000 }), "states_differ", "captured in the processor's dashboard"],
    [ours("VOIDED"), part({ settled: 5_000 }), "states_differ", "took this money"],
    [ours("AUTHORIZED"), part({ released: true }), "states_differ", "void it here"],
    [ours("CAPTURED", 5_000), part({ captured: -5_000 }), "states_differ", "did not take"],
    [ours("CAPTURED", 5_000), part({ captured: -1_000 }), "amounts_differ", "Another part"],
    [ours("CAPTURED", 5_000), part({ captured: 4_000 }), "amounts_differ", "Another part"],
    [ours("CAPTURED", 5_000), part({ settled: 5_001 }), "amounts_differ", "Another part"],
    [ours("CAPTURED", 5_000), { ...part({}), currency: "EUR" }, "amounts_differ", "another currency"],
  ])("%o and %o differ", (here, there, kind, advice) =>
    expect(judge(here, there)).toEqual({ kind, advice: expect.stringContaining(advice) }),
  );

  test("moves money only where something was captured, and an unknown amount is omitted", () => {
    expect(
      [{ captured: 1 }, { settled: 1 }, { captured: -1 }, { released: true }].map((has) => movesMoney(part(has))),
    ).toEqual([true, true, false, false]);
    expect(listedText(part({ captured: -500, settled: 700, released: true }))).toBe(
      "Since the report begins: capture failed, $5.00 USD; settled, $7.00 USD; released",
    );
  });
});

describe("a refund", () => {
  const refund = (state: "succeeded" | "failed" | "declined"): OurEntry => ({ ...OURS, kind: "refund", state });
  const their = (state: "pending" | "succeeded" | "failed", amount = 5_000): StatementEntry => ({
    ...LISTED,
    kind: "refund" as const,
    payment: "pi_1",
    state,
    amount,
  });
  test("that was accepted is equal while it is pending there, and if both sides report that it failed", () => {
    for (const pair of [
      [refund("succeeded"), their("succeeded")],
      [refund("succeeded"), their("pending")],
      [refund("failed"), their("failed")],
    ] as const)
      expect(judge(...pair)).toEqual({ kind: "same" });
  });
  test("that only one of the two paid differs, and so does another amount", () => {
    expect(judge(refund("succeeded"), their("failed"))).toMatchObject({ kind: "states_differ" });
    expect(judge(refund("declined"), their("succeeded"))).toMatchObject({
      kind: "states_differ",
      advice: expect.stringContaining("Do not refund it again"),
    });
    expect(judge(refund("succeeded"), their("succeeded", 1))).toMatchObject({ kind: "amounts_differ" });
  });
  test("must be there when it was accepted", () => {
    expect([refund("succeeded"), refund("failed"), ours("FAILED"), ours("VOIDED")].map(mustBeThere)).toEqual([
      ...[true, false, false, true],
    ]);
  });
});

test("both sides are described in words, with every amount that matters", () => {
  expect(ourText(ours("PARTIALLY_REFUNDED", 4_000, 1_000))).toBe(
    "Partially refunded, $50.00 USD, $40.00 USD captured, $10.00 USD refunded",
  );
  expect(listedText(listed("captured", 5_000))).toBe("Captured, $50.00 USD");
  expect(listedText({ ...listed("captured", 5_000), currency: "STD" })).toBe("Captured, 5000 STD (smallest units)");
  expect(listedText({ ...LISTED, kind: "refund", payment: "pi_1", state: "failed" })).toBe("Refund failed, $50.00 USD");
});
