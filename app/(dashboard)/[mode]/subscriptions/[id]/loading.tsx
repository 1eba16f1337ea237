import { PaymentPageSkeleton } from "@/components/payments/payment-skeleton";

/** A subscription's page has the layout of a payment's. */
export default function Loading() {
  return <PaymentPageSkeleton what="the subscription" />;
}
