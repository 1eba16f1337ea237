import { type ApiCall, withoutSecrets } from "@/lib/contract/demo-shop";

/** What has happened between the shop, the API and the form, newest first. Kept in the tab, so that a redirect loses nothing. */
export type LogEntry =
  | { kind: "api"; id: string; at: string; call: ApiCall }
  /** From the form's frame to the page, or a call of the page to the form. */
  | {
      kind: "form";
      id: string;
      at: string;
      direction: "in" | "out";
      name: string;
      note: string | null;
      payload: unknown;
    };

const KEY = "cardlane.demo.log";
const LIMIT = 100;
const NONE: readonly LogEntry[] = [];

let entries: readonly LogEntry[] | null = null;
const listeners = new Set<() => void>();

export const liveLog = {
  entries: (): readonly LogEntry[] => (entries ??= stored()),
  /** While the page comes from the server. */
  none: (): readonly LogEntry[] => NONE,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  addCalls(calls: readonly ApiCall[]): void {
    const known = new Set(liveLog.entries().map(({ id }) => id));
    const fresh = calls
      .filter(({ id }) => !known.has(id))
      .map((call) => ({ kind: "api" as const, id: call.id, at: call.at, call }));
    if (fresh.length > 0) keep([...fresh.reverse(), ...liveLog.entries()]);
  },
  addForm(direction: "in" | "out", name: string, note: string | null, payload: unknown): void {
    const id = `${Date.now()}-${Math.random().toString(36).slice(2, 8)}`;
    const at = new Date().toISOString();
    keep([{ kind: "form", id, at, direction, name, note, payload: withoutSecrets(payload) }, ...liveLog.entries()]);
  },
  clear(): void {
    keep([]);
  },
};

function keep(next: readonly LogEntry[]): void {
  entries = next.slice(0, LIMIT);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(entries));
  } catch {
    // Storage is full or forbidden: the log then lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function stored(): readonly LogEntry[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as LogEntry[];
  } catch {
    return NONE;
  }
}

/** "POST /v1/client-sessions answered 201": an entry in one line, as it is read aloud. */
export function entryText(entry: LogEntry): string {
  if (entry.kind === "form") return entry.direction === "in" ? `Form: ${entry.name}` : `Page: ${entry.name}`;
  const { method, path, status } = entry.call;
  return `${method} ${path} ${status === null ? "was not answered" : `answered ${status}`}`;
}
