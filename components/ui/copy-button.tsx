"use client";

import type { MouseEvent } from "react";
import { useCopied } from "./use-copied";

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
