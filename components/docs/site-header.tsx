import Link from "next/link";
import { Logo } from "@/components/ui/logo";

const PAGES = [
  { href: "/docs", label: "Guide" },
  { href: "/docs/quickstart", label: "Quickstart" },
  { href: "/docs/checkout", label: "Checkout" },
  { href: "/docs/reference", label: "Reference" },
  { href: "/docs/errors", label: "Errors" },
  { href: "/docs/testing", label: "Testing" },
] as const;
export type DocsPath = (typeof PAGES)[number]["href"];

/** The bar at the top of every public page; `current` is the page that the reader is on or below. */
export function SiteHeader({ current }: { current?: DocsPath }) {
  return (
    <header className="sticky top-0 z-10 border-b bg-ground">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-20 focus:rounded focus:bg-accent focus:px-3 focus:py-1.5 focus:text-on-accent"
      >
        Skip to content
      </a>
      <div className="mx-auto flex max-w-[84rem] flex-wrap items-center gap-x-8 px-4 sm:px-6">
        <Link href="/" className="flex h-12 items-center" aria-label="Cardlane home">
          <Logo />
        </Link>
        <nav
          aria-label="Documentation"
          className="-mx-2 flex items-center overflow-x-auto text-[13px] [scrollbar-width:none] max-md:order-last max-md:w-[calc(100%+1rem)]"
        >
          {PAGES.map(({ href, label }) => (
            <Link
              key={href}
              href={href}
              aria-current={current === href ? "page" : undefined}
              className="relative flex h-10 items-center px-2 text-soft max-sm:px-1.5 after:absolute after:inset-x-2 after:bottom-0 after:h-0.5 hover:text-ink aria-[current]:text-ink aria-[current]:after:bg-accent md:h-12"
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-5 text-[13px]">
          <a href="/v1/openapi.json" className="font-mono text-xs text-soft hover:text-ink max-sm:hidden">
            openapi.json
          </a>
          <Link href="/sign-in" prefetch={false} className="text-soft hover:text-ink">
            Sign in
          </Link>
        </div>
      </div>
    </header>
  );
}
