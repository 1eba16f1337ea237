import Link from "next/link";
import { EmptyState } from "@/components/ui/empty-state";
import { buttonStyles } from "@/components/ui/styles";

export default function SupportNotFound() {
  return (
    <EmptyState
      page
      title="No merchant has anything like that"
      description="The id may have a typing error. Nothing was deleted: payments, keys and merchants are never removed."
      actions={
        <Link href="/support" prefetch={false} className={buttonStyles()}>
          Search
        </Link>
      }
    />
  );
}
