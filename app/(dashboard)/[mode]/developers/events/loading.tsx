import { PageHeader } from "@/components/ui/page-header";
import { TableSkeleton } from "@/components/ui/skeleton";

export default function EventsLoading() {
  return (
    <>
      <PageHeader title="Events" />
      <TableSkeleton rows={8} />
    </>
  );
}
