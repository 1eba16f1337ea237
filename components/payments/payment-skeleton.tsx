import { Skeleton } from "@/components/ui/skeleton";

const upTo = (count: number) => [...Array(count).keys()];

/** Placeholder with the layout of a payment's page, which other pages share. */
export function PaymentPageSkeleton({ what = "the payment" }: { what?: string }) {
  return (
    <div className="flex flex-col gap-4">
      <output className="sr-only">Loading {what}</output>
      <div className="mb-1 flex flex-col gap-2">
        <Skeleton className="h-4 w-24" />
        <Skeleton className="h-8 w-52" />
        <Skeleton className="h-4 w-72 max-w-full" />
      </div>
      <Skeleton className="h-15 w-full rounded-lg" />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex flex-col gap-4">
          <Block rows={6} />
          <Block rows={3} />
        </div>
        <div className="flex flex-col gap-4">
          <Block rows={5} />
          <Block rows={4} />
        </div>
      </div>
    </div>
  );
}

/** Placeholder of the side panel. */
export function PaymentPanelSkeleton() {
  return (
    <div className="flex flex-col gap-4">
      <output className="sr-only">Loading the payment</output>
      <Skeleton className="h-8 w-44" />
      <Skeleton className="h-4 w-64 max-w-full" />
      <Skeleton className="h-28 w-full rounded-lg" />
      <Block rows={5} />
      <Block rows={4} />
    </div>
  );
}

function Block({ rows }: { rows: number }) {
  return (
    <div className="rounded-lg border">
      <div className="flex h-11 items-center border-b px-4">
        <Skeleton className="h-3.5 w-24" />
      </div>
      <div className="flex flex-col gap-3 p-4">
        {upTo(rows).map((row) => (
          <Skeleton key={row} className={row % 2 === 0 ? "h-3.5 w-3/4" : "h-3.5 w-1/2"} />
        ))}
      </div>
    </div>
  );
}
