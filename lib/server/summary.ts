import { randomBytes } from "node:crypto";
import { env } from "@/lib/env";
import type { Console } from "./console";
import type { Demo } from "./demo";

/** The end of the start: where it is, who can sign in, and a line to try. */
export function summarize(console: Console, demo: Demo | null): void {
  console.line();
  console.fact("Address", env.baseUrl);
  if (!demo) {
    console.line();
    console.line(`  Sign in, or sign up:      ${env.baseUrl}/sign-in`);
    console.line("  A merchant and its keys:  npm run create-merchant -- --name NAME --email EMAIL");
    console.line(
      "  One more key:             npm run create-key -- --merchant ID --mode test --name NAME --permissions …",
    );
    console.line("\n  Ctrl-C stops everything.\n");
    return;
  }
  console.fact("Dashboard", `${env.baseUrl}/sign-in`);
  console.fact("Sample shop", `${env.baseUrl}/demo`);
  console.fact("Demo sign-in", `${demo.email}  password ${demo.password}`);
  console.fact("Sandbox key", demo.test_key);
  console.line("\n  Try it:\n");
  console.line(`  ${exampleRequest(env.baseUrl, demo.test_key)}`);
  console.line("\n  Ctrl-C stops everything.\n");
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
