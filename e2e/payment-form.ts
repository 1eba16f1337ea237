import { randomUUID } from "node:crypto";
import { expect } from "playwright/test";
import type { CheckoutAttemptResponse, CheckoutState } from "@/lib/contract/checkout/checkout";
import { type ErrorCode, type Problem, problem } from "@/lib/contract/errors";
import type { Api } from "./client";
import { type Shopper, test } from "./fixtures/playwright";
import { aCard, newSession } from "./samples";

/** `id` has the form `cs_…`. */
export type OpenedSession = { id: string; form: PaymentForm };

export type FormAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Returns the result of an accepted attempt, whatever the outcome. */
  taken(): CheckoutAttemptResponse;
  /** Returns the problem, and fails unless it has this code. */
  refused(code: ErrorCode): Problem;
};

export type AttemptOptions = { attempt?: string; headers?: Record<string, string>; raw?: string };

/** Requests of a session's payment form, without a browser. */
export class PaymentForm {
  constructor(
    readonly baseUrl: string,
    readonly token: string,
  ) {}

  /** Pays with this card, or sends this body. */
  attempt(body: object | string = {}, { attempt = randomUUID(), headers, raw }: AttemptOptions = {}) {
    const given = typeof body === "string" ? { card: aCard(body) } : body;
    return this.#call("/attempts", {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(headers ?? { "Sec-Fetch-Site": "same-origin" }) },
      body: raw ?? JSON.stringify({ attempt, card: aCard(), ...given }),
    });
  }

  async state(): Promise<CheckoutState> {
    const answer = await this.#call("/state");
    expect(answer.status, answer.text).toBe(200);
    return JSON.parse(answer.text) as CheckoutState;
  }

  call(path: string, init: RequestInit = {}): Promise<FormAnswer> {
    return this.#call(path, init);
  }

  /** Fetches the page itself. */
  page(query: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.baseUrl}/pay/${this.token}?${new URLSearchParams(query)}`);
  }

  /**
   * Submits the issuer's challenge like the buttons on its page. A processor's own page can't be abandoned;
   * there, `abandoned` fails it.
   */
  async answerChallenge(shopper: Shopper, result: "passed" | "failed" | "abandoned"): Promise<void> {
    const { action } = await this.state();
    const answer = await shopper.answer(action?.url ?? "", result);
    expect(answer?.status).toBe(shopper.asksAt === this.baseUrl ? 303 : 200);
    // If the processor's webhook comes first, it continues the payment, and the shopper waits for the result.
    await expect.poll(async () => (await this.state()).status).not.toBe("PROCESSING");
  }

  async #call(path: string, init: RequestInit = {}): Promise<FormAnswer> {
    const response = await fetch(`${this.baseUrl}/pay/${this.token}${path}`, init);
    const { status, headers } = response;
    const text = await response.text();
    const context = `${path} answered ${status}: ${text.slice(0, 1_000)}`;
    expect(status, context).toBeLessThan(500);
    expect(headers.get("x-request-id"), context).toMatch(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(headers.get("cache-control"), context).toBe("no-store");
    expect(headers.get("set-cookie"), context).toBeNull();
    return {
      status,
      headers,
      text,
      taken() {
        expect(status, context).toBe(200);
        return JSON.parse(text) as CheckoutAttemptResponse;
      },
      refused(code) {
        expect(headers.get("content-type"), context).toContain("application/problem+json");
        const refusal = problem.parse(JSON.parse(text));
        expect(refusal.code, context).toBe(code);
        expect(refusal.status, context).toBe(status);
        return refusal;
      },
    };
  }
}

/** Tests of the payment form's endpoints. */
export const formTest = test.extend<{ open: (overrides?: object, api?: Api) => Promise<OpenedSession> }>({
  open: async ({ baseUrl, api: own }, use) => {
    await use(async (overrides = {}, api = own) => {
      const { id, client_session_token } = await newSession(api, overrides);
      return { id, form: new PaymentForm(baseUrl, client_session_token ?? "") };
    });
  },
});
