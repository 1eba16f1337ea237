import type { ReactNode } from "react";

type SectionHeaderProps = { title: string; description?: ReactNode; actions?: ReactNode };

/** The heading of one page of the settings, below the one of them all. */
export function SectionHeader({ title, description, actions }: SectionHeaderProps) {
  return (
    <header className="mb-4 flex flex-wrap items-start gap-x-4 gap-y-3">
      <div className="min-w-0 flex-1">
        <h2 className="font-semibold text-[15px] leading-6">{title}</h2>
        {description && <p className="max-w-2xl text-[13px] text-soft">{description}</p>}
      </div>
      {actions}
    </header>
  );
}
