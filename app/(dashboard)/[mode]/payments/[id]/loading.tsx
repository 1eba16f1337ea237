import { PaymentPageSkeleton } from "@/components/payments/payment-skeleton";

export default function PaymentLoading() {
  return <PaymentPageSkeleton />;
}
