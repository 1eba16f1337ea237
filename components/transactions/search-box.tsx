"use client";

import { CircleHelp, Search, X } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/floating";
import { useEarlyText } from "@/components/ui/hooks";
import { missingPart } from "@/components/ui/missing-part";
import { Skeleton } from "@/components/ui/skeleton";
import { NO_FILTERS, type TransactionFilters } from "@/lib/contract/transactions/filters";
import type { ParsedSearch, SearchProblem } from "@/lib/contract/transactions/search";
import { currentQuery } from "./use-transactions";

// Loaded lazily, usually before the user types.
type Grammar = typeof import("@/lib/contract/transactions/search");
const loadGrammar = (): Promise<Grammar> => import("@/lib/contract/transactions/search");
const loadHelp = () => import("./search-help").then((module) => module.SearchHelp, missingPart);
const SearchHelp = dynamic(loadHelp, { ssr: false, loading: () => <Skeleton className="h-80" /> });

const DEBOUNCE_MS = 250;
/** Opened without debounce, because a complete id can't get longer. */
const WHOLE_ID = /^\s*(pay|txn|inv|pm)_[0-9a-z]{26}\s*$/i;

type SearchBoxProps = {
  text: string;
  /** Counts filter changes from elsewhere; text typed afterwards adds to those. */
  epoch: number;
  /** Default currency of amounts, unless the list has one. */
  currency: string | undefined;
  onText: (text: string) => void;
  onFilters: (filters: TransactionFilters, options: { replace: boolean }) => void;
  /** Called with a typed or pasted id. */
  onJump: (id: string) => void;
};

/** Currency of an amount without one: the list's only currency, or else the merchant's most used. */
function unitOf({ currency: listed = [] }: TransactionFilters, preferred: string | undefined): string | undefined {
  return listed.length === 1 ? listed[0] : preferred;
}

/** Filters while typing; Enter turns the terms into chips and empties the box. */
export function SearchBox({ text, epoch, currency, onText, onFilters, onJump }: SearchBoxProps) {
  const id = useId();
  const typing = useRef<{ base: TransactionFilters; changed: boolean; epoch: number } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [problem, setProblem] = useState<string | null>(null);
  // Other interpretations of the text, offered as choices.
  const [question, setQuestion] = useState<Pick<SearchProblem, "word" | "message" | "choices"> | null>(null);

  const apply = (parsed: ParsedSearch, withSearch: Grammar["withSearch"]) => {
    if (parsed.jump !== null) return onJump(parsed.jump);
    const state = typing.current;
    if (!state) return;
    onFilters({ ...NO_FILTERS, ...withSearch(state.base, parsed) }, { replace: state.changed });
    state.changed = true;
  };
  const settle = useEffectEvent((typed: string, { parseSearch, withSearch }: Grammar): void => {
    // Superseded: filters changed elsewhere, or more was typed.
    if (typing.current?.epoch !== epoch || typed !== text) return;
    const parsed = parseSearch(typed, unitOf(typing.current.base, currency));
    const question = parsed.problems.find((some) => some.choices) ?? parsed.hint ?? null;
    setQuestion(question);
    setProblem(parsed.problems.find((some) => !some.incomplete && some !== question)?.message ?? null);
    if (!parsed.waits) apply(parsed, withSearch);
  });
  const read = async (typed: string) => {
    settle(typed, await loadGrammar());
  };
  useEffect(() => () => clearTimeout(timer.current), []);

  const onType = (typed: string) => {
    clearTimeout(timer.current);
    if (typing.current?.epoch !== epoch) {
      const { sort, page, perPage, ...base } = currentQuery();
      typing.current = { base, changed: false, epoch };
    }
    onText(typed);
    setProblem(null);
    setQuestion(null);
    const wait = typed === "" || WHOLE_ID.test(typed) ? 0 : DEBOUNCE_MS;
    timer.current = setTimeout(() => void read(typed), wait);
  };
  const input = useEarlyText(text, onType);
  const submit = async () => {
    clearTimeout(timer.current);
    const { parseSearch, withSearch } = await loadGrammar();
    const parsed = parseSearch(text, unitOf(typing.current?.base ?? {}, currency));
    apply(parsed, withSearch);
    typing.current = null;
    const question = parsed.problems.find((some) => some.choices) ?? null;
    setQuestion(question);
    const problems = parsed.problems.filter((some) => some !== question);
    setProblem(problems.map(({ word, message }) => (word ? `“${word}”: ${message}` : message)).join(" ") || null);
    onText(parsed.problems.map((some) => some.word).join(" "));
  };

  return (
    <form
      className="min-w-0 flex-1 basis-full md:basis-64"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <search className="relative block">
        <label htmlFor={id} className="sr-only">
          Search payments
        </label>
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-2 left-2.5 size-4 text-soft pointer-coarse:top-3"
        />
        <input
          ref={input}
          id={id}
          type="search"
          data-search=""
          className="control pr-16 pl-8"
          placeholder="Name, e-mail, last 4, id, $50, status:declined …"
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="search"
          value={text}
          aria-describedby={problem ? `${id}-problem` : undefined}
          onFocus={() => void loadGrammar()}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            // Otherwise browsers clear the box, and the page closes the panel.
            event.preventDefault();
            event.currentTarget.blur();
          }}
          onChange={(event) => onType(event.target.value)}
        />
        <span className="absolute inset-y-0 right-1 flex items-center">
          {text !== "" && (
            <button type="button" className="copy" aria-label="Clear the search box" onClick={() => onType("")}>
              <X aria-hidden="true" />
            </button>
          )}
          <Popover>
            <PopoverTrigger asChild>
              <button
                type="button"
                className="copy"
                aria-label="How to search"
                onPointerEnter={() => void loadHelp()}
                onFocus={() => void loadHelp()}
              >
                <CircleHelp aria-hidden="true" />
              </button>
            </PopoverTrigger>
            <PopoverContent label="How to search" align="end" className="w-96">
              <SearchHelp />
            </PopoverContent>
          </Popover>
        </span>
      </search>
      <output id={`${id}-problem`} className={problem ? "mt-1 block text-red text-xs" : "sr-only"}>
        {problem}
      </output>
      <output className={question ? "mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-soft text-xs" : "sr-only"}>
        {question?.message}
        {question?.choices?.map(({ label, text: meant }) => (
          <Button key={meant} size="sm" onClick={() => onType(text.replace(question.word, meant))}>
            {label}
          </Button>
        ))}
      </output>
    </form>
  );
}
