import { Skeleton } from "@/components/ui/skeleton";

export default function Loading() {
  return (
    <div className="flex max-w-3xl flex-col gap-6">
      <output className="sr-only">Loading</output>
      <Skeleton className="h-6 w-40" />
      <Skeleton className="h-8 w-96 max-w-full" />
      <Skeleton className="h-36 w-full" />
      <Skeleton className="h-80 w-full" />
    </div>
  );
}
