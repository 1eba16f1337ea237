"use client";

import { ChevronRight, Menu as MenuIcon } from "lucide-react";
import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";
import { createContext, type ReactNode, use, useCallback, useState } from "react";
import { Button } from "@/components/ui/button";
import { Sheet } from "@/components/ui/modal";
import { otherModePath } from "@/lib/client/shell/other-mode-path";
import { MODES, type Mode } from "@/lib/contract/transactions/words";

type NavLinkProps = {
  href: string;
  /** Marked as current only on this exact page, not on those below. */
  exact?: boolean;
  /** Other paths on and below which it is marked as current. */
  sections?: readonly string[];
  /** Paths on and below which it is not. */
  apart?: readonly string[];
  children: ReactNode;
};

export function NavLink({ href, exact = false, sections = [], apart = [], children }: NavLinkProps) {
  const pathname = usePathname();
  const leaveSheet = use(LeaveSheet);
  const [isMeant, setIsMeant] = useState(false);
  const mean = () => setIsMeant(true);
  const isHere = pathname === href;
  const isBelow = !exact && isWithin(pathname, [href, ...sections]) && !isWithin(pathname, apart);
  return (
    <Link
      href={href}
      aria-current={isHere ? "page" : isBelow ? "true" : undefined}
      className="nav-link"
      // Prefetching every link costs two requests each, more than the page itself.
      prefetch={isMeant ? null : false}
      onMouseEnter={mean}
      onFocus={mean}
      onTouchStart={mean}
      onClick={leaveSheet}
    >
      {children}
    </Link>
  );
}

const isWithin = (pathname: string, paths: readonly string[]) =>
  paths.some((path) => pathname === path || pathname.startsWith(`${path}/`));

type NavFoldProps = { label: string; paths: readonly string[]; apart: readonly string[]; children: ReactNode };

/** Links that are folded away, except on their own pages. */
export function NavFold({ label, paths, apart, children }: NavFoldProps) {
  const pathname = usePathname();
  const isOpen = isWithin(pathname, paths) && !isWithin(pathname, apart);
  return (
    <details open={isOpen}>
      <summary className="nav-link cursor-pointer [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="in-open:rotate-90" />
        {label}
      </summary>
      {children}
    </details>
  );
}

/** Navigation in narrow windows: behind a button, over the page. */
export function NavSheet({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  // Bound to the page it was opened on, so that navigating closes it.
  const [openOn, setOpenOn] = useState<string | null>(null);
  const open = openOn === pathname;
  const leave = useCallback(() => setOpenOn(null), []);
  return (
    <>
      <Button
        variant="ghost"
        className="button-icon size-10"
        aria-label="Menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpenOn(pathname)}
      >
        <MenuIcon aria-hidden="true" />
      </Button>
      <Sheet
        open={open}
        onOpenChange={(next) => setOpenOn(next ? pathname : null)}
        side="left"
        title="Cardlane"
        flush
        className="nav-sheet"
      >
        <LeaveSheet value={leave}>
          <div className="flex h-full flex-col">{children}</div>
        </LeaveSheet>
      </Sheet>
    </>
  );
}

/** Closes the sheet around the navigation, if any, also for links to the current page. */
const LeaveSheet = createContext<() => void>(() => {});

const LABELS: Record<Mode, string> = { test: "Test", live: "Live" };

/** Selects the environment. Switching keeps the page and its filters. */
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
