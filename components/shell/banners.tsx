"use client";

import dynamic from "next/dynamic";
import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";
import { missingPart } from "@/components/ui/missing-part";
import { otherModePath } from "@/lib/client/shell/other-mode-path";

/** Loaded on demand, because few accounts see one. */
export const UnverifiedBanner = dynamic(() =>
  import("./account-banners").then((module) => module.UnverifiedBanner, missingPart),
);
export const WebhookBanner = dynamic(() =>
  import("./account-banners").then((module) => module.WebhookBanner, missingPart),
);

/** Always visible in test mode, where no money moves. */
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
