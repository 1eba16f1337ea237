import { PageHeader } from "@/components/ui/page-header";
import { Skeleton, TableSkeleton } from "@/components/ui/skeleton";

export default function Loading() {
  return (
    <>
      <PageHeader title="Reports" />
      <div className="mb-5 flex flex-col gap-3">
        <Skeleton className="h-7 w-96 max-w-full" />
        <Skeleton className="h-7 w-80 max-w-full" />
      </div>
      <TableSkeleton rows={10} />
    </>
  );
}
