import Link from "next/link";
import type { ReactNode } from "react";
import { Logo } from "@/components/ui/page-header";
import { KeyInSamples } from "./code-tabs";
import { DocsSearchBox } from "./search/search-box";

export type Section = { id: string; label: string; level?: 2 };

type DocsShellProps = {
  current: DocsPath;
  /** Sections listed beside the page. */
  sections: readonly Section[];
  children: ReactNode;
  /** URL of the page's Markdown version; only guides have one. */
  markdown?: string;
};

/** A documentation page: header, table of contents, content, and links to the machine-readable form. */
export function DocsShell({ current, sections, children, markdown }: DocsShellProps) {
  return (
    <>
      {markdown && <link rel="alternate" type="text/markdown" href={markdown} />}
      <SiteHeader current={current} />
      <KeyInSamples />
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
          {markdown && (
            <p className="mt-16 border-t pt-4 text-[13px]">
              <a href={markdown} className="text-soft underline-offset-2 hover:text-ink hover:underline">
                View as Markdown
              </a>
            </p>
          )}
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

/** Documentation pages in navigation order, with their descriptions. */
export const DOCS_PAGES = [
  {
    href: "/docs",
    label: "Guide",
    about:
      "From a key to a payment, its webhook and its request in the log. How the API behaves: keys, idempotency, errors, money, paging, limits.",
  },
  {
    href: "/docs/quickstart",
    label: "Quickstart",
    about:
      "Take a payment in five steps: a key, a session, the form, the payment, the result. With curl, Node or Python.",
  },
  {
    href: "/docs/checkout",
    label: "Checkout",
    about:
      "The payment form in your page: script, options, callbacks, errors, appearance, languages, payment links, card tokens.",
  },
  {
    href: "/docs/subscriptions",
    label: "Subscriptions",
    about:
      "From zero to a renewal in five minutes: plans, trials, invoices, failed payments, changes, dates, events and errors.",
  },
  {
    href: "/docs/disputes",
    label: "Disputes",
    about:
      "From a disputed payment to winning it: evidence, files, submitting, accepting, and what each processor takes.",
  },
  {
    href: "/docs/webhooks",
    label: "Webhooks",
    about: "Notifications to your server: endpoints, signatures, retries, and every event.",
  },
  {
    href: "/docs/processors",
    label: "Processors",
    about: "Real cards through Stripe or Adyen: connecting, card data, routing, 3-D Secure, disputes, reconciliation.",
  },
  {
    href: "/docs/mcp",
    label: "MCP",
    about: "Connect an AI assistant: what it can do, what it asks you to confirm, and what it never does.",
  },
  {
    href: "/docs/reference",
    label: "Reference",
    about: "Every API endpoint: parameters, bodies, responses, errors and a sample request.",
  },
  { href: "/docs/errors", label: "Errors", about: "Every API error code: its cause and what to do." },
  {
    href: "/docs/testing",
    label: "Testing",
    about:
      "Test cards for every outcome, the test clock, what the AVS and CVV letters mean, and how the fraud score is calculated.",
  },
  {
    href: "/docs/going-live",
    label: "Going live",
    about: "What to set up, check and watch before and after the first real payment.",
  },
  { href: "/docs/changelog", label: "Changelog", about: "What the API and its tools offer, and what’s new." },
] as const;
export type DocsPath = (typeof DOCS_PAGES)[number]["href"];

/** Description of a page for search engines. */
export const aboutPage = (path: DocsPath): string => DOCS_PAGES.find(({ href }) => href === path)?.about ?? "";

/** Navigation at the top of every public page; `current` is the page's section. */
export function SiteHeader({ current }: { current?: DocsPath }) {
  return (
    <header className="sticky top-0 z-10 short:static border-b bg-ground">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-20 focus:rounded focus:bg-accent focus:px-3 focus:py-1.5 focus:text-on-accent"
      >
        Skip to content
      </a>
      <div className="mx-auto flex max-w-[84rem] items-center gap-x-5 px-4 max-md:flex-wrap sm:px-6 xl:gap-x-8">
        <Link href="/" className="flex h-12 items-center" aria-label="Cardlane home">
          <Logo />
        </Link>
        <nav
          aria-label="Documentation"
          className="-mx-2 flex min-w-0 items-center overflow-x-auto text-[13px] [scrollbar-width:none] max-md:order-last max-md:w-[calc(100%+1rem)]"
        >
          {DOCS_PAGES.map(({ href, label }) => (
            <Link
              key={href}
              href={href}
              aria-current={current === href ? "page" : undefined}
              className="relative flex h-10 items-center whitespace-nowrap px-2 text-soft max-sm:px-1.5 after:absolute after:inset-x-2 after:bottom-0 after:h-0.5 hover:text-ink aria-[current]:[scroll-initial-target:nearest] aria-[current]:text-ink aria-[current]:after:bg-accent md:h-12"
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className="flex min-w-0 flex-1 items-center justify-end gap-5 text-[13px]">
          <DocsSearchBox />
          <Link href="/sign-in" prefetch={false} className="shrink-0 text-soft hover:text-ink">
            Sign in
          </Link>
        </div>
      </div>
    </header>
  );
}
