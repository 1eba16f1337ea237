"use client";

import Link from "next/link";
import { buttonStyles } from "@/components/ui/button";
import { useDashboard } from "@/lib/client/dashboard-context";

/** The way back from a session that is not there. */
export function ToCheckout() {
  const { mode } = useDashboard();
  return (
    <Link href={`/${mode}/checkout`} className={buttonStyles()}>
      All sessions
    </Link>
  );
}
