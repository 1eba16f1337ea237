import { Skeleton } from "@/components/ui/skeleton";

export default function Loading() {
  return (
    <div className="flex flex-col gap-4">
      <output className="sr-only">Loading</output>
      <Skeleton className="h-5 w-36" />
      <div className="flex max-w-xl flex-col gap-5 pt-3">
        {["a", "b", "c"].map((field) => (
          <div key={field} className="flex flex-col gap-2">
            <Skeleton className="h-3 w-24" />
            <Skeleton className="h-8 w-full" />
          </div>
        ))}
        <Skeleton className="h-8 w-28" />
      </div>
    </div>
  );
}
