import { PageHeader } from "@/components/ui/page-header";
import { Skeleton, TableSkeleton } from "@/components/ui/skeleton";

export default function IdempotencyLoading() {
  return (
    <>
      <PageHeader
        title="Idempotency"
        description="What a key was first used for, the result, and what a retry would return."
      />
      <Skeleton className="mt-6 mb-4 h-9 w-full max-w-2xl" />
      <TableSkeleton rows={10} />
    </>
  );
}
