import { PageHeader } from "@/components/ui/page-header";
import { TableSkeleton } from "@/components/ui/skeleton";

export default function UnknownOutcomesLoading() {
  return (
    <>
      <PageHeader title="Unknown outcomes" />
      <TableSkeleton rows={6} />
    </>
  );
}
