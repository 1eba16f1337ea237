"use client";

import { CircleHelp, Search, X } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { Skeleton } from "@/components/ui/skeleton";
import type { ParsedSearch } from "@/lib/client/transactions/search";
import { NO_FILTERS, type TransactionFilters, type TransactionQuery } from "@/lib/contract/transactions/query";
import { currentQuery } from "./use-transactions";

// What the words mean is known by the time that somebody types.
const loadGrammar = () => import("@/lib/client/transactions/search");
const loadHelp = () => import("./search-help").then((module) => module.SearchHelp);
const SearchHelp = dynamic(loadHelp, { ssr: false, loading: () => <Skeleton className="h-80" /> });

const DEBOUNCE_MS = 250;
/** A whole id is followed at once: nothing more can come. */
const WHOLE_ID = /^\s*(pay|txn)_[0-9a-z]{26}\s*$/i;

type SearchBoxProps = {
  text: string;
  /** Counts how often something else than typing changed the filters: what is typed then adds to those. */
  epoch: number;
  onText: (text: string) => void;
  onFilters: (filters: TransactionFilters, options: { replace: boolean }) => void;
  /** An id that was typed or pasted. */
  onJump: (id: string) => void;
};

/** Filters as one types; Enter makes chips of the words and empties the box. */
export function SearchBox({ text, epoch, onText, onFilters, onJump }: SearchBoxProps) {
  const id = useId();
  const typing = useRef<{ base: TransactionFilters; changed: boolean; epoch: number } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [problem, setProblem] = useState<string | null>(null);

  const apply = (parsed: ParsedSearch) => {
    if (parsed.jump !== null) return onJump(parsed.jump);
    const state = typing.current;
    if (!state) return;
    onFilters({ ...state.base, ...parsed.filters }, { replace: state.changed });
    state.changed = true;
  };
  const settle = useEffectEvent((typed: string, parsed: ParsedSearch): void => {
    // Something else has changed the filters, or more was typed.
    if (typing.current?.epoch !== epoch || typed !== text) return;
    setProblem(parsed.problems.find((some) => !some.incomplete)?.message ?? null);
    apply(parsed);
  });
  const read = async (typed: string) => {
    const { parseSearch } = await loadGrammar();
    settle(typed, parseSearch(typed));
  };
  useEffect(() => () => clearTimeout(timer.current), []);

  const onType = (typed: string) => {
    clearTimeout(timer.current);
    if (typing.current?.epoch !== epoch) typing.current = { base: filtersOf(currentQuery()), changed: false, epoch };
    onText(typed);
    setProblem(null);
    const wait = typed === "" || WHOLE_ID.test(typed) ? 0 : DEBOUNCE_MS;
    timer.current = setTimeout(() => void read(typed), wait);
  };
  const submit = async () => {
    clearTimeout(timer.current);
    const { parseSearch } = await loadGrammar();
    const parsed = parseSearch(text);
    apply(parsed);
    typing.current = null;
    setProblem(parsed.problems.map((some) => `“${some.word}”: ${some.message}`).join(" ") || null);
    onText(parsed.problems.map((some) => some.word).join(" "));
  };

  return (
    <form
      className="relative min-w-0 flex-1 basis-full md:basis-64"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <search>
        <label htmlFor={id} className="sr-only">
          Search transactions
        </label>
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-2 left-2.5 size-4 text-soft pointer-coarse:top-3"
        />
        <input
          id={id}
          type="search"
          data-search=""
          className="control pr-16 pl-8"
          placeholder="Last 4, e-mail, id, $50, status:declined …"
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="search"
          value={text}
          aria-describedby={problem ? `${id}-problem` : undefined}
          onFocus={() => void loadGrammar()}
          onChange={(event) => onType(event.target.value)}
        />
        <span className="absolute inset-y-0 right-1 flex items-center">
          {text !== "" && (
            <button type="button" className="copy" aria-label="Empty the search box" onClick={() => onType("")}>
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
    </form>
  );
}

function filtersOf(query: TransactionQuery): TransactionFilters {
  const names = Object.keys(NO_FILTERS) as (keyof TransactionFilters)[];
  return Object.fromEntries(names.map((name) => [name, query[name]])) as TransactionFilters;
}
