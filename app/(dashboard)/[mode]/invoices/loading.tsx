import { ListSkeleton } from "@/components/ui/skeleton";

export default function InvoicesLoading() {
  return <ListSkeleton title="Invoices" />;
}
