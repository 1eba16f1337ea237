import type { Metadata } from "next";
import Link from "next/link";
import { SiteHeader } from "@/components/docs/docs-shell";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto max-w-[84rem] px-4 py-20 sm:px-6">
        <p className="font-mono text-soft text-xs">404</p>
        <h1 className="mt-2 font-semibold text-2xl tracking-tight">Page not found</h1>
        <p className="mt-3 max-w-lg text-soft">
          Check the address for typos, or start from the{" "}
          <Link href="/docs" className="text-accent underline underline-offset-4">
            guide
          </Link>{" "}
          or the{" "}
          <Link href="/docs/reference" className="text-accent underline underline-offset-4">
            API reference
          </Link>
          .
        </p>
      </main>
    </>
  );
}
