import { SearchX } from "lucide-react";
import { ToCheckout } from "@/components/shell/not-found-actions";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";

export default function SessionNotFound() {
  return (
    <>
      <PageHeader title="Client session" />
      <EmptyState
        icon={<SearchX aria-hidden="true" />}
        title="There is no such client session here"
        description="Check the id, and whether the session was created in test or live mode: each has its own."
        actions={<ToCheckout />}
      />
    </>
  );
}
