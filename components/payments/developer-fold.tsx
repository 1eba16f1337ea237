"use client";

import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useDashboard } from "@/lib/client/dashboard-context";

const KEY = "cardlane.developer";

/**
 * The technical part of a payment: open for developers, and for others once they have opened it in this
 * browser. An address with the anchor of something inside opens it too.
 */
export function DeveloperFold({ children }: { children: ReactNode }) {
  const isDeveloper = useDashboard().user.role === "developer";
  const fold = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (fold.current && (remembered() ?? isDeveloper)) fold.current.open = true;
    const reveal = () => {
      const target = document.getElementById(window.location.hash.slice(1));
      if (!target || !fold.current?.contains(target)) return;
      fold.current.open = true;
      target.scrollIntoView();
    };
    reveal();
    window.addEventListener("hashchange", reveal);
    return () => window.removeEventListener("hashchange", reveal);
  }, [isDeveloper]);
  return (
    <details ref={fold} id="developer" className="group/developer min-w-0 scroll-mt-20">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button */}
      <summary
        onClick={() => remember(!fold.current?.open)}
        className="flex list-none items-center gap-1.5 rounded-md py-1.5 font-semibold text-sm hover:bg-raised [&::-webkit-details-marker]:hidden"
      >
        <ChevronRight aria-hidden="true" className="size-4 text-soft group-open/developer:rotate-90" />
        Developer
        <span className="truncate font-normal text-[13px] text-soft">Ids, ledger, API requests and events</span>
      </summary>
      <div className="mt-2 flex min-w-0 flex-col gap-4">{children}</div>
    </details>
  );
}

/** The user's last choice in this browser; null if there is none. */
function remembered(): boolean | null {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === null ? null : kept === "open";
  } catch {
    // Storage is blocked.
    return null;
  }
}

function remember(isOpen: boolean): void {
  try {
    localStorage.setItem(KEY, isOpen ? "open" : "closed");
  } catch {
    // Storage is blocked, so the choice lasts as long as the page.
  }
}
