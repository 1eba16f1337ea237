"use client";

import { ArrowDownLeft, ArrowUpRight } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useSyncExternalStore } from "react";
import { type ApiCall, withoutSecrets } from "@/lib/contract/demo-shop";

/** Log of the shop server's API calls and of the messages between page and form, newest first. */
export function LiveLog() {
  const entries = useSyncExternalStore(liveLog.subscribe, liveLog.entries, liveLog.none);
  const [newest] = entries;
  return (
    <div className="space-y-3">
      <div className="flex items-start justify-between gap-4">
        <p className="text-soft">
          Calls of the shop’s server to the API, and messages between its page and the form. Tokens and keys are hidden.
        </p>
        <button
          type="button"
          className="button button-secondary button-sm shrink-0"
          disabled={entries.length === 0}
          onClick={liveLog.clear}
        >
          Clear
        </button>
      </div>
      <p className="sr-only" role="status">
        {newest ? entryText(newest) : "The log is empty."}
      </p>
      {entries.length === 0 ? (
        <p className="border border-dashed px-4 py-8 text-center text-soft">
          Nothing yet. Buy a print to see the calls.
        </p>
      ) : (
        <ol className="divide-y border-y" aria-label="Live log, newest first">
          {entries.map((entry) => (
            <li key={entry.id}>
              <Entry entry={entry} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

const TIME = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hour12: false,
});

function Entry({ entry }: { entry: LogEntry }) {
  return (
    <details className="group py-2">
      <summary className="flex cursor-pointer list-none flex-wrap items-baseline gap-x-2 [&::-webkit-details-marker]:hidden">
        <time dateTime={entry.at} className="font-mono text-[11px] text-soft tabular-nums">
          {TIME.format(new Date(entry.at))}
        </time>
        {entry.kind === "api" ? <CallLine entry={entry} /> : <FormLine entry={entry} />}
      </summary>
      <div className="mt-2 space-y-2 pb-1">
        {entry.kind === "api" ? <CallDetail entry={entry} /> : <Json title="Content" value={entry.payload} />}
      </div>
    </details>
  );
}

type Of<K extends LogEntry["kind"]> = { entry: Extract<LogEntry, { kind: K }> };

function CallLine({ entry: { call } }: Of<"api">) {
  const failed = call.status === null || call.status >= 400;
  return (
    <>
      <span className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">
        <b className="font-semibold">{call.method}</b> {call.path}
      </span>
      <span className="whitespace-nowrap font-mono text-xs tabular-nums">
        <span className={failed ? "text-red" : "text-green"}>{call.status ?? "no response"}</span>{" "}
        <span className="text-soft">{call.duration_ms} ms</span>
      </span>
    </>
  );
}

function FormLine({ entry }: Of<"form">) {
  const Arrow = entry.direction === "in" ? ArrowDownLeft : ArrowUpRight;
  return (
    <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2 text-xs">
      <span className="inline-flex items-baseline gap-1 font-mono">
        <Arrow className="size-3 self-center text-accent" aria-hidden="true" />
        <span className="sr-only">{entry.direction === "in" ? "From the form:" : "To the form:"}</span>
        {entry.name}
      </span>
      {entry.note && <span className="text-soft">{entry.note}</span>}
    </span>
  );
}

function CallDetail({ entry: { call } }: Of<"api">) {
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 font-mono text-[11px] text-soft [overflow-wrap:anywhere]">
        <dt>X-Api-Key</dt>
        <dd>sk_test_•••</dd>
        {call.idempotency_key && (
          <>
            <dt>X-Idempotency-Key</dt>
            <dd>{call.idempotency_key}</dd>
          </>
        )}
        {call.request_id && (
          <>
            <dt>X-Request-Id</dt>
            <dd>{call.request_id}</dd>
          </>
        )}
      </dl>
      {call.request_body !== null && <Json title="Request" value={call.request_body} />}
      <Json title="Response" value={call.response_body} />
    </>
  );
}

function Json({ title, value }: { title: string; value: unknown }) {
  return (
    <figure className="border bg-raised">
      <figcaption className="border-b px-2.5 py-1 text-[11px] text-soft">{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="max-h-72 overflow-auto" tabIndex={0} aria-label={title}>
        <pre className="w-max px-2.5 py-2 font-mono text-[11px] leading-relaxed">{JSON.stringify(value, null, 2)}</pre>
      </section>
    </figure>
  );
}

const EVERY_MS = 2_000;

/** Adds the API calls behind this page to the live log. */
export function RecordCalls({ calls }: { calls: ApiCall[] }) {
  useEffect(() => liveLog.addCalls(calls), [calls]);
  return null;
}

/** Polls the shop's server while the outcome is unknown. */
export function LookAgain() {
  const router = useRouter();
  useEffect(() => {
    const timer = setInterval(() => router.refresh(), EVERY_MS);
    return () => clearInterval(timer);
  }, [router]);
  return null;
}

/** Entries of the log, newest first. Kept in session storage, so that they survive redirects. */
type LogEntry =
  | { kind: "api"; id: string; at: string; call: ApiCall }
  /** A message from the form's frame to the page, or a call from the page to the form. */
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
  /** Snapshot for server rendering. */
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
    // Storage is full or blocked, so the log lasts as long as the page.
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

/** An entry as one line for screen readers: "POST /v1/client-sessions got 201". */
function entryText(entry: LogEntry): string {
  if (entry.kind === "form") return entry.direction === "in" ? `Form: ${entry.name}` : `Page: ${entry.name}`;
  const { method, path, status } = entry.call;
  return `${method} ${path} got ${status === null ? "no response" : status}`;
}
