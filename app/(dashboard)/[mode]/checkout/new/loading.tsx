import { PlanFormSkeleton } from "@/components/plans/plan-form-skeleton";

export default function Loading() {
  return <PlanFormSkeleton />;
}
