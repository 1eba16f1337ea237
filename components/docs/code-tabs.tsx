"use client";

import { type ReactNode, useId, useSyncExternalStore } from "react";
import { moveTabFocus } from "@/components/ui/tabs";

const CODE_LANGUAGES = ["curl", "Node", "Python"] as const;
type CodeLanguage = (typeof CODE_LANGUAGES)[number];

const KEY = "cardlane.docs.language";
const listeners = new Set<() => void>();
let chosen: CodeLanguage | null = null;

/** One choice for all the tabs of all pages, kept for the next visit. */
function choose(language: CodeLanguage): void {
  chosen = language;
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // Storage is forbidden: the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function current(): CodeLanguage {
  if (chosen === null) {
    let kept: string | null = null;
    try {
      kept = localStorage.getItem(KEY);
    } catch {
      // As above.
    }
    chosen = CODE_LANGUAGES.find((language) => language === kept) ?? "Node";
  }
  return chosen;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

type CodeTabsProps = {
  /** What the tabs are about, for those who hear them. */
  label: string;
  panels: Record<CodeLanguage, ReactNode>;
};

/** The same step in three languages. All of them are in the page; two are hidden. */
export function CodeTabs({ label, panels }: CodeTabsProps) {
  const id = useId();
  const language = useSyncExternalStore(subscribe, current, () => "Node" as const);
  return (
    <div>
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus */}
      <div role="tablist" aria-label={label} className="tab-bar mb-3" onKeyDown={moveTabFocus}>
        {CODE_LANGUAGES.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`${id}-${one}-tab`}
            aria-selected={one === language}
            aria-controls={`${id}-${one}`}
            tabIndex={one === language ? 0 : -1}
            className="tab"
            onClick={() => choose(one)}
          >
            {one}
          </button>
        ))}
      </div>
      {CODE_LANGUAGES.map((one) => (
        <div
          key={one}
          role="tabpanel"
          id={`${id}-${one}`}
          aria-labelledby={`${id}-${one}-tab`}
          hidden={one !== language}
          className="space-y-3"
        >
          {panels[one]}
        </div>
      ))}
    </div>
  );
}
