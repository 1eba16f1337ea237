import { SearchX } from "lucide-react";
import { ToTransactions } from "@/components/shell/not-found-actions";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";

export default function PaymentNotFound() {
  return (
    <>
      <PageHeader title="Payment" />
      <EmptyState
        icon={<SearchX aria-hidden="true" />}
        title="There is no such payment here"
        description="Check the id, and whether the payment was made in test or live mode: each has its own."
        actions={<ToTransactions />}
      />
    </>
  );
}
