import { Skeleton } from "@/components/ui/skeleton";

/** The fields beside the form's preview. */
export default function Loading() {
  return (
    <>
      <output className="sr-only">Loading</output>
      <Skeleton className="mb-6 h-6 w-40" />
      <div className="grid gap-6 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <div className="flex flex-col gap-5">
          <Skeleton className="h-48 w-full" />
          <Skeleton className="h-12 w-full" />
          <Skeleton className="h-8 w-full" />
          <Skeleton className="h-8 w-full" />
          <Skeleton className="h-8 w-full" />
        </div>
        <Skeleton className="h-140 w-full rounded-lg" />
      </div>
    </>
  );
}
