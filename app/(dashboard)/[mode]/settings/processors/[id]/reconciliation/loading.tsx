import { Skeleton, TableSkeleton } from "@/components/ui/skeleton";

export default function Loading() {
  return (
    <>
      <Skeleton className="mb-4 h-5 w-56" />
      <Skeleton className="mb-4 h-14" />
      <TableSkeleton rows={6} />
    </>
  );
}
