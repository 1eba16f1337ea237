import { keepableText } from "@/lib/contract/card-numbers";
import { counts } from "@/lib/counts";
import { createBuckets } from "@/lib/rate-limits";

/** Kinds that are counted separately. Texts that differ each time share one more. */
const MAX_KINDS = 100;
const KIND_LENGTH = 100;
const SUMMARY_MS = 60_000;

/** Characters of a line, and of one text in a line that is too long. */
const MAX_LINE = 16_000;
const MAX_TEXT = 1_000;
const MAX_MEMBERS = 30;
const MAX_DEPTH = 5;

export type LineLimits = {
  /**
   * True if a line of this kind may be written now. Calls `onLeftOut` before the next line that may, and once
   * a minute.
   */
  take(kind: string): boolean;
};

export function createLineLimits(
  onLeftOut: (kind: string, count: number) => void,
  now: () => number = () => performance.now(),
): LineLimits {
  const buckets = createBuckets("logLinesOfKind", { now });
  const total = createBuckets("logLines", { now });
  const kinds = new Set<string>();
  const leftOut = new Map<string, number>();
  let isAwaited = false;

  function report(kind: string): void {
    const count = leftOut.get(kind);
    if (count === undefined) return;
    leftOut.delete(kind);
    onLeftOut(kind, count);
  }

  function reportAll(): void {
    isAwaited = false;
    for (const kind of [...leftOut.keys()]) report(kind);
  }

  /** Lines that differ only in numbers are of one kind. */
  function known(text: string): string {
    const kind = text.slice(0, KIND_LENGTH).replace(/\d{1,20}/g, "0");
    if (!kinds.has(kind) && kinds.size >= MAX_KINDS) return "other";
    kinds.add(kind);
    return kind;
  }

  return {
    take(text) {
      const kind = known(text);
      if (buckets.take(kind).waitMs > 0 || total.take("").waitMs > 0) {
        counts.logLinesLeftOut++;
        leftOut.set(kind, (leftOut.get(kind) ?? 0) + 1);
        if (!isAwaited) setTimeout(reportAll, SUMMARY_MS).unref();
        isAwaited = true;
        return false;
      }
      report(kind);
      return true;
    },
  };
}

/**
 * Truncates a line of JSON that is too long, and keeps it valid JSON: long texts and lists in it are cut and
 * marked.
 */
export function shortenLine(line: string): string {
  if (line.length <= MAX_LINE) return line;
  const { level, time, msg, ...others } = JSON.parse(line) as Record<string, unknown>;
  const whole = { level, time, msg, ...others };
  const short = JSON.stringify(shortened(whole, 0));
  if (short.length <= MAX_LINE) return `${short}\n`;
  return `${JSON.stringify(shortened({ level, time, msg, left_out: `${line.length} characters` }, 0))}\n`;
}

function shortened(value: unknown, depth: number): unknown {
  if (typeof value === "string") return shortenText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return "…";
  if (Array.isArray(value)) {
    const kept = value.slice(0, MAX_MEMBERS).map((each) => shortened(each, depth + 1));
    return value.length > MAX_MEMBERS ? [...kept, `… ${value.length - MAX_MEMBERS} more`] : kept;
  }
  const members = Object.entries(value);
  const kept = members.slice(0, MAX_MEMBERS).map(([name, each]) => [shortenText(name), shortened(each, depth + 1)]);
  if (members.length > MAX_MEMBERS) kept.push(["…", `${members.length - MAX_MEMBERS} more`]);
  return Object.fromEntries(kept);
}

/** Masks before truncating, because half a card number would not be recognized. */
const shortenText = (text: string) =>
  text.length > MAX_TEXT ? `${keepableText(text, MAX_TEXT + 1)} [${text.length - MAX_TEXT} more characters]` : text;
