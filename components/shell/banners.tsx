"use client";

import dynamic from "next/dynamic";
import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";
import { otherModePath } from "@/lib/client/shell/other-mode-path";

/** Loaded only by the few accounts that see one. */
export const UnverifiedBanner = dynamic(() => import("./account-banners").then((module) => module.UnverifiedBanner));
export const WebhookBanner = dynamic(() => import("./account-banners").then((module) => module.WebhookBanner));

/** On every page of test mode, always in sight: none of this is money. */
export function TestBanner() {
  const pathname = usePathname();
  const search = useSearchParams();
  return (
    <section aria-label="Test mode" className="test-banner">
      <p>
        <strong className="font-semibold">Test mode.</strong> <span className="max-sm:sr-only">Test cards only. </span>
        No real money moves.
      </p>
      <Link href={otherModePath(pathname, search, "live")} prefetch={false}>
        Go to live
      </Link>
    </section>
  );
}
