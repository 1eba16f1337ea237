import { randomBytes } from "node:crypto";
import { AppError } from "@/lib/contract/errors";
import { ConfigurationError, env } from "@/lib/env";
import { type Demo, demoFile } from "./demo/demo";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** A step faster than this is printed once, when it is done. */
const QUIET_MS = 1_000;
/** Interval for repeating a running step's line without a terminal. */
const AGAIN_MS = 15_000;
const LABEL_WIDTH = 14;

type Output = { write(text: string): unknown; isTTY?: boolean | undefined };

/** Start-up output: one aligned line per step, the same with and without a terminal. */
export type Console = {
  /** Shows a step, with its duration if over one second. `work` resolves to the detail printed at the end. */
  step<T>(label: string, work: (say: (detail: string) => void) => Promise<T>): Promise<T>;
  /** A labeled line of the summary. */
  fact(label: string, value: string): void;
  line(text?: string): void;
  /** A warning that does not stop the start. */
  warning(sentence: string): void;
  problem(sentence: string): void;
};

export function createConsole(output: Output): Console {
  const tty = output.isTTY === true;
  const paint = (code: number, text: string) => (tty ? `\x1b[${code}m${text}\x1b[0m` : text);
  const row = (mark: string, label: string, detail: string) =>
    `  ${mark} ${label.padEnd(LABEL_WIDTH)}${detail}`.trimEnd();

  async function step<T>(label: string, work: (say: (detail: string) => void) => Promise<T>): Promise<T> {
    const started = Date.now();
    let detail = "";
    let frame = 0;
    let announced = { text: "", atMs: started };
    const seconds = () => {
      const elapsedMs = Date.now() - started;
      return elapsedMs < QUIET_MS ? "" : paint(2, `  ${Math.round(elapsedMs / 1000)} s`);
    };
    const show = () => {
      if (Date.now() - started < QUIET_MS) return;
      if (tty) {
        const mark = FRAMES[frame++ % FRAMES.length] as string;
        output.write(`\r\x1b[2K${row(paint(36, mark), label, detail)}${seconds()}`);
        return;
      }
      const isOld = Date.now() - announced.atMs >= AGAIN_MS;
      if (announced.text === label + detail && !isOld) return;
      announced = { text: label + detail, atMs: Date.now() };
      output.write(`${row("…", label, detail)}${isOld ? seconds() : ""}\n`);
    };
    const timer = setInterval(show, 100);
    const end = (mark: string) => {
      clearInterval(timer);
      output.write(`${tty ? "\r\x1b[2K" : ""}${row(mark, label, detail)}${seconds()}\n`);
    };
    try {
      const result = await work((text) => {
        detail = text;
      });
      end(paint(32, "✓"));
      return result;
    } catch (error) {
      end(paint(31, "✗"));
      throw error;
    }
  }

  return {
    step,
    fact: (label, value) => void output.write(`${row(" ", label, value)}\n`),
    line: (text = "") => void output.write(`${text}\n`),
    warning: (sentence) => void output.write(`  ${paint(33, "!")} ${sentence}\n`),
    problem: (sentence) => void output.write(`\n  ${paint(31, sentence)}\n\n`),
  };
}

/** Start-up summary. `outbox`: link that opens it, or null; `webhooks`: the operator's line, or null. */
type Summary = { demo: Demo | null; outbox: string | null; webhooks: string | null };

/** Prints the summary: address, sign-in and a sample request. */
export function summarize(console: Console, { demo, outbox, webhooks }: Summary): void {
  console.line();
  console.fact("Address", env.baseUrl);
  console.fact("Mode", env.isProduction ? "production" : "sandbox: no real money, every card number is a test number");
  if (webhooks !== null) console.fact("Live payments", webhooks);
  if (!env.isProduction && !env.isOneMachine && env.baseUrl.startsWith("http:")) {
    console.warning(
      "Others reach this over http: passwords travel unencrypted. Put TLS in front, and https into BASE_URL.",
    );
  }
  if (demo && env.isOneMachine) summarizeDemo(console, demo);
  else summarizePlain(console, demo);
  if (outbox !== null) console.line(`  Outbox, where e-mail waits:  ${outbox}\n`);
  console.line("  Ctrl-C stops everything.\n");
}

function summarizeDemo(console: Console, demo: Demo): void {
  console.fact("Dashboard", `${env.baseUrl}/sign-in`);
  console.fact("Sample shop", `${env.baseUrl}/demo`);
  console.fact("Demo sign-in", `${demo.email}  password ${demo.password}`);
  console.fact("Test key", demo.test_key);
  console.line("\n  Try it:\n");
  console.line(`  ${exampleRequest(env.baseUrl, demo.test_key)}\n`);
}

/** Prints no secrets: console output of a reachable service ends up in journals and log collectors. */
function summarizePlain(console: Console, demo: Demo | null): void {
  if (demo) console.fact("Demo sign-in", `in ${demoFile(env.dataDir)}, with its test key`);
  console.line();
  console.line(`  Sign in, or sign up:      ${env.baseUrl}/sign-in`);
  console.line("  A merchant and its keys:  npm run create-merchant -- --name NAME --email EMAIL");
  console.line(
    "  One more key:             npm run create-key -- --merchant ID --mode test --name NAME --permissions …\n",
  );
}

/** One line for any shell. The idempotency key is new at each start, so pasting it twice shows a replay. */
export function exampleRequest(baseUrl: string, key: string): string {
  const body = {
    amount: 1999,
    currency: "USD",
    card: { number: "4242424242424242", exp_month: 12, exp_year: new Date().getUTCFullYear() + 3, cvv: "123" },
  };
  return [
    `curl ${baseUrl}/v1/payments`,
    `-H "X-Api-Key: ${key}"`,
    `-H "X-Idempotency-Key: try-${randomBytes(3).toString("hex")}"`,
    '-H "Content-Type: application/json"',
    `-d '${JSON.stringify(body)}'`,
  ].join(" ");
}

const DISK: Record<string, string> = {
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "it is on a read-only file system",
};

/** One sentence for a problem that the operator can fix; null for our own fault, which needs its stack. */
export function explain(error: unknown): string | null {
  if (error instanceof ConfigurationError || error instanceof AppError) return error.message;
  const { code = "", path } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") return `There is no space left on the disk of ${path ?? env.dataDir}.`;
  const reason = DISK[code];
  return reason ? `${path ?? "A file"} could not be written: ${reason}.` : null;
}
