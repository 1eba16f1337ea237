import { BalanceSkeleton } from "@/components/ui/skeleton";

export default function Loading() {
  return <BalanceSkeleton />;
}
