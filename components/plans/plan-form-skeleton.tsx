import { Skeleton } from "@/components/ui/skeleton";

/** The form with the preview beside it. */
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
