"use client";

import { Check, Copy } from "lucide-react";
import type { MouseEvent } from "react";
import { useCopied } from "./hooks";
import { cn } from "./styles";

const HEAD = 4;
const TAIL = 6;

type CopyIdProps = {
  id: string;
  /** Shows only the beginning and the end; the whole id is copied. */
  short?: boolean;
  /** What it is, when it is not an id: "Copy request id". */
  label?: string;
  className?: string;
};

/** An id with a button that copies it. */
export function CopyId({ id, short = false, label, className }: CopyIdProps) {
  const [state, copyText] = useCopied();

  function copy(event: MouseEvent) {
    // It often stands in a row that is a link.
    event.preventDefault();
    event.stopPropagation();
    void copyText(id);
  }

  return (
    <span className={cn("group/copy inline-flex max-w-full items-center gap-0.5 font-mono text-xs", className)}>
      <span className="truncate" title={short ? id : undefined}>
        {short ? shortId(id) : id}
      </span>
      <button
        type="button"
        onClick={copy}
        aria-label={label ?? `Copy ${id}`}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded text-soft hover:bg-line hover:text-ink [&>svg]:size-3.5"
      >
        {state === "copied" ? <Check aria-hidden="true" className="text-green" /> : <Copy aria-hidden="true" />}
      </button>
      <span className={state === "failed" ? "font-sans text-red" : "sr-only"} aria-live="polite">
        {state === "copied" ? "Copied" : state === "failed" ? "Select and copy" : ""}
      </span>
    </span>
  );
}

/** "pay_01kb2x…f9q3c7": enough to tell two apart. */
export function shortId(id: string): string {
  const head = id.indexOf("_") + 1 + HEAD;
  return id.length <= head + TAIL + 1 ? id : `${id.slice(0, head)}…${id.slice(-TAIL)}`;
}
