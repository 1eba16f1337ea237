import { Skeleton, TableSkeleton } from "@/components/ui/skeleton";

export default function Loading() {
  return (
    <>
      <div className="mb-5 flex h-8 items-center justify-between">
        <Skeleton className="h-5 w-24" />
        <Skeleton className="h-8 w-24" />
      </div>
      <div className="mb-3 flex gap-2">
        <Skeleton className="h-8 w-32" />
        <Skeleton className="h-8 w-36" />
      </div>
      <TableSkeleton rows={8} />
    </>
  );
}
