import { SupportRecordSkeleton } from "@/components/ui/skeleton";

export default function SubscriptionLoading() {
  return <SupportRecordSkeleton />;
}
