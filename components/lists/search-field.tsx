"use client";

import { Search } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { Input } from "@/components/ui/field";
import { useEarlyText } from "@/components/ui/hooks";
import { HOLDS_SECRET, holdsSecret } from "@/lib/contract/secrets";

const DEBOUNCE_MS = 250;

type SearchFieldProps = {
  /** "Search subscriptions" */
  label: string;
  placeholder: string;
  /** The list's current search terms. */
  text: string;
  onSearch: (text: string) => void;
  maxLength?: number;
};

/** Searches while typing. */
export function SearchField({ label, placeholder, text, onSearch, maxLength = 200 }: SearchFieldProps) {
  const id = useId();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [typed, setTyped] = useState(text);
  const [known, setKnown] = useState(text);
  // The terms changed elsewhere: by a chip, a view or Back.
  if (text !== known) {
    setKnown(text);
    if (text !== typed.trim()) setTyped(text);
  }
  const isRefused = holdsSecret(typed);
  useEffect(() => () => clearTimeout(timer.current), []);

  function search(value: string, waitMs: number) {
    clearTimeout(timer.current);
    const terms = value.trim();
    if (terms === text || holdsSecret(terms)) return;
    timer.current = setTimeout(() => onSearch(terms), waitMs);
  }

  const type = (value: string) => {
    setTyped(value);
    search(value, DEBOUNCE_MS);
  };
  const input = useEarlyText(typed, type);

  return (
    <form
      className="min-w-0 flex-1 basis-full md:basis-64"
      onSubmit={(event) => {
        event.preventDefault();
        search(typed, 0);
      }}
    >
      <search className="relative block">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-2 left-2.5 size-4 text-soft pointer-coarse:top-3"
        />
        <Input
          ref={input}
          type="search"
          data-search=""
          aria-label={label}
          aria-invalid={isRefused || undefined}
          aria-describedby={`${id}-problem`}
          placeholder={placeholder}
          className="pl-8"
          maxLength={maxLength}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="search"
          value={typed}
          onChange={({ target }) => type(target.value)}
        />
      </search>
      <output id={`${id}-problem`} className={isRefused ? "mt-1 block text-red text-xs" : "sr-only"}>
        {isRefused && HOLDS_SECRET}
      </output>
    </form>
  );
}
