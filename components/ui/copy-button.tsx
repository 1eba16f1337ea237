"use client";

import { type MouseEvent, useState } from "react";

const SHOWN_MS = 1_500;

/** Copies the code of the figure it stands in, so that the text is sent to the browser only once. */
export function CopyButton({ onCopied }: { onCopied?: () => void }) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");

  async function copy(event: MouseEvent<HTMLButtonElement>) {
    const code = event.currentTarget.closest("figure")?.querySelector("code")?.textContent ?? "";
    try {
      await navigator.clipboard.writeText(code);
      setState("copied");
      onCopied?.();
    } catch {
      setState("failed");
    }
    setTimeout(() => setState("idle"), SHOWN_MS);
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
