import { PageHeader } from "./page-header";
import { cn } from "./styles";

/** A gray placeholder that appears after 300 ms. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden="true" className={cn("skeleton", className)} />;
}

const upTo = (count: number) => [...Array(count).keys()];

/**
 * A table's 40 px rows under a 32 px heading. CSS draws the bars: a page's data contains every skeleton it
 * could need.
 */
export function TableSkeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div className="appear-later">
      <output className="sr-only">Loading</output>
      <div className="skeleton-row h-8" />
      {upTo(rows).map((row) => (
        <div key={row} className="skeleton-row" />
      ))}
    </div>
  );
}

/** A list's views, its search with filters, and its rows. */
export function ListSkeleton({ title }: { title: string }) {
  return (
    <>
      <PageHeader title={title} />
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

/** A payment, a subscription or an invoice as support sees it. */
export function SupportRecordSkeleton() {
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
      <TableSkeleton rows={8} />
    </>
  );
}
