"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { type ReactNode, use } from "react";
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
  const isHere = pathname === href;
  const isBelow = !exact && [href, ...sections].some((path) => pathname.startsWith(`${path}/`));
  return (
    <Link
      href={href}
      aria-current={isHere ? "page" : isBelow ? "true" : undefined}
      className="nav-link"
      onClick={leaveSheet}
    >
      {children}
    </Link>
  );
}
