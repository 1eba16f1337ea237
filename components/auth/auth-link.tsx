import Link from "next/link";
import type { ReactNode } from "react";

export function AuthLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link
      href={href}
      className="text-accent underline decoration-accent/40 underline-offset-3 hover:decoration-current"
    >
      {children}
    </Link>
  );
}
