import { randomBytes } from "node:crypto";
import { env } from "@/lib/env";
import type { Console } from "./console";
import { type Demo, demoFile } from "./demo";

/** What to tell the person at the console; `outbox` is the link that opens the outbox, null where there is none. */
export type Summary = { demo: Demo | null; outbox: string | null };

/** The end of the start: where it is, who can sign in, and a line to try. */
export function summarize(console: Console, { demo, outbox }: Summary): void {
  console.line();
  console.fact("Address", env.baseUrl);
  console.fact("Mode", env.isProduction ? "production" : "sandbox: no real money, every card number is a test number");
  if (!env.isProduction && !env.isOneMachine && env.baseUrl.startsWith("http:")) {
    console.warning(
      "Others reach this over http: passwords travel unencrypted. Put TLS in front, and https into BASE_URL.",
    );
  }
  if (demo && env.isOneMachine) summarizeDemo(console, demo);
  else summarizePlain(console, demo);
  if (outbox !== null) console.line(`  Outbox, where mail waits:  ${outbox}\n`);
  console.line("  Ctrl-C stops everything.\n");
}

function summarizeDemo(console: Console, demo: Demo): void {
  console.fact("Dashboard", `${env.baseUrl}/sign-in`);
  console.fact("Sample shop", `${env.baseUrl}/demo`);
  console.fact("Demo sign-in", `${demo.email}  password ${demo.password}`);
  console.fact("Sandbox key", demo.test_key);
  console.line("\n  Try it:\n");
  console.line(`  ${exampleRequest(env.baseUrl, demo.test_key)}\n`);
}

/** Consoles of what others reach are kept by journals and collectors: what is secret is not printed there. */
function summarizePlain(console: Console, demo: Demo | null): void {
  if (demo) console.fact("Demo sign-in", `in ${demoFile(env.dataDir)}, with its sandbox key`);
  console.line();
  console.line(`  Sign in, or sign up:      ${env.baseUrl}/sign-in`);
  console.line("  A merchant and its keys:  npm run create-merchant -- --name NAME --email EMAIL");
  console.line(
    "  One more key:             npm run create-key -- --merchant ID --mode test --name NAME --permissions …\n",
  );
}

/** One line for any shell; the idempotency key is new at every start, so that pasting it twice shows a replay. */
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
