import { cn } from "./styles";

/** A gray placeholder that appears after 300 ms. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden="true" className={cn("skeleton", className)} />;
}

const upTo = (count: number) => [...Array(count).keys()];

const WIDTHS = ["w-24", "w-16", "w-32", "w-20", "w-28"];

/** Sized like a real table: 40 px rows under a 32 px heading. */
export function TableSkeleton({ rows = 8, columns = 5 }: { rows?: number; columns?: number }) {
  return (
    <div className="appear-later w-full overflow-hidden">
      <output className="sr-only">Loading</output>
      <div className="flex h-8 items-center gap-6 border-b">
        {upTo(columns).map((column) => (
          <div key={column} className={cn("min-w-0 flex-1", column > 1 && "max-sm:hidden")}>
            <Skeleton className="h-2.5 w-14" />
          </div>
        ))}
      </div>
      {upTo(rows).map((row) => (
        <div key={row} className="flex h-10 items-center gap-6 border-b">
          {upTo(columns).map((column) => (
            <div key={column} className={cn("min-w-0 flex-1", column > 1 && "max-sm:hidden")}>
              <Skeleton className={cn("h-3 max-w-full", WIDTHS[(row + column) % WIDTHS.length])} />
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

/** The form beside its preview. */
export function PlanFormSkeleton() {
  return (
    <>
      <output className="sr-only">Loading</output>
      <Skeleton className="mb-6 h-6 w-48" />
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <div className="flex flex-col gap-5">
          <Skeleton className="h-8 w-full" />
          <Skeleton className="h-14 w-full" />
          <Skeleton className="h-32 w-full" />
          <Skeleton className="h-8 w-2/3" />
        </div>
        <Skeleton className="h-72 w-full" />
      </div>
    </>
  );
}

/** A balance list below its tabs. */
export function BalanceSkeleton() {
  return (
    <>
      <div className="mb-5 flex h-8 items-center">
        <Skeleton className="h-5 w-32" />
      </div>
      <div className="mb-4 flex gap-2">
        <Skeleton className="h-8 w-20" />
        <Skeleton className="h-8 w-20" />
        <Skeleton className="h-8 w-36" />
      </div>
      <TableSkeleton rows={8} columns={5} />
    </>
  );
}
