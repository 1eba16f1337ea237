import { SupportRecordSkeleton } from "@/components/ui/skeleton";

export default function InvoiceLoading() {
  return <SupportRecordSkeleton />;
}
