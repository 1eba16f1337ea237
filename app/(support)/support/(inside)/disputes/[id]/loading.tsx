import { SupportRecordSkeleton } from "@/components/ui/skeleton";

export default function DisputeLoading() {
  return <SupportRecordSkeleton />;
}
