import { PageHeader } from "@/components/ui/page-header";
import { TableSkeleton } from "@/components/ui/skeleton";

export default function RequestsLoading() {
  return (
    <>
      <PageHeader title="Requests" />
      <TableSkeleton rows={10} />
    </>
  );
}
