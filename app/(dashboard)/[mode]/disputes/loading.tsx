import { ListSkeleton } from "@/components/ui/skeleton";

export default function DisputesLoading() {
  return <ListSkeleton title="Disputes" />;
}
