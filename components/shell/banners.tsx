"use client";

import dynamic from "next/dynamic";
import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";
import { ClockEntry } from "@/components/test-clock/clock-entry";
import { missingPart } from "@/components/ui/missing-part";
import { otherModePath } from "@/lib/client/shell/other-mode-path";
import type { ClientClock } from "@/lib/client/test-clock/clock";

/** Loaded on demand, because few accounts see one. */
export const UnverifiedBanner = dynamic(() =>
  import("./account-banners").then((module) => module.UnverifiedBanner, missingPart),
);
export const WebhookBanner = dynamic(() =>
  import("./account-banners").then((module) => module.WebhookBanner, missingPart),
);

/** Always visible in test mode, where no money moves. */
export function TestBanner({ clock, mayAdvance }: { clock: ClientClock; mayAdvance: boolean }) {
  const pathname = usePathname();
  const search = useSearchParams();
  return (
    <section aria-label="Test mode" className="test-banner">
      <p>
        <strong className="font-semibold">Test mode.</strong> <span className="max-sm:sr-only">Test cards only. </span>
        <span className={clock === null ? "max-[380px]:sr-only" : "max-sm:sr-only"}>No real money moves.</span>
      </p>
      <ClockEntry clock={clock} mayAdvance={mayAdvance} />
      <Link href={otherModePath(pathname, search, "live")} prefetch={false}>
        Go to live
      </Link>
    </section>
  );
}
