import { PageHeader } from "@/components/ui/page-header";
import { TableSkeleton } from "@/components/ui/skeleton";

export default function ReconciliationLoading() {
  return (
    <>
      <PageHeader title="Reconciliation" />
      <TableSkeleton rows={5} />
    </>
  );
}
