import { ListSkeleton } from "@/components/ui/skeleton";

export default function SubscriptionsLoading() {
  return <ListSkeleton title="Subscriptions" />;
}
