import { SearchX } from "lucide-react";
import type { Metadata } from "next";
import { NotFoundActions } from "@/components/shell/not-found-actions";
import { EmptyState } from "@/components/ui/empty-state";

export const metadata: Metadata = { title: "Page not found" };

export default function DashboardNotFound() {
  return (
    <EmptyState
      page
      icon={<SearchX aria-hidden="true" />}
      title="Page not found"
      description="Check the address, or switch modes: objects made in test mode do not exist in live mode, and vice versa."
      actions={<NotFoundActions />}
    />
  );
}
