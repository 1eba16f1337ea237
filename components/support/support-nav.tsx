"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { cn } from "@/components/ui/class-names";

const PAGES = [
  { href: "/support", label: "Search" },
  { href: "/support/unknown-outcomes", label: "Unknown outcomes" },
  { href: "/support/audit", label: "Audit" },
];

export function SupportNav() {
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
