import type { PaymentStatus } from "@/lib/contract/payments/payment";
import type { CardName } from "./client";
import type { ProcessorName } from "./processors";

/** The contract as plain TypeScript: a payment after each request, with no database, processor or clock. */
export type ModelPayment = {
  id: string;
  charge: string;
  card: CardName;
  status: PaymentStatus;
  amount: number;
  captured: number;
  refunded: number;
  settled: boolean;
  refunds: { id: string; amount: number; status: "CAPTURED" | "SETTLED" | "FAILED" }[];
};

/** The expected response to a request, and its effect. */
export type Expected = { status: number; code: string | null; apply(refundId: string): void };

const refused = (status: number, code: string): Expected => ({ status, code, apply: () => {} });

/**
 * The final response to a new payment (possibly after a 202), and the status it leaves. Stripe and Adyen
 * authorize and capture in one step.
 */
export function expectCreate(
  card: CardName,
  manual: boolean,
  processor: ProcessorName = "sandbox",
): { status: number; code: string | null; paymentStatus: PaymentStatus } {
  const declined = { status: 402, code: "card_declined", paymentStatus: "DECLINED" } as const;
  if (card === "declined" || card === "fraud") return declined;
  // Authorized but not captured: the merchant may capture it later, or void it.
  if (card === "captureFails" && !manual && (processor === "sandbox" || processor === "other"))
    return { status: 402, code: "payment_failed", paymentStatus: "AUTHORIZED" };
  if (card === "garbage") return { status: 402, code: "payment_failed", paymentStatus: "FAILED" };
  if (card === "challenge") return { status: 201, code: null, paymentStatus: "REQUIRES_ACTION" };
  return { status: 201, code: null, paymentStatus: manual ? "AUTHORIZED" : "CAPTURED" };
}

export function expectCapture(payment: ModelPayment, amount: number | null): Expected {
  if (payment.status !== "AUTHORIZED") return refused(409, "invalid_state");
  if ((amount ?? 0) > payment.amount) return refused(422, "amount_exceeds_capturable");
  if (payment.card === "captureFails") return refused(402, "payment_failed");
  return {
    status: 200,
    code: null,
    apply() {
      payment.status = "CAPTURED";
      payment.captured = amount ?? payment.amount;
    },
  };
}

export function expectVoid(payment: ModelPayment): Expected {
  if (payment.status !== "AUTHORIZED") return refused(409, "invalid_state");
  return {
    status: 200,
    code: null,
    apply() {
      payment.status = "VOIDED";
    },
  };
}

export function expectRefund(payment: ModelPayment, amount: number | null): Expected {
  if (!["CAPTURED", "SETTLED", "PARTIALLY_REFUNDED"].includes(payment.status)) return refused(409, "invalid_state");
  const remaining = payment.captured - payment.refunded;
  const asked = amount ?? remaining;
  if (asked > remaining) return refused(422, "amount_exceeds_refundable");
  return {
    status: 201,
    code: null,
    apply(id) {
      payment.refunded += asked;
      payment.refunds.push({ id, amount: asked, status: "CAPTURED" });
      payment.status = statusOf(payment);
    },
  };
}

export function settle(payments: ModelPayment[]): void {
  for (const payment of payments) {
    if (payment.captured === 0) continue;
    payment.settled = true;
    payment.status = statusOf(payment);
    for (const refund of payment.refunds) if (refund.status === "CAPTURED") refund.status = "SETTLED";
  }
}

/** Fails every refund on the card whose refunds fail later. */
export function failRefunds(payments: ModelPayment[]): void {
  for (const payment of payments.filter(({ card }) => card === "refundFailsLater")) {
    for (const { id } of payment.refunds.filter(({ status }) => status !== "FAILED")) failRefund(payment, id);
  }
}

/** Fails a refund that was accepted. */
export function failRefund(payment: ModelPayment, id: string): void {
  const refund = payment.refunds.find((one) => one.id === id);
  if (!refund || refund.status === "FAILED") throw new Error(`refund ${id} cannot fail`);
  refund.status = "FAILED";
  payment.refunded -= refund.amount;
  payment.status = statusOf(payment);
}

function statusOf({ captured, refunded, settled }: ModelPayment): PaymentStatus {
  if (refunded === captured) return "REFUNDED";
  if (refunded > 0) return "PARTIALLY_REFUNDED";
  return settled ? "SETTLED" : "CAPTURED";
}

/** The payment that GET must return. */
export function shown(payment: ModelPayment) {
  const { id, status, amount, captured, refunded } = payment;
  const refundable = captured - refunded;
  const actions = status === "AUTHORIZED" ? ["capture", "void"] : refundable > 0 ? ["refund"] : [];
  return {
    id,
    status,
    amount,
    amount_captured: captured,
    amount_capturable: status === "AUTHORIZED" ? amount : 0,
    amount_refunded: refunded,
    amount_refundable: refundable,
    available_actions: actions,
    charge_status: status === "REQUIRES_ACTION" ? "PENDING" : status,
    refunds: payment.refunds.map((refund) => `${refund.id} ${refund.amount} ${refund.status}`),
  };
}
