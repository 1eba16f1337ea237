"use client";

import Link from "next/link";
import { buttonStyles } from "@/components/ui/button";
import { useDashboard } from "@/lib/client/dashboard-context";

/** The way back from a payment that is not there. */
export function ToTransactions() {
  const { mode } = useDashboard();
  return (
    <Link href={`/${mode}/transactions`} className={buttonStyles()}>
      All transactions
    </Link>
  );
}
