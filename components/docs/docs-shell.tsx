import type { ReactNode } from "react";
import { type DocsPath, SiteHeader } from "./site-header";

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
