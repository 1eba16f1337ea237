import { SupportRecordSkeleton } from "@/components/ui/skeleton";

export default function PaymentLoading() {
  return <SupportRecordSkeleton />;
}
