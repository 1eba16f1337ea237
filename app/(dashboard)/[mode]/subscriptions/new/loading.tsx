import { PlanFormSkeleton } from "@/components/ui/skeleton";

export default function Loading() {
  return <PlanFormSkeleton />;
}
