import { Skeleton, TableSkeleton } from "@/components/ui/skeleton";

export default function Loading() {
  return (
    <>
      <Skeleton className="mb-4 h-5 w-36" />
      <TableSkeleton rows={6} />
    </>
  );
}
