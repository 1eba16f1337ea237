import { PageHeader } from "@/components/ui/page-header";
import { TableSkeleton } from "@/components/ui/skeleton";

export default function RequestLoading() {
  return (
    <>
      <PageHeader title="Request" />
      <TableSkeleton rows={8} />
    </>
  );
}
