"use client";

import { Check, Copy } from "lucide-react";
import type { MouseEvent } from "react";
import { shortId } from "@/lib/contract/format";
import { useCopied } from "./hooks";
import { cn } from "./styles";

/** Copies the code of its figure, so that the text is sent to the browser only once. */
export function CopyButton({ onCopied }: { onCopied?: () => void }) {
  const [state, copyText] = useCopied();

  async function copy(event: MouseEvent<HTMLButtonElement>) {
    const code = event.currentTarget.closest("figure")?.querySelector("code")?.textContent ?? "";
    if (await copyText(code)) onCopied?.();
  }

  return (
    <button
      type="button"
      onClick={copy}
      className="rounded px-1.5 py-0.5 text-xs text-soft hover:bg-line hover:text-ink"
    >
      <span aria-live="polite">{state === "copied" ? "Copied" : state === "failed" ? "Select and copy" : "Copy"}</span>
    </button>
  );
}

type CodeFigureProps = { title: string; code: string; onCopied?: () => void };

/** Titled code with a copy button. */
export function CodeFigure({ title, code, onCopied }: CodeFigureProps) {
  return (
    <figure className="overflow-hidden rounded-md border bg-raised">
      <figcaption className="flex items-center justify-between border-b py-1 pr-1.5 pl-3 text-xs">
        {title}
        <CopyButton {...(onCopied && { onCopied })} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section className="max-h-96 overflow-auto" tabIndex={0} aria-label={title}>
        <pre className="w-max px-3 py-2.5 font-mono text-[12.5px] text-ink leading-[1.6]">
          <code>{code}</code>
        </pre>
      </section>
    </figure>
  );
}

type CopyIdProps = {
  id: string;
  /** Abbreviates the id; the whole one is copied. */
  short?: boolean;
  /** Label if it isn't an id: "Copy request id". */
  label?: string;
  className?: string;
};

/** An id with a copy button. */
export function CopyId({ id, short = false, label, className }: CopyIdProps) {
  const [state, copyText] = useCopied();

  function copy(event: MouseEvent) {
    // Often inside a row that is a link.
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
