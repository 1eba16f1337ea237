import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { CheckoutState } from "@/lib/contract/checkout/checkout";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { type Answer, CARDS, type CardName, type Client, isFinal, REQUEST_TIMEOUT_MS } from "./client";

export type Form = { status: number; text: string };
export type Attempt = { attempt: string; mode: "payment" | "tokenize"; card: object };

/** The payment form of one session, in any number of tabs. */
export class Checkout {
  readonly answered: { attempt: Attempt; answer: Form }[] = [];
  constructor(
    readonly client: Client,
    readonly session: ClientSession,
  ) {}

  #send(path: string, init: RequestInit): Promise<Answer> {
    const headers = { "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json" };
    return this.client.send(`/pay/${this.session.client_session_token}${path}`, { ...init, headers });
  }

  /** Repeats the same attempt until the response is final, which is what the form does. */
  async pay(card: CardName, mode: Attempt["mode"] = "payment", giveUpMs = 60_000): Promise<Form> {
    const body = { number: CARDS[card], exp_month: 12, exp_year: 2040, cvv: "123" };
    const attempt: Attempt = { attempt: randomUUID(), mode, card: body };
    const answer = await this.until(attempt, giveUpMs);
    this.answered.push({ attempt, answer });
    return answer;
  }

  async until(attempt: Attempt, giveUpMs = 60_000): Promise<Form> {
    const deadline = Date.now() + giveUpMs;
    let last = "";
    while (Date.now() < deadline) {
      try {
        const answer = await this.#send("/attempts", { method: "POST", body: JSON.stringify(attempt) });
        const { status, text } = answer;
        last = `${status} ${text}`;
        if (isFinal(answer)) return { status, text };
      } catch (error) {
        // The service is gone; the next try finds out if it did anything.
        last = String(error);
      }
      await wait(30);
    }
    throw new Error(`no final response to ${attempt.attempt} within ${giveUpMs} ms; last: ${last}`);
  }

  async state(giveUpMs = 60_000): Promise<CheckoutState> {
    const deadline = Date.now() + giveUpMs;
    let last = "";
    while (Date.now() < deadline) {
      const answer = await this.#send("/state", {}).catch(String);
      if (typeof answer !== "string" && answer.status === 200) return JSON.parse(answer.text) as CheckoutState;
      last = typeof answer === "string" ? answer : `${answer.status} ${answer.text}`;
      await wait(30);
    }
    throw new Error(`no state of session ${this.session.id} within ${giveUpMs} ms; last: ${last}`);
  }

  /** Completes the issuer's challenge, if there is one. */
  async answerChallenge(result: string): Promise<void> {
    const { action } = await this.state();
    if (action !== null) await answerChallenge(this.client, action.url, result);
  }
}

/** A shopper's steps in a 3-D Secure challenge; the caller handles a service that is down. */
export async function answerChallenge(client: Client, url: string, result: string): Promise<void> {
  const finish = await answerOf(client.baseUrl(), url, result);
  await finish?.()
    .then((response) => response.text())
    .catch(() => {});
}

/**
 * The last request of a challenge: to our page, or back to ours from the processor's own page, which is
 * completed first. Null if the challenge was already completed there and offers no way back.
 */
export async function answerOf(
  baseUrl: string,
  url: string,
  result: string,
): Promise<(() => Promise<Response>) | null> {
  const at = new URL(url, baseUrl);
  const page = await answerAtProcessor(at, result === "passed");
  // The processor reports the result.
  if (page?.status === 410) return null;
  const back = page?.headers.get("location");
  if (page && !back) throw new Error(`${at.href} responded ${page.status} without a redirect back`);
  const own = back ? new URL(back) : null;
  const body = new URLSearchParams({ result });
  return () =>
    own
      ? ask(`${baseUrl}${own.pathname}${own.search}`)
      : ask(`${baseUrl}${at.pathname}/result`, { method: "POST", body });
}

/** Response of the processor's own page, which redirects the shopper to ours; null for a page of ours. */
async function answerAtProcessor(page: URL, passed: boolean): Promise<Response | null> {
  if (page.pathname.startsWith("/challenges/")) {
    const body = new URLSearchParams({ answer: passed ? "pass" : "fail" });
    return ask(page, { method: "POST", body });
  }
  if (page.pathname !== "/threeDS/redirect") return null;
  const link = new URL(page);
  link.searchParams.set("passed", String(passed));
  return ask(link);
}

/** One browser request, with redirects followed by hand. */
const ask = (url: string | URL, init: RequestInit = {}) =>
  fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
