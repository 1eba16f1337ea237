import { ChevronRight } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { cn } from "./styles";

type Crumb = { label: ReactNode; href?: string };

type PageHeaderProps = {
  title: ReactNode;
  description?: ReactNode;
  /** Breadcrumbs, without the page itself. */
  crumbs?: readonly Crumb[];
  badge?: ReactNode;
  actions?: ReactNode;
};

export function PageHeader({ title, description, crumbs, badge, actions }: PageHeaderProps) {
  return (
    <header className="mb-5">
      {crumbs && crumbs.length > 0 && (
        <nav aria-label="Breadcrumb" className="mb-1.5">
          <ol className="flex flex-wrap items-center gap-1 text-[13px] text-soft">
            {crumbs.map((crumb, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: breadcrumbs have only a position
              <li key={index} className="flex items-center gap-1">
                {crumb.href ? (
                  <Link href={crumb.href} prefetch={false} className="hover:text-ink">
                    {crumb.label}
                  </Link>
                ) : (
                  crumb.label
                )}
                <ChevronRight aria-hidden="true" className="size-3.5" />
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <div className="flex min-w-0 flex-1 basis-48 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 font-semibold text-xl leading-8 tracking-tight [overflow-wrap:anywhere]">{title}</h1>
          {badge}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {description && <p className="mt-1.5 max-w-2xl text-[13px] text-soft">{description}</p>}
    </header>
  );
}

type SectionHeaderProps = { title: string; description?: ReactNode; actions?: ReactNode };

/** Heading of a settings page, below the shared one. */
export function SectionHeader({ title, description, actions }: SectionHeaderProps) {
  return (
    <header className="mb-4 flex flex-wrap items-start gap-x-4 gap-y-3">
      <div className={cn("min-w-0 flex-1", description && "basis-64")}>
        <h2 className="font-semibold text-[15px] leading-6">{title}</h2>
        {description && <p className="max-w-2xl text-[13px] text-soft">{description}</p>}
      </div>
      {actions}
    </header>
  );
}

/** Logo and name; the link around it has the accessible name. */
export function Logo() {
  return (
    <span className="flex items-center gap-2 font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" className="size-5" aria-hidden="true">
        <rect width="32" height="32" rx="7" className="fill-accent" />
        <path d="M6 12.5h20" className="stroke-on-accent" strokeWidth="4" />
        <path d="M6 21h6M15 21h11" className="stroke-on-accent" strokeWidth="2.5" strokeOpacity=".72" />
      </svg>
      Cardlane
    </span>
  );
}
