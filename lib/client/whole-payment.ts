import type { ShownPayment } from "@/lib/contract/dashboard/payment-detail";
import type { Payment } from "@/lib/contract/payment";

/** As the API answers it: every transaction of a payment has these from it, refunds by being copies of the charge. */
export function wholePayment(payment: ShownPayment): Payment {
  const { description, metadata, billing_address } = payment;
  return {
    ...payment,
    transactions: payment.transactions.map((shown) => ({ ...shown, description, metadata, billing_address })),
  };
}
