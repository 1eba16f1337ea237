import { PaymentPageSkeleton } from "@/components/payments/payment-skeleton";

export default function TransactionLoading() {
  return <PaymentPageSkeleton />;
}
