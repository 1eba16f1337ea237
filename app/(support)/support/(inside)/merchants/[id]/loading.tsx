import { Skeleton, TableSkeleton } from "@/components/ui/skeleton";

export default function MerchantLoading() {
  return (
    <>
      <Skeleton className="mb-2 h-7 w-56" />
      <Skeleton className="mb-6 h-4 w-80 max-w-full" />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <TableSkeleton rows={10} />
        <TableSkeleton rows={6} />
      </div>
    </>
  );
}
