import type { Metadata } from "next";
import Link from "next/link";
import { EmptyState } from "@/components/ui/empty-state";
import { buttonStyles } from "@/components/ui/styles";

export const metadata: Metadata = { title: "Not found · Support" };

export default function SupportNotFound() {
  return (
    <EmptyState
      page
      title="Not found"
      description="Check the id for typing errors. Payments, keys and merchants are never deleted."
      actions={
        <Link href="/support" prefetch={false} className={buttonStyles()}>
          Search
        </Link>
      }
    />
  );
}
