import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";

const never = () => () => {};

/** False on the server and in the first browser render, which must be identical. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

/**
 * Passes on what was typed into a controlled input before React hydrated it, which the next render would clear.
 * Returns the input's ref.
 */
export function useEarlyText(text: string, onText: (typed: string) => void) {
  const input = useRef<HTMLInputElement>(null);
  const passOn = useEffectEvent(() => {
    const typed = input.current?.value ?? text;
    if (typed !== text) onText(typed);
  });
  useLayoutEffect(() => passOn(), []);
  return input;
}

const SHOWN_MS = 1_500;

type CopyState = "idle" | "copied" | "failed";

/**
 * Copies a text and briefly shows the result, because the clipboard may be unavailable. Resolves to true if
 * it copied.
 */
export function useCopied(): [state: CopyState, copy: (text: string) => Promise<boolean>] {
  const [state, setState] = useState<CopyState>("idle");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = useCallback(async (text: string) => {
    const copied = await tryToCopy(text);
    setState(copied ? "copied" : "failed");
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState("idle"), SHOWN_MS);
    return copied;
  }, []);
  return [state, copy];
}

/** The clipboard needs https, and the user may have blocked it. */
async function tryToCopy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
