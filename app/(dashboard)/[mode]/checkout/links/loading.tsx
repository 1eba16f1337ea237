import { Skeleton, TableSkeleton } from "@/components/ui/skeleton";

export default function Loading() {
  return (
    <>
      <div className="mb-8 flex h-8 items-center justify-between">
        <Skeleton className="h-5 w-28" />
        <Skeleton className="h-8 w-36" />
      </div>
      <div className="mb-6 flex gap-4 border-b pb-3">
        <Skeleton className="h-3 w-16" />
        <Skeleton className="h-3 w-24" />
      </div>
      <TableSkeleton rows={8} />
    </>
  );
}
