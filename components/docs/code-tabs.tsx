"use client";

import { createContext, type ReactNode, use, useEffect, useId, useSyncExternalStore } from "react";
import { moveTabFocus } from "@/components/ui/tabs";
import { useSandboxKey } from "@/lib/client/docs/sandbox-key";

const CODE_LANGUAGES = ["curl", "Node", "Python"] as const;
type CodeLanguage = (typeof CODE_LANGUAGES)[number];

const KEY = "cardlane.docs.language";
const listeners = new Set<() => void>();
let chosen: CodeLanguage | null = null;

/** Applies to the tabs of all pages, and is stored for the next visit. */
function choose(language: CodeLanguage): void {
  chosen = language;
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // Storage is blocked, so the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function current(): CodeLanguage {
  if (chosen === null) {
    let kept: string | null = null;
    try {
      kept = localStorage.getItem(KEY);
    } catch {
      // Storage is blocked.
    }
    chosen = CODE_LANGUAGES.find((language) => language === kept) ?? "Node";
  }
  return chosen;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const TabsId = createContext("");

/** One step in three languages, a `CodeTab` each. The page contains all of them, with two hidden. */
export function CodeTabs({ label, children }: { label: string; children: ReactNode }) {
  const id = useId();
  const language = useSyncExternalStore(subscribe, current, () => "Node" as const);
  return (
    <TabsId value={id}>
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
      {children}
    </TabsId>
  );
}

export function CodeTab({ language, children }: { language: CodeLanguage; children: ReactNode }) {
  const id = use(TabsId);
  const chosen = useSyncExternalStore(subscribe, current, () => "Node" as const);
  return (
    <div
      role="tabpanel"
      id={`${id}-${language}`}
      aria-labelledby={`${id}-${language}-tab`}
      hidden={language !== chosen}
      className="space-y-3"
    >
      {children}
    </div>
  );
}

/** Inserts the reader's own test key into the server-rendered samples, and removes it again. */
export function KeyInSamples() {
  const secret = useSandboxKey()?.secret ?? null;
  useEffect(() => {
    for (const place of document.querySelectorAll<HTMLElement>("[data-sandbox-key]")) {
      place.dataset.sandboxKey ||= place.textContent;
      place.textContent = secret ?? place.dataset.sandboxKey;
    }
  }, [secret]);
  return null;
}
