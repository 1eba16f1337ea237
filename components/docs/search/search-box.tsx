"use client";

import { Search } from "lucide-react";
import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from "react";
import { ResultText } from "./results";
import type { DocsSearch, SearchResult } from "./search";

/** Max results in the list; the search page shows more. */
const SHOWN = 8;

type Loaded = DocsSearch | "loading" | "failed" | null;

/**
 * Searches the documentation in the browser. Before the index has loaded, or without JavaScript, Enter opens
 * the search page.
 */
export function DocsSearchBox() {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [loaded, setLoaded] = useState<Loaded>(null);
  const [typed, setTyped] = useState("");
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  useFocusKeys(input);

  async function load() {
    if (loaded !== null && loaded !== "failed") return;
    setLoaded("loading");
    try {
      const { loadSearch } = await import("./search");
      const search = await loadSearch();
      setLoaded(() => search);
    } catch {
      // The list shows the failure and an alternative.
      setLoaded("failed");
    }
  }

  const question = typed.trim();
  const results = typeof loaded === "function" && question !== "" ? loaded(question, SHOWN) : [];
  const shown = open && question !== "";

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key === "Escape") {
      event.preventDefault();
      if (shown) setOpen(false);
      else event.currentTarget.blur();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (results.length === 0) return;
      event.preventDefault();
      setOpen(true);
      setActive(shown ? (active + (event.key === "ArrowDown" ? 1 : -1) + results.length) % results.length : 0);
    } else if (event.key === "Enter" && shown && results[active]) {
      event.preventDefault();
      list.current?.querySelectorAll<HTMLElement>("[role=option]")[active]?.click();
    }
  }

  const following = {
    // Keep the focus in the box: the list would close before the click.
    onMouseDown: (event: MouseEvent) => event.preventDefault(),
    onClick: () => {
      setOpen(false);
      input.current?.blur();
    },
  };

  return (
    // Includes the results, so that moving the focus to them does not close the list.
    <search
      className="relative min-w-0 flex-1 md:max-w-56"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <form action="/docs/search">
        <Search aria-hidden="true" className="pointer-events-none absolute top-2 left-2 size-4 text-soft" />
        <input
          ref={input}
          type="search"
          name="q"
          autoComplete="off"
          maxLength={200}
          placeholder="Search"
          aria-label="Search the documentation"
          aria-keyshortcuts="/ Control+K Meta+K"
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={shown && results.length > 0}
          aria-controls={`${id}-results`}
          aria-activedescendant={shown && results[active] ? `${id}-${active}` : undefined}
          className="control docs-search w-full"
          value={typed}
          onFocus={() => {
            setOpen(true);
            void load();
          }}
          onChange={(event) => {
            setTyped(event.target.value);
            setActive(0);
            setOpen(true);
          }}
          onKeyDown={onKeyDown}
        />
        <span aria-hidden="true" className="kbd pointer-events-none absolute top-1.5 right-2 max-md:hidden">
          /
        </span>
      </form>
      <div hidden={!shown} className="docs-results">
        <p className="px-3 py-2 text-[13px] text-soft empty:hidden" role="status">
          {shown && sentenceOf(loaded, results)}
        </p>
        <div role="listbox" aria-label="Results" id={`${id}-results`} ref={list} className="empty:hidden">
          {results.map((result, index) => (
            <a
              key={result.href}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              tabIndex={-1}
              href={result.href}
              className="block rounded px-3 py-2 aria-selected:bg-raised"
              onMouseMove={() => setActive(index)}
              {...following}
              ref={(link) => {
                if (index === active) link?.scrollIntoView({ block: "nearest" });
              }}
            >
              <ResultText result={result} />
            </a>
          ))}
        </div>
        {results.length === SHOWN && (
          <a
            href={`/docs/search?q=${encodeURIComponent(question)}`}
            className="block border-t px-3 py-2 text-[13px] text-accent hover:underline"
            {...following}
          >
            All results
          </a>
        )}
      </div>
    </search>
  );
}

function sentenceOf(loaded: Loaded, results: readonly SearchResult[]): string {
  if (loaded === "failed") return "The search did not load. Press Enter to search on the server.";
  if (typeof loaded !== "function") return "Loading …";
  return results.length === 0 ? "Nothing found. Try fewer words, or just the start of one." : "";
}

/** Ctrl-K and a slash focus the box; the slash only while the user isn't typing. */
function useFocusKeys(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    function onKey(event: globalThis.KeyboardEvent) {
      const target = event.target as HTMLElement;
      const isTyping = target.isContentEditable || /^(?:input|textarea|select)$/i.test(target.tagName);
      const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping;
      const isK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey;
      if (!isSlash && !isK) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [input]);
}
