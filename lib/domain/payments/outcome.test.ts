import { describe, expect, test } from "vitest";
import type { PaymentRow } from "@/db/schema/payments";
import type { TransactionRow } from "@/db/schema/transactions";
import { applyOutcome, type Change, type FinalOutcome, type OperationSnapshot } from "./outcome";
import { PAYMENT_TRANSITIONS, TRANSACTION_TRANSITIONS } from "./states";

const NOW = "2026-11-20T12:00:00.000Z";
const CHALLENGE = "https://pay.test/challenge/x";
type Kind = "authorize" | "continue" | "capture" | "void" | "refund";

function snapshotOf(
  kind: Kind,
  payment: Partial<PaymentRow> = {},
  charge: Partial<TransactionRow> = {},
): OperationSnapshot {
  const start = {
    authorize: { status: "PENDING", amount_captured: 0, open_operation_id: "op" },
    continue: { status: "PENDING", amount_captured: 0, open_operation_id: "op" },
    capture: {
      status: "AUTHORIZED",
      amount_captured: 0,
      open_operation_id: "op",
      capture_before: "2026-11-27T12:00:00.000Z",
    },
    void: {
      status: "AUTHORIZED",
      amount_captured: 0,
      open_operation_id: "op",
      capture_before: "2026-11-27T12:00:00.000Z",
    },
    refund: { status: "CAPTURED", amount_captured: 1_000, open_operation_id: null, refund_pending: 400 },
  }[kind];
  const row = {
    amount: 1_000,
    amount_refunded: 0,
    refund_pending: 0,
    capture_method: "manual",
    ...UNMARKED,
    ...start,
    ...payment,
  };
  return {
    payment: row as PaymentRow,
    charge: { status: row.status, settled_at: null, type: "CHARGE", fraud_score: null, ...charge } as TransactionRow,
    refund: kind === "refund" ? ({ status: "PENDING", amount: 400, type: "REFUND" } as TransactionRow) : null,
  };
}

const UNMARKED = { dispute_status: null, capture_reversed_at: null };

const OUTCOMES: Record<FinalOutcome["kind"], FinalOutcome> = {
  approved: { kind: "approved" },
  declined: { kind: "declined", decline_code: "lost_card" },
  action_required: { kind: "action_required", challenge: { url: CHALLENGE } },
  failed: { kind: "failed", reason: "never executed" },
  reversed: { kind: "reversed" },
};

/** kind, outcome → payment status, operation state, result. */
const TABLE: [Kind, FinalOutcome["kind"], string, string, string][] = [
  ["authorize", "approved", "AUTHORIZED", "succeeded", "ok"],
  ["authorize", "declined", "DECLINED", "declined", "card_declined"],
  ["authorize", "action_required", "REQUIRES_ACTION", "action_required", "ok"],
  ["authorize", "failed", "FAILED", "failed", "payment_failed"],
  ["continue", "approved", "AUTHORIZED", "succeeded", "ok"],
  ["continue", "declined", "DECLINED", "declined", "card_declined"],
  ["continue", "failed", "FAILED", "failed", "payment_failed"],
  ["capture", "approved", "CAPTURED", "succeeded", "ok"],
  ["capture", "declined", "AUTHORIZED", "declined", "payment_failed"],
  ["capture", "failed", "AUTHORIZED", "failed", "payment_failed"],
  ["void", "approved", "VOIDED", "succeeded", "ok"],
  ["void", "declined", "AUTHORIZED", "declined", "payment_failed"],
  ["void", "failed", "AUTHORIZED", "failed", "payment_failed"],
  ["refund", "approved", "PARTIALLY_REFUNDED", "succeeded", "ok"],
  ["refund", "declined", "CAPTURED", "declined", "payment_failed"],
  ["refund", "failed", "CAPTURED", "failed", "payment_failed"],
];

function outcomeOf(kind: Kind, outcome: FinalOutcome["kind"], snapshot = snapshotOf(kind)): Change {
  return applyOutcome(
    snapshot,
    { kind, amount: kind === "refund" ? 400 : 1_000, detail: "asked" },
    OUTCOMES[outcome],
    NOW,
  );
}

const netOf = (change: Change) =>
  change.ledger.reduce((sum, line) => sum + (line.debit === "processor_receivable" ? line.amount : -line.amount), 0);

describe("every kind of operation × every outcome", () => {
  test.each(TABLE)(
    "%s, %s: the payment is %s, the operation %s, the response %s",
    (kind, outcome, status, state, result) => {
      const before = snapshotOf(kind);
      const change = outcomeOf(kind, outcome, before);
      expect([change.payment.status, change.operationState, change.result.kind]).toEqual([status, state, result]);
      expect(change.payment.open_operation_id).toBeNull();
      expect(change.payment.refund_pending).toBe(0);
      // The charge has the same status, except that it has none for a challenge.
      expect(change.charge.status).toBe(status === "REQUIRES_ACTION" ? "PENDING" : status);
      expect(change.payment.updated_at).toBe(NOW);
    },
  );

  test.each(TABLE)("%s, %s: only the table's status changes occur", (kind, outcome) => {
    const before = snapshotOf(kind);
    const after = outcomeOf(kind, outcome, before);
    for (const [from, to] of [[before.payment.status, after.payment.status]] as const) {
      expect(from === to || PAYMENT_TRANSITIONS[from].includes(to), `${from} → ${to}`).toBe(true);
    }
    for (const [from, to] of [
      [before.charge, after.charge],
      [before.refund, after.refund],
    ]) {
      if (!from || !to || from.status === to.status) continue;
      expect(TRANSACTION_TRANSITIONS[from.type][from.status], `${from.status} → ${to.status}`).toContain(to.status);
    }
  });

  test.each(TABLE)("%s, %s: the ledger changes by as much as the counters", (kind, outcome) => {
    const before = snapshotOf(kind);
    const after = outcomeOf(kind, outcome, before);
    const taken = (p: PaymentRow) => p.amount_captured - p.amount_refunded;
    expect(netOf(after)).toBe(taken(after.payment) - taken(before.payment));
    expect(after.feeOn).toBe(after.payment.amount_captured - before.payment.amount_captured);
  });
});

test.each(["DECLINED", "FAILED"] as const)("a void of a late approval leaves the %s payment so", (status) => {
  const before = () => snapshotOf("void", { status, capture_before: null });
  for (const [outcome, state, result] of [
    ["approved", "succeeded", "ok"],
    ["declined", "declined", "payment_failed"],
    ["failed", "failed", "payment_failed"],
    ["reversed", "failed", "payment_failed"],
  ] as const) {
    const { payment, charge, operationState, ledger, feeOn, result: told } = outcomeOf("void", outcome, before());
    expect([payment.status, charge.status, operationState, told.kind]).toEqual([status, status, state, result]);
    expect(payment).toMatchObject({ open_operation_id: null, amount_captured: 0, updated_at: NOW });
    expect([ledger, feeOn, charge.voided_at]).toEqual([[], 0, undefined]);
  }
});

describe("money", () => {
  test("an automatic capture captures the full amount with the authorization", () => {
    const change = outcomeOf("authorize", "approved", snapshotOf("authorize", { capture_method: "automatic" }));
    expect(change.payment).toMatchObject({ status: "CAPTURED", amount_captured: 1_000 });
    expect(change.ledger).toEqual([
      { line: 1, debit: "processor_receivable", credit: "merchant_payable", amount: 1_000 },
    ]);
  });

  test("an automatic capture that only got as far as the authorization holds the money, and reports it", () => {
    const snapshot = snapshotOf("authorize", { capture_method: "automatic" });
    const half: FinalOutcome = { kind: "approved", captured: false };
    const change = applyOutcome(snapshot, { kind: "authorize", amount: 1_000, detail: null }, half, NOW);
    expect(change.payment).toMatchObject({ status: "AUTHORIZED", amount_captured: 0, open_operation_id: null });
    expect(change.result.kind).toBe("only_authorized");
    expect(change.ledger).toEqual([]);
  });

  test("a manual one is held for seven days", () => {
    expect(outcomeOf("authorize", "approved").payment.capture_before).toBe("2026-11-27T12:00:00.000Z");
  });

  test("a part capture releases the rest", () => {
    const change = applyOutcome(
      snapshotOf("capture"),
      { kind: "capture", amount: 600, detail: null },
      OUTCOMES.approved,
      NOW,
    );
    expect(change.payment).toMatchObject({ amount_captured: 600, capture_before: null, open_operation_id: null });
    expect(change.feeOn).toBe(600);
  });

  test("the last refund makes it REFUNDED, including a settled charge", () => {
    const snapshot = snapshotOf("refund", { status: "PARTIALLY_REFUNDED", amount_refunded: 600 }, { settled_at: NOW });
    expect(outcomeOf("refund", "approved", snapshot).payment).toMatchObject({
      status: "REFUNDED",
      amount_refunded: 1_000,
    });
  });

  test.each([
    [null, 400, "CAPTURED"],
    [NOW, 400, "SETTLED"],
    [NOW, 1_000, "PARTIALLY_REFUNDED"],
  ])(
    "a returned refund (settled %s, %i refunded) leaves the charge %s and reverses its entry",
    (settled, refunded, status) => {
      const snapshot = snapshotOf(
        "refund",
        {
          status: refunded === 1_000 ? "REFUNDED" : "PARTIALLY_REFUNDED",
          amount_refunded: refunded,
          refund_pending: 0,
        },
        { settled_at: settled, refunded_at: NOW },
      );
      const change = outcomeOf("refund", "reversed", snapshot);
      expect(change.payment).toMatchObject({ status, amount_refunded: refunded - 400, refund_pending: 0 });
      expect(change.refund).toMatchObject({ status: "FAILED", refunded_at: null });
      expect(change.charge.refunded_at).toBe(refunded === 400 ? null : NOW);
      expect(change.ledger).toEqual([
        { line: 2, debit: "processor_receivable", credit: "merchant_payable", amount: 400 },
      ]);
    },
  );

  test("other refunds in progress stay reserved", () => {
    const snapshot = snapshotOf("refund", { refund_pending: 900 });
    expect(outcomeOf("refund", "approved", snapshot).payment).toMatchObject({
      amount_refunded: 400,
      refund_pending: 500,
    });
    expect(outcomeOf("refund", "failed", snapshot).payment).toMatchObject({ amount_refunded: 0, refund_pending: 500 });
  });
});

describe("a request that the processor rejects as invalid", () => {
  const refused: FinalOutcome = {
    kind: "declined",
    decline_code: null,
    refusal: "Stripe takes KWD in steps of 0.010.",
  };

  test.each(["authorize", "continue", "capture", "void", "refund"] as const)("is no decline: %s", (kind) => {
    const change = applyOutcome(snapshotOf(kind), { kind, amount: 400, detail: null }, refused, NOW);
    expect(change.result).toEqual({ kind: "processor_refused", reason: refused.refusal });
    expect(change.payment.status).toBe(
      { authorize: "FAILED", continue: "FAILED", refund: "CAPTURED" }[kind as string] ?? "AUTHORIZED",
    );
    expect(change.charge.decline_code ?? null).toBeNull();
    expect(change.ledger).toEqual([]);
  });

  test.each([
    [700, "refunded_elsewhere"],
    [500, "processor_refused"],
    [0, "processor_refused"],
  ])("of a refund of 400 of 1,000 with %i refunded elsewhere is %s", (elsewhere, result) => {
    const operation = { kind: "refund", amount: 400, detail: null } as const;
    const change = applyOutcome(snapshotOf("refund"), operation, { ...refused, elsewhere }, NOW);
    expect(change.result).toMatchObject({ kind: result, ...(elsewhere > 600 && { remaining: 1_000 - elsewhere }) });
  });
});

describe("the result", () => {
  test("a void keeps its reason", () => {
    expect(outcomeOf("void", "approved").charge).toMatchObject({ void_reason: "asked", voided_at: NOW });
  });

  test("a decline keeps its code, and one without a code is generic", () => {
    expect(outcomeOf("authorize", "declined").charge.decline_code).toBe("lost_card");
    const unnamed: FinalOutcome = { kind: "declined", decline_code: null };
    const change = applyOutcome(
      snapshotOf("authorize"),
      { kind: "authorize", amount: 1_000, detail: null },
      unnamed,
      NOW,
    );
    expect(change.charge.decline_code).toBe("generic_decline");
  });

  test("a challenge is open for half an hour", () => {
    expect(outcomeOf("authorize", "action_required").payment.next_action).toEqual({
      type: "redirect_to_url",
      redirect_to_url: { url: CHALLENGE },
      expires_at: "2026-11-20T12:30:00.000Z",
    });
  });

  test("an outcome without checks keeps the known ones", () => {
    const known = snapshotOf("continue", {}, { avs_result: "Y", cvv_result: "M", fraud_score: 12 });
    expect(outcomeOf("continue", "approved", known).charge).toMatchObject({
      avs_result: "Y",
      cvv_result: "M",
      fraud_score: 12,
    });
  });

  test("the previous snapshot is not modified in place", () => {
    const before = snapshotOf("refund");
    const copy = structuredClone(before);
    outcomeOf("refund", "approved", before);
    expect(before).toEqual(copy);
  });
});
