import Link from "next/link";
import type { ReactNode } from "react";
import { Logo } from "@/components/ui/page-header";

export type Section = { id: string; label: string; level?: 2 };

type DocsShellProps = {
  current: DocsPath;
  /** What is on the page, for the list beside it. */
  sections: readonly Section[];
  children: ReactNode;
};

/** A documentation page: header, what is on the page, the page. */
export function DocsShell({ current, sections, children }: DocsShellProps) {
  return (
    <>
      <SiteHeader current={current} />
      <div className="mx-auto flex max-w-[84rem] gap-12 px-4 sm:px-6">
        <aside className="sticky top-12 hidden max-h-[calc(100dvh-3rem)] w-52 shrink-0 overflow-y-auto py-8 lg:block">
          <SectionLinks sections={sections} label="On this page" />
        </aside>
        <main id="content" className="min-w-0 flex-1 py-8 pb-24">
          <details className="mb-6 rounded-md border lg:hidden">
            <summary className="px-3 py-2 text-[13px] text-soft">On this page</summary>
            <div className="max-h-80 overflow-y-auto border-t px-3 py-2">
              <SectionLinks sections={sections} label="On this page, short form" />
            </div>
          </details>
          {children}
        </main>
      </div>
    </>
  );
}

function SectionLinks({ sections, label }: { sections: readonly Section[]; label: string }) {
  const group = sections.some(({ level }) => level === 2) ? "mt-2 font-medium first:mt-0" : "text-soft";
  return (
    <nav aria-label={label}>
      <ul className="text-[13px]">
        {sections.map(({ id, label: text, level }) => (
          <li key={id} className={level === 2 ? "pl-3" : group}>
            <a href={`#${id}`} className={`block py-1 hover:text-accent ${level === 2 ? "text-soft" : ""}`}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const PAGES = [
  { href: "/docs", label: "Guide" },
  { href: "/docs/quickstart", label: "Quickstart" },
  { href: "/docs/checkout", label: "Checkout" },
  { href: "/docs/reference", label: "Reference" },
  { href: "/docs/errors", label: "Errors" },
  { href: "/docs/testing", label: "Testing" },
] as const;
type DocsPath = (typeof PAGES)[number]["href"];

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
