"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { useHydrated } from "@/components/ui/hooks";

/** Column of the width of a form. */
export function AuthColumn({ children }: { children: ReactNode }) {
  return <div className="w-full max-w-[22rem]">{children}</div>;
}

/** Rules for a new password. */
export const PASSWORD_HINT = "At least 12 characters, and not a common password. Several words are fine.";

export function AuthHeading({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <header className="mb-6">
      <h1 className="font-semibold text-xl leading-8 tracking-tight">{title}</h1>
      {children && <div className="text-[13px] text-soft">{children}</div>}
    </header>
  );
}

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

/**
 * Submit button of the pages before sign-in. It does nothing before hydration, because the browser's own
 * submit would lose the typed values.
 */
export function AuthSubmit({ pending, children }: { pending: boolean; children: ReactNode }) {
  const hydrated = useHydrated();
  return (
    <Button
      type="submit"
      variant="primary"
      pending={pending}
      disabled={!hydrated}
      className="h-9 disabled:cursor-auto disabled:opacity-100"
    >
      {children}
    </Button>
  );
}
