import { Cardlane } from "./index.ts";

export const API_KEY = "sk_test_never_to_be_seen";
export type Step = Response | Error | (() => Response) | "silence";
type Sent = { url: URL; key: string | null; headers: Headers; body: unknown };

/** A client whose service responds with these steps in order. */
export function clientOf(steps: Step[], options: { maxRetries?: number } = {}) {
  const sent: Sent[] = [];
  const cardlane = new Cardlane({
    apiKey: API_KEY,
    baseUrl: "https://api.cardlane.example/",
    ...options,
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers);
      const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : null;
      sent.push({ url: new URL(String(url)), key: headers.get("x-idempotency-key"), headers, body });
      const step =
        steps.shift() ?? Response.json({ id: "pay_1" }, { status: 201, headers: { "x-request-id": "req_1" } });
      if (step instanceof Error) throw step;
      if (step === "silence") return untilAborted(init?.signal);
      return typeof step === "function" ? step() : step;
    },
  });
  return { cardlane, sent };
}

const untilAborted = (signal: AbortSignal | null | undefined) =>
  new Promise<Response>((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
export const problem = (status: number, code: string, more: object = {}) =>
  Response.json(
    { code, detail: "Do something else.", request_id: "req_2", errors: [], ...more },
    { status, headers: { "retry-after": "0" } },
  );
export const broken = () =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("gone"), { code: "ECONNRESET" }) });
