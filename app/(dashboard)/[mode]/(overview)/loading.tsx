import { OverviewSkeleton } from "@/components/overview/overview-skeleton";

export default function LoadingOverview() {
  return <OverviewSkeleton />;
}
