import Link from "next/link";
import type { ReactNode } from "react";
import { ShopDrawer } from "./shop-drawer";

type ShopPageProps = {
  /** False if there is no demo merchant. */
  isOpen: boolean;
  children: ReactNode;
};

/** Frame of the shop's pages: header, footer, and the drawer with test cards and the live log. */
export function ShopPage({ isOpen, children }: ShopPageProps) {
  return (
    <div className="shop flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-20 focus:bg-accent focus:px-3 focus:py-1.5 focus:text-on-accent"
      >
        Skip to content
      </a>
      <header className="border-b">
        <p className="border-b bg-raised px-4 py-1.5 text-center text-[12px] text-soft">
          <span className="max-sm:hidden">A sample shop. </span>Test cards only, no money moves.{" "}
          <Link href="/docs/quickstart" prefetch={false} className="text-accent underline underline-offset-2">
            Build one like it
          </Link>
        </p>
        <div className="mx-auto flex w-full max-w-6xl flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3 sm:px-8">
          <Link href="/demo" className="flex items-center gap-2.5 py-1 font-semibold text-[17px] tracking-[-0.02em]">
            <Mark />
            Halyard Prints
          </Link>
          {isOpen && <ShopDrawer />}
        </div>
      </header>
      <main id="content" className="mx-auto w-full max-w-6xl flex-1 px-4 sm:px-8">
        {children}
      </main>
      <footer className="mt-16 border-t">
        <div className="mx-auto flex w-full max-w-6xl flex-wrap justify-between gap-x-8 gap-y-2 px-4 py-6 text-[13px] text-soft sm:px-8">
          <p>Halyard Prints sells nothing: it shows how a shop takes a payment with Cardlane.</p>
          <nav aria-label="About Cardlane" className="flex flex-wrap gap-x-5">
            <FooterLink href="/docs/quickstart">Quickstart</FooterLink>
            <FooterLink href="/docs/checkout">Checkout reference</FooterLink>
            <FooterLink href="/docs/testing">Test cards</FooterLink>
            <FooterLink href="/sign-in">Dashboard</FooterLink>
          </nav>
        </div>
      </footer>
    </div>
  );
}

function FooterLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} prefetch={false} className="py-1 underline decoration-line underline-offset-4 hover:text-ink">
      {children}
    </Link>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 28 28" className="size-7" aria-hidden="true">
      <path d="M4 3h14l6 6v16H4z" className="fill-accent" />
      <path d="M9 8v12M19 12v8M9 14.5h10" className="stroke-on-accent" strokeWidth="2.6" />
    </svg>
  );
}

/** Shown when there is no demo merchant. */
export function NoShop() {
  return (
    <div className="mx-auto max-w-xl py-16 sm:py-24">
      <p className="shop-label">404</p>
      <h1 className="shop-display mt-3 text-4xl">The sample shop is closed here</h1>
      <p className="mt-5 text-base text-soft">
        It sells on behalf of the demo merchant, which <code className="tick">npm start</code> creates in an empty
        database. This database already has other merchants, or the pages run without{" "}
        <code className="tick">npm start</code>.
      </p>
      <p className="mt-3 text-base text-soft">
        To see the shop, start a copy with an empty data folder:{" "}
        <code className="tick">DATA_DIR=.data-demo PORT=3001 npm start</code>
      </p>
      <p className="mt-8 flex flex-wrap gap-3">
        <Link href="/docs/quickstart" className="shop-buy">
          Build your own in five steps
        </Link>
        <Link href="/" className="shop-buy shop-quiet">
          Home
        </Link>
      </p>
    </div>
  );
}
