import Link from "next/link";
import type { ReactNode } from "react";
import { Logo } from "@/components/ui/page-header";

/** Plain frame of the pages before sign-in. */
export default function AuthLayout({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-14 items-center justify-between px-4 sm:px-6">
        <Link href="/" aria-label="Cardlane home">
          <Logo />
        </Link>
        <Link href="/docs" className="text-[13px] text-soft hover:text-ink">
          Documentation
        </Link>
      </header>
      <main id="content" className="flex flex-1 flex-col items-center px-4 pt-[8vh] pb-16 sm:px-6">
        {children}
      </main>
    </div>
  );
}
