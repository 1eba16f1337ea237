import { PageHeader } from "@/components/ui/page-header";
import { TableSkeleton } from "@/components/ui/skeleton";

export default function AuditLoading() {
  return (
    <>
      <PageHeader title="Audit" />
      <TableSkeleton rows={12} />
    </>
  );
}
