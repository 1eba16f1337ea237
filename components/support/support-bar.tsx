"use client";

import { LogOut } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/styles";
import { toast } from "@/components/ui/toast";
import { signOut } from "@/lib/client/accounts/sign-out";

/** Thin violet bar as a reminder that this user works across all merchants. */
export function SupportBar({ name }: { name: string }) {
  return (
    <header className="sticky top-0 z-20 short:static border-violet border-b-2 bg-violet-ground text-[13px] print:hidden">
      <div className="mx-auto flex w-full max-w-[80rem] flex-wrap items-center gap-x-6 px-4 sm:px-6 lg:px-8">
        <Link href="/support" prefetch={false} className="flex h-10 items-center rounded font-semibold text-violet">
          Cardlane support
        </Link>
        <SupportNav />
        <div className="ml-auto flex h-10 min-w-0 items-center gap-3">
          <span className="truncate max-sm:hidden">
            <span className="sr-only">Signed in as </span>
            {name}
          </span>
          <SupportSignOut />
        </div>
      </div>
    </header>
  );
}

const PAGES = [
  { href: "/support", label: "Search" },
  { href: "/support/unknown-outcomes", label: "Unknown outcomes" },
  { href: "/support/reconciliation", label: "Reconciliation" },
  { href: "/support/audit", label: "Audit" },
];

function SupportNav() {
  const pathname = usePathname();
  return (
    <nav aria-label="Support" className="max-sm:order-last max-sm:-mx-2 max-sm:w-full">
      <ul className="flex items-center">
        {PAGES.map(({ href, label }) => {
          const here = pathname === href;
          return (
            <li key={href}>
              <Link
                href={href}
                prefetch={false}
                aria-current={here ? "page" : undefined}
                className={cn(
                  "-mb-0.5 flex h-10 items-center border-b-2 px-2 max-sm:h-9",
                  here ? "border-violet font-medium text-ink" : "border-transparent text-soft hover:text-ink",
                )}
              >
                {label}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function SupportSignOut() {
  const [pending, setPending] = useState(false);
  return (
    <Button
      variant="ghost"
      size="sm"
      pending={pending}
      icon={<LogOut aria-hidden="true" />}
      className="-mr-2"
      onClick={() => {
        setPending(true);
        signOut("staff").catch(() => {
          setPending(false);
          toast.error("You are still signed in: the service could not be reached.");
        });
      }}
    >
      Sign out
    </Button>
  );
}
