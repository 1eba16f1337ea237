"use client";

import type { MouseEvent } from "react";
import { useCopied } from "./hooks";

/** Copies the code of the figure it stands in, so that the text is sent to the browser only once. */
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

/** Code to copy, under its name. */
export function CodeFigure({ title, code, onCopied }: CodeFigureProps) {
  return (
    <figure className="overflow-hidden rounded-md border bg-raised">
      <figcaption className="flex items-center justify-between border-b py-1 pr-1.5 pl-3 text-xs">
        {title}
        <CopyButton {...(onCopied && { onCopied })} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="max-h-96 overflow-auto" tabIndex={0} aria-label={title}>
        <pre className="w-max px-3 py-2.5 font-mono text-[12.5px] text-ink leading-[1.6]">
          <code>{code}</code>
        </pre>
      </section>
    </figure>
  );
}
