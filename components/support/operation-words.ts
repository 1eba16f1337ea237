import type { InsideOperation } from "@/lib/contract/support/payment-inside";

export const OPERATION_WORDS: Record<InsideOperation["kind"], string> = {
  authorize: "Authorization",
  continue: "3-D Secure result",
  capture: "Capture",
  void: "Void",
  refund: "Refund",
};
