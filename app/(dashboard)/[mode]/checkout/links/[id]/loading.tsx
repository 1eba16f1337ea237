import { PaymentPageSkeleton } from "@/components/payments/payment-skeleton";

/** A link's page has the layout of a payment's. */
export default function Loading() {
  return <PaymentPageSkeleton what="the payment link" />;
}
