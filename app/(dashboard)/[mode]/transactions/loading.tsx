import { ListSkeleton } from "@/components/ui/skeleton";

export default function TransactionsLoading() {
  return <ListSkeleton title="Payments" />;
}
