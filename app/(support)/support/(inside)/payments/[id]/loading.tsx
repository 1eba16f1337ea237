import { Skeleton, TableSkeleton } from "@/components/ui/skeleton";

export default function PaymentLoading() {
  return (
    <>
      <Skeleton className="mb-2 h-8 w-44" />
      <Skeleton className="mb-6 h-4 w-96 max-w-full" />
      <Skeleton className="mb-4 h-16 w-full" />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <TableSkeleton rows={8} />
        <TableSkeleton rows={6} />
      </div>
    </>
  );
}
