import { Skeleton, TableSkeleton } from "@/components/ui/skeleton";

export default function Loading() {
  return (
    <>
      <div className="mb-8 flex h-8 items-center justify-between">
        <Skeleton className="h-5 w-28" />
        <Skeleton className="h-8 w-36" />
      </div>
      <div className="mb-3 flex gap-4 border-b pb-3">
        {["w-8", "w-12", "w-20", "w-16", "w-20"].map((width, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never move
          <Skeleton key={index} className={`h-3 ${width}`} />
        ))}
      </div>
      <TableSkeleton rows={8} />
    </>
  );
}
