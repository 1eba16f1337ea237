import { Skeleton } from "@/components/ui/skeleton";

/** Placeholder with the overview's exact layout, so that nothing moves when it loads. */
export function OverviewSkeleton() {
  return (
    <div>
      <output className="sr-only">Loading the overview</output>
      <div className="mb-5 flex flex-wrap items-center justify-between gap-3">
        <div>
          <Skeleton className="mb-2 block h-6 w-32" />
          <Skeleton className="block h-4 w-64 max-w-full" />
        </div>
        <Skeleton className="block h-8 w-96 max-w-full" />
      </div>
      <div className="grid grid-cols-1 overflow-hidden rounded-lg border sm:grid-cols-2 lg:grid-cols-4">
        {["gross", "net", "refunds", "approval"].map((tile) => (
          <div key={tile} className="-mr-px -mb-px h-[7.125rem] border-r border-b px-4 py-3">
            <Skeleton className="mb-3 block h-4 w-24" />
            <Skeleton className="mb-3 block h-6 w-36" />
            <Skeleton className="block h-3 w-28" />
          </div>
        ))}
      </div>
      <div className="mt-4 grid gap-4 lg:grid-cols-3">
        <Box className="h-90 lg:col-span-2" />
        <Box className="h-90" />
        <Box className="h-85 lg:col-span-2" />
        <Box className="h-85" />
      </div>
    </div>
  );
}

function Box({ className }: { className: string }) {
  return (
    <div className={`rounded-lg border ${className}`}>
      <div className="border-b px-4 py-3">
        <Skeleton className="block h-4 w-32" />
      </div>
      <div className="p-4">
        <Skeleton className="mb-3 block h-4 w-3/4" />
        <Skeleton className="block h-4 w-1/2" />
      </div>
    </div>
  );
}
