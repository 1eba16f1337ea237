import { useSyncExternalStore } from "react";

/**
 * Test key for the documentation's samples. It is kept in this tab only, never in an address, a log or a
 * cookie.
 */
export type SandboxKey = { readonly secret: string; readonly expiresAt: string | null };

const NAME = "cardlane.docs.sandbox-key";
const listeners = new Set<() => void>();
let current: SandboxKey | null | undefined;

/** Reason why a text can't be a test key, or null. */
export function sandboxKeyProblem(text: string): string | null {
  if (text === "") return "Paste a key that starts with sk_test_.";
  if (text.startsWith("sk_live_")) return "This is a live key. Only test keys, which start with sk_test_, work here.";
  if (!text.startsWith("sk_test_")) return "This is not a test key: it must start with sk_test_.";
  if (!/^sk_test_[\dA-Za-z]{38}$/.test(text)) return "This key is incomplete. Copy all of it.";
  return null;
}

/** Throws if it isn't a test key; null forgets the current one. */
export function keepSandboxKey(key: SandboxKey | null): void {
  if (key !== null && sandboxKeyProblem(key.secret) !== null) throw new TypeError("Not a test key.");
  current = key;
  try {
    if (key === null) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, JSON.stringify(key));
  } catch {
    // Storage is blocked, so the key lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function read(): SandboxKey | null {
  if (current === undefined) current = kept();
  const isOver = current?.expiresAt != null && Date.parse(current.expiresAt) <= Date.now();
  if (isOver) current = null;
  return current;
}

function kept(): SandboxKey | null {
  try {
    const { secret, expiresAt } = JSON.parse(sessionStorage.getItem(NAME) ?? "{}") as Partial<SandboxKey>;
    const isKey = typeof secret === "string" && sandboxKeyProblem(secret) === null;
    return isKey ? { secret, expiresAt: typeof expiresAt === "string" ? expiresAt : null } : null;
  } catch {
    // Storage is blocked, or holds a foreign value.
    return null;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Null if there is none, as on the server. */
export const useSandboxKey = (): SandboxKey | null => useSyncExternalStore(subscribe, read, () => null);
