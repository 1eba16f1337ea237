import { Skeleton, TableSkeleton } from "@/components/ui/skeleton";

export default function Loading() {
  return (
    <>
      <div className="mb-5 flex h-8 items-center">
        <Skeleton className="h-5 w-40" />
      </div>
      <TableSkeleton />
    </>
  );
}
