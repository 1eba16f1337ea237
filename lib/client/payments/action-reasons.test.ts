import { describe, expect, test } from "vitest";
import { PAYMENT_STATUSES } from "@/lib/contract/payments/payment";
import { ROLE_PERMISSIONS } from "@/lib/contract/permissions";
import { ACTIONS } from "@/lib/contract/transactions/words";
import { availableActions } from "@/lib/domain/payments/states";
import { type ActionSubject, reasonAgainst } from "./action-reasons";

const subject = (overrides: Partial<ActionSubject> = {}): ActionSubject => ({
  type: "CHARGE",
  status: "CAPTURED",
  currency: "USD",
  captured: 10_000,
  refunded: 0,
  refundable: 10_000,
  actions: ["refund"],
  voidReason: null,
  dispute: null,
  captureReversed: false,
  ...overrides,
});
const everything = () => true;
const viewer = (permission: string) => ROLE_PERMISSIONS.viewer.some((held) => held === permission);

describe("why an action is not possible", () => {
  test("there is a reason if and only if the service does not offer the action", () => {
    for (const status of PAYMENT_STATUSES) {
      const refunded = status === "REFUNDED" ? 10_000 : 0;
      const money = {
        status,
        amount: 10_000,
        amount_captured: 10_000,
        amount_refunded: refunded,
        refund_pending: 0,
        dispute_status: null,
        capture_reversed_at: null,
      };
      for (const open_operation_id of [null, "an operation"]) {
        const actions = availableActions({ ...money, open_operation_id });
        for (const action of ACTIONS) {
          const reason = reasonAgainst(action, subject({ status, refunded, actions }), everything);
          if (actions.includes(action)) expect(reason).toBeNull();
          else expect(reason).toMatch(/^[A-Z].{20,}\.$/);
        }
      }
    }
  });

  test.each([
    ["refund", { status: "DECLINED" }, "declined"],
    ["refund", { status: "VOIDED" }, "voided"],
    ["refund", { status: "VOIDED", voidReason: "expired" }, "expired"],
    ["refund", { status: "AUTHORIZED", actions: ["capture", "void"] }, "Void it instead"],
    ["refund", { status: "REFUNDED", refunded: 10_000, refundable: 0 }, "whole $100.00"],
    ["refund", { status: "CAPTURED", refundable: 0 }, "refund of the remainder is pending"],
    ["refund", { status: "CAPTURED", dispute: "LOST" }, "dispute of this payment was lost"],
    ["refund", { status: "CAPTURED", dispute: "ACCEPTED" }, "dispute of this payment was accepted"],
    ["refund", { status: "CAPTURED", captureReversed: true }, "its money never came"],
    ["refund", { status: "PENDING" }, "not known yet"],
    ["refund", { status: "REQUIRES_ACTION" }, "3-D Secure"],
    ["refund", { type: "REFUND" }, "This is a refund"],
    ["void", { status: "SETTLED" }, "settled"],
    ["void", { status: "CAPTURED" }, "Refund it instead"],
    ["capture", { status: "CAPTURED" }, "already been captured"],
    ["capture", { status: "AUTHORIZED" }, "under way"],
  ] as const)("%s of %o says: %s", (action, overrides, words) => {
    expect(reasonAgainst(action, subject({ actions: [], ...overrides }), everything)).toContain(words);
  });

  test("a role without the permission gets that reason for actions that the payment allows", () => {
    expect(reasonAgainst("refund", subject(), viewer)).toContain("Your role does not allow");
    expect(reasonAgainst("refund", subject({ status: "DECLINED", actions: [] }), viewer)).toContain("declined");
  });
});
