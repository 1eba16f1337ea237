"use client";

import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";
import { otherModePath } from "@/lib/client/other-mode-path";
import { MODES, type Mode } from "@/lib/contract/transaction-words";

const LABELS: Record<Mode, string> = { test: "Test", live: "Live" };

/** Which environment's data is shown. Switching keeps the page and its filters. */
export function ModeSwitch({ mode }: { mode: Mode }) {
  const pathname = usePathname();
  const search = useSearchParams();
  return (
    <nav aria-label="Mode" className="mode-switch">
      {MODES.map((each) => (
        <Link
          key={each}
          href={otherModePath(pathname, search, each)}
          aria-current={each === mode ? "true" : undefined}
          prefetch={false}
        >
          <span aria-hidden="true" className="mode-dot" data-mode={each} />
          {LABELS[each]}
          <span className="sr-only"> mode</span>
        </Link>
      ))}
    </nav>
  );
}
