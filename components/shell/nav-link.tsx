"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { type ReactNode, use, useState } from "react";
import { LeaveSheet } from "./leave-sheet";

type NavLinkProps = {
  href: string;
  /** Marked on this page alone, not on those below. */
  exact?: boolean;
  /** Other paths below which it is marked, too. */
  sections?: readonly string[];
  children: ReactNode;
};

export function NavLink({ href, exact = false, sections = [], children }: NavLinkProps) {
  const pathname = usePathname();
  const leaveSheet = use(LeaveSheet);
  const [isMeant, setIsMeant] = useState(false);
  const mean = () => setIsMeant(true);
  const isHere = pathname === href;
  const isBelow = !exact && [href, ...sections].some((path) => pathname.startsWith(`${path}/`));
  return (
    <Link
      href={href}
      aria-current={isHere ? "page" : isBelow ? "true" : undefined}
      className="nav-link"
      // Two requests for each of all pages, with every page that is opened, would cost the service more than the page itself.
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
