"use client";

import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";
import { otherModePath } from "@/lib/client/other-mode-path";

/** On every page of test mode, always in sight: none of this is money. */
export function TestBanner() {
  const pathname = usePathname();
  const search = useSearchParams();
  return (
    <section aria-label="Test mode" className="test-banner">
      <p>
        <strong className="font-semibold">Test mode.</strong>{" "}
        <span className="max-sm:sr-only">Sandbox cards only. </span>
        No real money moves.
      </p>
      <Link href={otherModePath(pathname, search, "live")} prefetch={false}>
        Go to live
      </Link>
    </section>
  );
}
