import { PageHeader } from "@/components/ui/page-header";
import { TableSkeleton } from "@/components/ui/skeleton";

export default function WebhooksLoading() {
  return (
    <>
      <PageHeader title="Webhooks" />
      <TableSkeleton rows={8} />
    </>
  );
}
