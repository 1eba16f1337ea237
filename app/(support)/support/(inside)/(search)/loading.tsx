import { Skeleton, TableSkeleton } from "@/components/ui/skeleton";

export default function SearchLoading() {
  return (
    <>
      <h1 className="mb-1 font-semibold text-xl leading-8 tracking-tight">Search all merchants</h1>
      <Skeleton className="mb-6 h-9 w-full max-w-2xl" />
      <TableSkeleton rows={6} />
    </>
  );
}
