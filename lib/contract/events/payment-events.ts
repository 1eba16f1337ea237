import { z } from "zod";
import * as objects from "@/lib/contract/example-objects";
import { payment } from "@/lib/contract/payments/payment";
import { transaction } from "@/lib/contract/transactions/transaction";

/**
 * Event data: the object as in the API at that time, and the previous values of changed members; null in an
 * object's first event.
 */
export const dataOf = <O extends z.ZodType, P extends z.ZodType>(object: O, previous: P) =>
  z.strictObject({ object, previous: previous.nullable() });

/** The first event of an object. */
export const first = <O>(object: O) => ({ object, previous: null });

/** `previous` lists the payment's changed transactions, each with its id and its changed members. */
const paymentData = dataOf(
  payment,
  payment
    .omit({ transactions: true })
    .partial()
    .extend({ transactions: z.array(transaction.partial().required({ id: true })).optional() }),
);
const transactionData = dataOf(transaction, transaction.partial());

const { CHARGE_ID } = objects;
const AUTHORIZED = objects.paymentOf(objects.authorizedCharge, [], "manual");
const CAPTURED_AT = objects.capturedCharge.updated_at;
const SETTLED_AT = objects.settlementBatch.created_at;
const REVERSED_AT = "2026-11-23T08:15:02.640Z";
const BATCH_ID = objects.settlementBatch.id;
const settled = { ...objects.charge, status: "SETTLED", settled_at: SETTLED_AT } as const;
/** An authorization of which only `updated_at` changed. */
const stillAuthorized = { ...AUTHORIZED, updated_at: CAPTURED_AT };
const failedRefund = {
  ...objects.refund,
  status: "FAILED",
  refunded_at: null,
  updated_at: "2026-11-20T12:06:22.801Z",
} as const;

const wholeRefund = { ...objects.refund, amount: 4999 } as const;
const wholeRefunded = {
  ...objects.refundedCharge,
  status: "REFUNDED" as const,
  amount_refunded: 4999,
  amount_refundable: 0,
  available_actions: [],
};
/** The captured payment before its refund was accepted, with the amount reserved. */
const beforeRefund = {
  status: "CAPTURED" as const,
  amount_refunded: 0,
  transactions: [
    {
      id: CHARGE_ID,
      status: "CAPTURED" as const,
      amount_refunded: 0,
      refunded_at: null,
      updated_at: objects.charge.updated_at,
    },
    { id: objects.refund.id, status: "PENDING" as const, captured_at: null, refunded_at: null },
  ],
  updated_at: objects.charge.updated_at,
};

/** Events of payments, their charges and their refunds. */
export const PAYMENT_EVENTS = {
  "payment.authorized": {
    summary: "The card's issuer holds the amount; capture it or void it before `capture_before` of its charge.",
    data: paymentData,
    example: first(AUTHORIZED),
  },
  "payment.captured": {
    summary: "The amount, or the captured part of it, was taken from the card.",
    data: paymentData,
    example: first(objects.paymentOf(objects.charge)),
  },
  "payment.requires_action": {
    summary: "The card's issuer wants the shopper to confirm the payment at the address in `next_action`.",
    data: paymentData,
    example: first({
      ...objects.paymentOf(objects.pendingCharge),
      status: "REQUIRES_ACTION" as const,
      next_action: {
        type: "redirect_to_url" as const,
        redirect_to_url: { url: "https://cardlane.example/challenge/4Zl0" },
        expires_at: "2026-11-20T10:00:00.016Z",
      },
    }),
  },
  "payment.declined": {
    summary: "The card was declined and no money moved; `decline_code` of the charge says why.",
    data: paymentData,
    example: first(
      objects.paymentOf({ ...objects.pendingCharge, status: "DECLINED", decline_code: "insufficient_funds" }),
    ),
  },
  "payment.failed": {
    summary: "The processor could not complete the payment and no money moved.",
    data: paymentData,
    example: first(objects.paymentOf({ ...objects.pendingCharge, status: "FAILED" })),
  },
  "payment.capture_failed": {
    summary: "A capture failed. The authorization remains and can be captured again or voided.",
    data: paymentData,
    example: {
      object: stillAuthorized,
      previous: { available_actions: [], updated_at: AUTHORIZED.updated_at },
    },
  },
  "payment.voided": {
    summary:
      "The authorization was released without taking money: by you, or because it expired. If the payment is DECLINED or FAILED, the processor approved it later, and Cardlane returned the money.",
    data: paymentData,
    example: {
      object: objects.paymentOf(objects.voidedCharge, [], "manual"),
      previous: {
        status: "AUTHORIZED",
        amount_capturable: 4999,
        transactions: [
          {
            id: CHARGE_ID,
            status: "AUTHORIZED",
            void_reason: null,
            capture_before: objects.authorizedCharge.capture_before,
            voided_at: null,
            updated_at: objects.authorizedCharge.updated_at,
          },
        ],
        updated_at: AUTHORIZED.updated_at,
      },
    },
  },
  "payment.void_failed": {
    summary:
      "A void failed. The authorization remains and can be voided again or captured. If the payment is DECLINED or FAILED, the processor approved it later; Cardlane tries again to return the money.",
    data: paymentData,
    example: {
      object: stillAuthorized,
      previous: { available_actions: [], updated_at: AUTHORIZED.updated_at },
    },
  },
  "payment.settled": {
    summary: "The captured amount settled in the batch that its charge names.",
    data: paymentData,
    example: {
      object: objects.paymentOf({ ...settled, settlement_batch_id: BATCH_ID, updated_at: SETTLED_AT }),
      previous: {
        status: "CAPTURED",
        transactions: [
          {
            id: CHARGE_ID,
            status: "CAPTURED",
            settlement_batch_id: null,
            settled_at: null,
            updated_at: objects.charge.updated_at,
          },
        ],
        updated_at: objects.charge.updated_at,
      },
    },
  },
  "payment.partially_refunded": {
    summary: "A part of the payment was refunded; `amount_refundable` is what is left.",
    data: paymentData,
    example: { object: objects.paymentOf(objects.refundedCharge, [objects.refund]), previous: beforeRefund },
  },
  "payment.refunded": {
    summary: "All that was captured is refunded.",
    data: paymentData,
    example: {
      object: objects.paymentOf(wholeRefunded, [wholeRefund]),
      previous: beforeRefund,
    },
  },
  "payment.refunded_externally": {
    summary:
      "Money was refunded at the processor, such as in its dashboard, and not through Cardlane. It counts in `amount_refunded`, and is a refund among `transactions`.",
    data: paymentData,
    example: {
      object: objects.paymentOf(objects.refundedCharge, [{ ...objects.refund, refund_reason: null }]),
      previous: beforeRefund,
    },
  },
  "payment.capture_reversed": {
    summary:
      "The processor reported, days after a capture, that it failed: the money never came. The status stays, and nothing can be refunded; settle it with your customer.",
    data: paymentData,
    example: {
      object: objects.paymentOf({
        ...objects.charge,
        amount_refundable: 0,
        available_actions: [],
        capture_reversed_at: REVERSED_AT,
        updated_at: REVERSED_AT,
      }),
      previous: {
        amount_refundable: 4999,
        available_actions: ["refund"],
        capture_reversed_at: null,
        updated_at: objects.charge.updated_at,
      },
    },
  },
  "payment.refund_reversed": {
    summary:
      "A refund that the processor had accepted failed later: its amount can be refunded again, and the status is what the other refunds make it.",
    data: paymentData,
    example: {
      object: objects.paymentOf({ ...objects.charge, updated_at: failedRefund.updated_at }, [failedRefund]),
      previous: {
        status: "PARTIALLY_REFUNDED",
        amount_refunded: 1500,
        amount_refundable: 3499,
        updated_at: objects.refund.updated_at,
      },
    },
  },
  "transaction.pending": {
    summary:
      "The outcome of a charge or refund isn't known yet, or the shopper has to confirm it first. Another event follows with the outcome.",
    data: transactionData,
    example: first(objects.pendingCharge),
  },
  "transaction.authorized": {
    summary: "The card's issuer holds the amount of a charge.",
    data: transactionData,
    example: first(objects.authorizedCharge),
  },
  "transaction.captured": {
    summary:
      "A charge took its amount from the card, or the processor accepted a refund: see `type`. Also when the only refund of a charge failed later.",
    data: transactionData,
    example: first(objects.charge),
  },
  "transaction.settled": {
    summary:
      "A charge or refund went into the settlement batch that it names; a refunded charge keeps its status. Also when the only refund of a settled charge failed later.",
    data: transactionData,
    example: {
      object: { ...settled, settlement_batch_id: BATCH_ID, updated_at: SETTLED_AT },
      previous: {
        status: "CAPTURED",
        settlement_batch_id: null,
        settled_at: null,
        updated_at: objects.charge.updated_at,
      },
    },
  },
  "transaction.voided": {
    summary: "The authorization of a charge was released without taking money: by you, or because it expired.",
    data: transactionData,
    example: {
      object: objects.voidedCharge,
      previous: {
        status: "AUTHORIZED",
        available_actions: ["capture", "void"],
        void_reason: null,
        capture_before: objects.authorizedCharge.capture_before,
        voided_at: null,
        updated_at: objects.authorizedCharge.updated_at,
      },
    },
  },
  "transaction.refunded": {
    summary: "A charge was refunded in full.",
    data: transactionData,
    example: {
      object: wholeRefunded,
      previous: {
        status: "CAPTURED",
        amount_refunded: 0,
        amount_refundable: 4999,
        available_actions: ["refund"],
        refunded_at: null,
        updated_at: objects.charge.updated_at,
      },
    },
  },
  "transaction.partially_refunded": {
    summary: "A part of a charge was refunded, or one of its refunds failed later and the others stand.",
    data: transactionData,
    example: {
      object: objects.refundedCharge,
      previous: {
        status: "CAPTURED",
        amount_refunded: 0,
        refunded_at: null,
        updated_at: objects.charge.updated_at,
      },
    },
  },
  "transaction.declined": {
    summary: "The card was declined; `decline_code` of the charge says why.",
    data: transactionData,
    example: first({
      ...objects.pendingCharge,
      status: "DECLINED" as const,
      decline_code: "insufficient_funds" as const,
    }),
  },
  "transaction.failed": {
    summary:
      "A charge could not be completed and no money moved, or a refund failed, immediately or after it was accepted.",
    data: transactionData,
    example: first({ ...objects.pendingCharge, status: "FAILED" as const }),
  },
  "refund.succeeded": {
    summary: "The processor accepted a refund; its money is on the way to the card.",
    data: transactionData,
    example: first(objects.refund),
  },
  "refund.failed": {
    summary: "A refund failed, either immediately or after it was accepted; its amount can be refunded again.",
    data: transactionData,
    example: {
      object: failedRefund,
      previous: {
        status: "CAPTURED",
        refunded_at: objects.refund.refunded_at,
        updated_at: objects.refund.updated_at,
      },
    },
  },
} as const;
