import { isUtf8 } from "node:buffer";
import { format } from "node:util";
import { maskCardNumbers } from "@/lib/contract/card-numbers";

/** Time that a possible start of a card number is held back while its line is incomplete. */
const HOLD_MS = 20;
const MAX_HELD = 2_000;
/** Max other characters between two digits of one number. */
const MAX_GAP = 6;

type Done = (error?: Error | null) => void;
/** The part of a stream that is used here; `process.stdout` has it. */
export type OutputStream = { write(chunk: never, encoding?: never, done?: never): boolean };
type Write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done) => boolean;

const MASKED = Symbol.for("cardlane.masked-output");
type Masked = { [MASKED]?: Write };

/**
 * Masks card numbers in everything that is written to a stream from now on, even if a number is split between
 * writes. Text that was held back is written with the next write, after `HOLD_MS`, or by the returned
 * function.
 */
export function maskStream(stream: OutputStream): () => void {
  const masked = stream as Masked & { write: Write };
  if (masked[MASKED]) return () => {};
  const write: Write = stream.write.bind(stream) as Write;
  masked[MASKED] = write;
  let held = "";
  let waiting: Done[] = [];
  let timer: NodeJS.Timeout | null = null;

  function flush(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    if (held === "" && waiting.length === 0) return;
    const [text, done] = [held, waiting];
    held = "";
    waiting = [];
    write(maskCardNumbers(text), "utf8", (error) => {
      for (const each of done) each(error);
    });
  }

  masked.write = (chunk, encodingOrDone, maybeDone) => {
    const done = typeof encodingOrDone === "function" ? encodingOrDone : maybeDone;
    const encoding = typeof encodingOrDone === "string" ? encodingOrDone : "utf8";
    const isText = typeof chunk === "string" && /^utf-?8$/i.test(encoding);
    const bytes = isText ? null : typeof chunk === "string" ? Buffer.from(chunk, encoding) : Buffer.from(chunk);
    if (bytes !== null && !isUtf8(bytes)) {
      // Binary, or part of a UTF-8 sequence: bytes pass unchanged, apart from card numbers in ASCII.
      flush();
      return write(Buffer.from(maskCardNumbers(bytes.toString("latin1")), "latin1"), done);
    }
    const text = held + (bytes === null ? chunk : bytes.toString("utf8"));
    const from = text.length - lengthToHold(text);
    const ready = text.slice(0, from);
    held = text.slice(from);
    if (done) waiting.push(done);
    if (timer) clearTimeout(timer);
    timer = held === "" ? null : setTimeout(flush, HOLD_MS).unref();
    if (ready === "" && held !== "") return true;
    const callbacks = waiting;
    waiting = [];
    return write(maskCardNumbers(ready), "utf8", (error) => {
      for (const each of callbacks) each(error);
    });
  };
  return flush;
}

/** Characters at the end of an unfinished line that may be the start of a number. */
function lengthToHold(text: string): number {
  if (text.endsWith("\n")) return 0;
  let hold = 0;
  for (let length = 1, gap = 0; length <= Math.min(text.length, MAX_HELD) && gap <= MAX_GAP; length++) {
    const code = text.charCodeAt(text.length - length);
    if (code === 10) break;
    if (code > 127 || (code >= 48 && code <= 57)) {
      hold = length;
      gap = 0;
    } else gap++;
  }
  return hold;
}

/**
 * Masks all output of the process, including libraries and Node's warnings. Returns the unmasked write to
 * standard output.
 */
export function maskProcessOutput(): Write {
  for (const stream of [process.stdout, process.stderr]) process.once("exit", maskStream(stream));
  const node = process as unknown as { _rawDebug?: ((text: string) => void) & Masked };
  const raw = node._rawDebug;
  if (raw && !raw[MASKED]) {
    const masked = (text: string) => raw(maskCardNumbers(String(text)));
    node._rawDebug = Object.assign(masked, { [MASKED]: process.stderr.write.bind(process.stderr) as Write });
  }
  return (process.stdout as Masked)[MASKED] as Write;
}

type ConsoleLog = Record<"warn" | "error", (details: object, message: string) => void>;

/**
 * Turns console output of libraries, mainly Next's errors about invalid requests, into log lines, truncated,
 * masked and limited like all others. Returns a function that undoes it.
 */
export function logConsole(log: ConsoleLog, names: readonly ("log" | "info" | "warn" | "error")[]): () => void {
  const { console } = globalThis;
  const before = { ...console };
  for (const name of names) {
    console[name] = (...parts: unknown[]) => {
      const err = parts.find((part) => part instanceof Error);
      const texts = parts.filter((part) => part !== err);
      // The page shows the id of its error, so errors of unauthenticated callers must not use up its limit.
      if (err && "digest" in err) return log.error({ err }, "a page failed");
      const text = texts.length > 0 ? format(...texts) : "an error";
      log.warn({ source: "console", ...(err !== undefined && { err }) }, text);
    };
  }
  return () => void Object.assign(console, Object.fromEntries(names.map((name) => [name, before[name]])));
}
