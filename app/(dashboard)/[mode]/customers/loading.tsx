import { Skeleton, TableSkeleton } from "@/components/ui/skeleton";

export default function Loading() {
  return (
    <>
      <Skeleton className="mb-5 h-8 w-32" />
      <Skeleton className="mb-3 h-8 w-full max-w-xl" />
      <TableSkeleton rows={8} />
    </>
  );
}
