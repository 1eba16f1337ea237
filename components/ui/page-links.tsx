import { ChevronLeft, ChevronRight } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { buttonStyles } from "./styles";

type PageLinksProps = {
  /** The list's address with its filters, without `offset`. */
  href: string;
  /** "plans" */
  what: string;
  page: { limit: number; offset: number; has_more: boolean; total: number; total_capped: boolean; data: unknown[] };
};

/** "21–40 of 45", and links to the pages before and after. */
export function PageLinks({ href, what, page }: PageLinksProps) {
  const { limit, offset, total, total_capped, has_more, data } = page;
  const to = (start: number) => (start > 0 ? `${href}${href.includes("?") ? "&" : "?"}offset=${start}` : href);
  const totalText = `${total.toLocaleString("en-US")}${total_capped ? "+" : ""}`;
  return (
    <nav aria-label="Pages" className="mt-3 flex items-center justify-between gap-4 text-[13px] text-soft">
      <p className="tabular-nums">
        {data.length > 0
          ? `${offset + 1}–${offset + data.length} of ${totalText} ${what}`
          : `0 of ${totalText} ${what}`}
      </p>
      {(offset > 0 || has_more) && (
        <div className="flex gap-2">
          <PageLink href={offset > 0 ? to(Math.max(0, offset - limit)) : null}>
            <ChevronLeft aria-hidden="true" /> Previous
          </PageLink>
          <PageLink href={has_more ? to(offset + limit) : null}>
            Next <ChevronRight aria-hidden="true" />
          </PageLink>
        </div>
      )}
    </nav>
  );
}

function PageLink({ href, children }: { href: string | null; children: ReactNode }) {
  return href === null ? null : (
    <Link href={href} className={buttonStyles({ size: "sm" })}>
      {children}
    </Link>
  );
}
