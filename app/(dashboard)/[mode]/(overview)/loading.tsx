import { OverviewSkeleton } from "@/components/reporting/overview-skeleton";

export default function LoadingOverview() {
  return <OverviewSkeleton />;
}
