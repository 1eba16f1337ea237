import { PageHeader } from "@/components/ui/page-header";
import { Skeleton, TableSkeleton } from "@/components/ui/skeleton";

export default function TransactionsLoading() {
  return (
    <>
      <PageHeader title="Transactions" />
      <div className="flex h-9 items-center gap-4 border-b">
        {["w-6", "w-20", "w-16", "w-14"].map((width) => (
          <Skeleton key={width} className={`h-3 ${width}`} />
        ))}
      </div>
      <div className="flex items-center gap-2 pt-3 pb-9">
        <Skeleton className="h-8 flex-1" />
        <Skeleton className="h-8 w-24 max-md:hidden" />
        <Skeleton className="h-8 w-24 max-md:hidden" />
      </div>
      <TableSkeleton rows={14} />
    </>
  );
}
