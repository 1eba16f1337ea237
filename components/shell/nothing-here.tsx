"use client";

import { SearchX } from "lucide-react";
import Link from "next/link";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { useDashboard } from "@/lib/client/dashboard-context";

type NothingHereProps = {
  /** "payment" */
  what: string;
  list:
    | "transactions"
    | "customers"
    | "disputes"
    | "checkout"
    | "checkout/links"
    | "invoices"
    | "payouts"
    | "settlement-batches"
    | "subscriptions";
  listLabel: string;
};

/** Page for an unknown id, with a link back to the list. */
export function NothingHere({ what, list, listLabel }: NothingHereProps) {
  const { mode } = useDashboard();
  return (
    <>
      <PageHeader title={what.charAt(0).toUpperCase() + what.slice(1)} />
      <EmptyState
        icon={<SearchX aria-hidden="true" />}
        title={`No such ${what}`}
        description="Check the id, and whether it belongs to test or live mode."
        actions={
          <Link href={`/${mode}/${list}`} className={buttonStyles()}>
            {listLabel}
          </Link>
        }
      />
    </>
  );
}
