import { PaymentPageSkeleton } from "@/components/payments/payment-skeleton";

/** An invoice's page has the layout of a payment's. */
export default function Loading() {
  return <PaymentPageSkeleton what="the invoice" />;
}
