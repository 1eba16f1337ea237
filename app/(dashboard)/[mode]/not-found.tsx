import { NotFoundActions } from "@/components/shell/not-found-actions";
import { EmptyState } from "@/components/ui/empty-state";

export default function DashboardNotFound() {
  return (
    <EmptyState
      page
      title="There is nothing at this address"
      description="It may have a typing error, or belong to the other mode: what was made in test mode does not exist in live mode, and the other way round."
      actions={<NotFoundActions />}
    />
  );
}
