import { z } from "zod";
import { abortAfter } from "@/lib/clock";

/** API version of this connector's requests and responses. */
const VERSION = "v72";

const error = z.looseObject({
  errorCode: z.string().optional(),
  message: z.string().optional(),
  pspReference: z.string().optional(),
});

/** The result of a request. */
export type AdyenResponse =
  | { kind: "answered"; body: unknown }
  /** Refused after validation; with an idempotency key this response is final. */
  | { kind: "refused"; status: number; code: string | null; message: string; pspReference: string | null }
  /** Another request with the same key is still in progress. */
  | { kind: "busy" }
  /** Not executed; the same request may be retried. */
  | { kind: "not_executed"; reason: string }
  | { kind: "unknown"; reason: string };

export type RequestOptions = {
  readonly apiKey: string;
  readonly live: boolean;
  readonly livePrefix: string | undefined;
  readonly endpoint: string | undefined;
  readonly timeoutMs: number;
};

export type Requests = {
  post(path: string, body: object, idempotencyKey?: string): Promise<AdyenResponse>;
  get(path: string): Promise<AdyenResponse>;
  delete(path: string): Promise<AdyenResponse>;
};

/** Base URL of the Checkout API. Each live company has its own host. */
function addressOf({ endpoint, live, livePrefix }: RequestOptions): string {
  if (endpoint) return `${endpoint.replace(/\/{1,9}$/, "")}/${VERSION}`;
  if (!live) return `https://checkout-test.adyen.com/${VERSION}`;
  return `https://${livePrefix}-checkout-live.adyenpayments.com/checkout/${VERSION}`;
}

/** Error code for a key that another request is using. */
const IN_PROGRESS = "704";
/** No connection was made, so nothing was sent. */
const NOT_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

export function createRequests(options: RequestOptions): Requests {
  const address = addressOf(options);
  async function send(
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: object,
    key?: string,
  ): Promise<AdyenResponse> {
    const { signal, release } = abortAfter(options.timeoutMs);
    try {
      const response = await fetch(address + path, {
        method,
        headers: {
          "X-API-Key": options.apiKey,
          ...(body && { "Content-Type": "application/json" }),
          ...(key && { "Idempotency-Key": key }),
        },
        ...(body && { body: JSON.stringify(body) }),
        // A redirect's target would receive the API key.
        redirect: "manual",
        signal,
      });
      return answerOf(response, await response.text());
    } catch (failure) {
      return { kind: isNotConnected(failure) ? "not_executed" : "unknown", reason: reasonOf(failure) };
    } finally {
      release();
    }
  }
  return {
    post: (path, body, key) => send("POST", path, body, key),
    get: (path) => send("GET", path),
    delete: (path) => send("DELETE", path),
  };
}

function answerOf(response: Response, text: string): AdyenResponse {
  const { status, headers } = response;
  const body = parsed(text);
  if (response.ok)
    return body === undefined && status !== 204
      ? { kind: "unknown", reason: `Adyen's answer ${status} cannot be read` }
      : { kind: "answered", body };
  const { errorCode = null, message = "", pspReference = null } = error.safeParse(body).data ?? {};
  const reason = `Adyen answered ${status}${errorCode ? ` (${errorCode})` : ""}${message ? `: ${message}` : ""}`;
  if (errorCode === IN_PROGRESS) return { kind: "busy" };
  // Transient errors had no side effects, and a retry counts as the first request.
  if (headers.get("transient-error") === "true" || status === 429) return { kind: "not_executed", reason };
  if (status >= 400 && status < 500 && errorCode !== null)
    return { kind: "refused", status, code: errorCode, message: reason, pspReference };
  return { kind: "unknown", reason };
}

/** Undefined if it isn't JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (failure) {
    if (failure instanceof SyntaxError) return undefined;
    throw failure;
  }
}

const codeOf = (failure: unknown): unknown =>
  failure instanceof Error && "code" in failure
    ? failure.code
    : failure instanceof Error
      ? codeOf(failure.cause)
      : null;

function isNotConnected(failure: unknown): boolean {
  const code = codeOf(failure);
  return typeof code === "string" && NOT_CONNECTED.has(code);
}

function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  if (failure.name === "TimeoutError") return "Adyen gave no answer in time";
  const cause = failure.cause instanceof Error ? `: ${failure.cause.message}` : "";
  return `the connection to Adyen failed${cause}`;
}
