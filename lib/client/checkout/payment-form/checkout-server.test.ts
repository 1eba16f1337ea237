import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openState, paidState } from "@/e2e/fixtures/payment-form-store";
import type { CheckoutAttempt } from "@/lib/contract/checkout/checkout";
import { createCheckoutServer, SessionGone } from "./checkout-server";

const body: CheckoutAttempt = {
  attempt: "a-1",
  mode: "payment",
  card: { number: "4242424242424242", exp_month: 12, exp_year: 2029, cvv: "123" },
};

type Answer = { status?: number; body?: unknown; text?: string; headers?: Record<string, string> };

/** A server with one fixed response, recording its requests. */
function answering({ status = 200, body: json, text, headers = {} }: Answer) {
  const asked: { path: string; init: RequestInit }[] = [];
  const fetch = async (path: string, init: RequestInit) => {
    asked.push({ path, init });
    return new Response(text ?? JSON.stringify(json), { status, headers });
  };
  return { asked, server: createCheckoutServer({ base: "/pay/cst_1", fetch }) };
}

const problem = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}): Answer => ({
  status,
  body: { type: "about:blank", title: "No", status, detail: "No.", code, ...more },
  headers,
});

describe("attempt", () => {
  it("posts the attempt as JSON, without cookies and without the page's address", async () => {
    const { asked, server } = answering({ body: { state: paidState, payment_token: null } });
    expect(await server.attempt(body)).toEqual({ kind: "answered", answer: { state: paidState, payment_token: null } });
    expect(asked).toMatchObject([
      {
        path: "/pay/cst_1/attempts",
        init: {
          method: "POST",
          credentials: "omit",
          referrerPolicy: "no-referrer",
          redirect: "error",
          headers: { "Content-Type": "application/json" },
        },
      },
    ]);
    expect(JSON.parse(String(asked[0]?.init.body))).toEqual(body);
  });

  it.each<[string, Answer, object]>([
    [
      "fields at fault",
      problem(400, "invalid_parameter", {
        param: "card.number",
        errors: [{ param: "card.number" }, { param: "card.exp_year" }, { param: "card.cvv" }, { param: "postal_code" }],
      }),
      { kind: "refused", code: "invalid_parameter", fields: ["number", "expiry", "cvv", "postal_code"] },
    ],
    [
      "a field that is not the form's",
      problem(400, "unknown_parameter", { param: "metadata", errors: [{ param: "metadata" }, null, "x"] }),
      { kind: "refused", code: "unknown_parameter", fields: [] },
    ],
    [
      "a refusal",
      problem(422, "processor_not_configured"),
      { kind: "refused", code: "processor_not_configured", fields: [] },
    ],
    ["no such session", problem(404, "resource_not_found"), { kind: "changed" }],
    ["another state", problem(409, "invalid_state"), { kind: "changed" }],
    [
      "the same attempt in progress",
      problem(409, "idempotency_request_in_progress", {}, { "Retry-After": "2" }),
      { kind: "busy", retryAfterMs: 2_000 },
    ],
    [
      "in progress, without a Retry-After",
      problem(409, "idempotency_request_in_progress"),
      { kind: "busy", retryAfterMs: 1_000 },
    ],
    ["too many", problem(429, "rate_limited", {}, { "Retry-After": "5" }), { kind: "limited", retryAfterMs: 5_000 }],
    ["at once", problem(429, "rate_limited", {}, { "Retry-After": "0" }), { kind: "limited", retryAfterMs: 250 }],
    [
      "next year",
      problem(429, "rate_limited", {}, { "Retry-After": "9999999" }),
      { kind: "limited", retryAfterMs: 60_000 },
    ],
    ["a server's error", problem(500, "internal_error"), { kind: "lost" }],
    ["a gateway's error", problem(504, "processor_timeout"), { kind: "lost" }],
    ["a proxy's page", { status: 403, text: "<html>Forbidden</html>" }, { kind: "lost" }],
    ["a proxy's JSON", { status: 403, body: { message: "Forbidden" } }, { kind: "lost" }],
    ["a portal's page with 200", { text: "<html>Sign in to Wi-Fi</html>" }, { kind: "lost" }],
    ["JSON that is no response", { body: { ok: true } }, { kind: "lost" }],
    ["an unknown state", { body: { state: { ...paidState, status: "PAID" }, payment_token: null } }, { kind: "lost" }],
    ["half an answer", { text: '{"state":{"status":"COMP' }, { kind: "lost" }],
  ])("reads %s", async (_what, answer, outcome) => {
    expect(await answering(answer).server.attempt(body)).toEqual(outcome);
  });

  it("is lost when the network fails", async () => {
    const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
    expect(await createCheckoutServer({ base: "/pay/cst_1", fetch }).attempt(body)).toEqual({ kind: "lost" });
  });
});

describe("a server that does not respond", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const silent = (_path: string, init: RequestInit) =>
    new Promise<Response>((_resolve, reject) =>
      init.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError"))),
    );

  it("loses an attempt after 30 seconds", async () => {
    const outcome = createCheckoutServer({ base: "/pay/cst_1", fetch: silent }).attempt(body);
    let ended = false;
    void outcome.then(() => {
      ended = true;
    });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toEqual({ kind: "lost" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("loses a response whose body never ends", async () => {
    const fetch = async (_path: string, init: RequestInit) => {
      const stream = new ReadableStream({
        start: (controller) => init.signal?.addEventListener("abort", () => controller.error(new Error("aborted"))),
      });
      return new Response(stream);
    };
    const outcome = createCheckoutServer({ base: "/pay/cst_1", fetch }).attempt(body);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await outcome).toEqual({ kind: "lost" });
  });
});

describe("state", () => {
  it("reads the session's state", async () => {
    const { asked, server } = answering({ body: openState });
    expect(await server.state()).toEqual(openState);
    expect(asked).toMatchObject([{ path: "/pay/cst_1/state", init: { credentials: "omit", cache: "no-store" } }]);
  });

  it("reports an unknown session", async () => {
    await expect(answering(problem(404, "resource_not_found")).server.state()).rejects.toBeInstanceOf(SessionGone);
  });

  it.each<[string, Answer]>([
    ["an error", problem(503, "database_unavailable")],
    ["a page", { text: "<html>" }],
    ["another JSON", { body: { status: "OPEN" } }],
    ["nothing", { body: null }],
  ])("throws for %s", async (_what, answer) => {
    const error: unknown = await answering(answer)
      .server.state()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(SessionGone);
  });
});
