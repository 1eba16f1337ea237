import { ChevronLeft, ChevronRight } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { buttonStyles, cn } from "./styles";

/** Adds the set filters to an address. */
export function withFilters(path: string, filters: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(filters).filter((each): each is [string, string] => Boolean(each[1]));
  const search = new URLSearchParams(given).toString();
  return search ? `${path}?${search}` : path;
}

type PageLinksProps = {
  /** The list's address with its filters, without `offset`. */
  href: string;
  /** "plans" */
  what: string;
  /** Without `total` if nothing was counted. */
  page: { limit: number; offset: number; has_more: boolean; total?: number; total_capped?: boolean; data: unknown[] };
};

const singular = (what: string) => what.replace(/ies$/, "y").replace(/(ch)es$|s$/, "$1");

/** "21–40 of 45", with links to the previous and next page. Nothing for an empty list. */
export function PageLinks({ href, what, page }: PageLinksProps) {
  const { limit, offset, total, total_capped, has_more, data } = page;
  if (total === 0) return null;
  const isOnlyOne = total === 1 || (total === undefined && offset === 0 && data.length === 1 && !has_more);
  const to = (start: number) => (start > 0 ? `${href}${href.includes("?") ? "&" : "?"}offset=${start}` : href);
  const of = total === undefined ? "" : ` of ${total.toLocaleString("en-US")}${total_capped ? "+" : ""}`;
  return (
    <nav aria-label="Pages" className="mt-3 flex items-center justify-between gap-4 text-[13px] text-soft">
      <p className="tabular-nums">
        {isOnlyOne
          ? `1 ${singular(what)}`
          : data.length > 0
            ? `${offset + 1}–${offset + data.length}${of} ${what}`
            : `0${of} ${what}`}
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
    <Link href={href} prefetch={false} className={buttonStyles({ size: "sm" })}>
      {children}
    </Link>
  );
}

type TabLinksProps = { label: string; tabs: readonly { label: string; href: string; current: boolean }[] };

/** Tabs as links, so that they can be shared and Back works. */
export function TabLinks({ label, tabs }: TabLinksProps) {
  return (
    <nav aria-label={label} className="mb-3">
      <ul className="tab-bar">
        {tabs.map(({ label: name, href, current }) => (
          <li key={href}>
            <Link href={href} aria-current={current ? "page" : undefined} className="tab" scroll={false}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

type ColumnHeadsProps = { columns: readonly (readonly [name: string, className: string])[]; className?: string };

/** Column headings of a list. */
export function ColumnHeads({ columns, className }: ColumnHeadsProps) {
  return (
    <thead className={className}>
      <tr className="h-8 border-b text-soft text-xs">
        {columns.map(([name, style]) => (
          <th key={name} scope="col" className={cn("font-medium", style)}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
