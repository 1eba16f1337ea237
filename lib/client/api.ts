import type { ProofKind } from "@/lib/contract/accounts/proof";
import type { FieldError } from "@/lib/contract/errors";
import type { Mode } from "@/lib/contract/transactions/words";

type ApiRequest = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** `/v1/…` or `/api/…`, with ids already in it. */
  path: string;
  /** The environment, for /v1. */
  mode?: Mode;
  query?: Record<string, string>;
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal;
  headers?: Record<string, string>;
};

type ApiAnswer<T> = { data: T; status: number; requestId: string | null; replayed: boolean };

/** An answered refusal: what the API's error body says. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly param: string | null;
  readonly errors: FieldError[];
  readonly requestId: string | null;
  /** The whole body, with what the code adds (`remaining`, `current_status` …). */
  readonly body: Record<string, unknown>;
  /** Seconds until a retry makes sense; null when the answer did not say. */
  readonly retryAfterSeconds: number | null;

  constructor(response: Response, body: Record<string, unknown>) {
    const detail = typeof body.detail === "string" ? body.detail : `The service answered ${response.status}.`;
    super(detail);
    this.status = response.status;
    this.code = typeof body.code === "string" ? body.code : "internal_error";
    this.detail = detail;
    this.param = typeof body.param === "string" ? body.param : null;
    this.errors = Array.isArray(body.errors) ? (body.errors as FieldError[]) : [];
    this.requestId = response.headers.get("x-request-id");
    this.body = body;
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : null;
  }
}

/** No answer came, or one that was cut off: whatever was asked for may or may not have happened. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

const TIMEOUT_MS = 35_000;

/** Asks the person to prove who they are; false when they would rather not. */
type ProofAsker = (kind: ProofKind) => Promise<boolean>;
let askForProof: ProofAsker | null = null;
let asking: Promise<boolean> | null = null;

/** Who asks, on the pages that are up. Returns what ends it. */
export function onProofNeeded(asker: ProofAsker): () => void {
  askForProof = asker;
  return () => {
    if (askForProof === asker) askForProof = null;
  };
}

/** Whether a refused request may be sent again. Many refused at once are one question to the person. */
async function isProved(error: unknown): Promise<boolean> {
  if (!(error instanceof ApiError) || askForProof === null) return false;
  const kind = error.body.proof_required;
  if (kind !== "code" && kind !== "password") return false;
  asking ??= askForProof(kind).finally(() => {
    asking = null;
  });
  return asking;
}

/**
 * Calls our own API as the person who is signed in. Throws ApiError for a refusal, NoAnswerError when nobody knows, and
 * the signal's reason when the caller gave up. A session that is over sends the browser to the sign-in. What takes a proof
 * of who acts is sent again once that is given: the very same request, under the same idempotency key.
 */
export async function callApi<T>(request: ApiRequest): Promise<ApiAnswer<T>> {
  try {
    return await send<T>(request);
  } catch (error) {
    if (await isProved(error)) return send<T>(request);
    throw error;
  }
}

async function send<T>(request: ApiRequest): Promise<ApiAnswer<T>> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
  let response: Response;
  let text: string;
  try {
    response = await fetch(addressOf(request), {
      method: request.method,
      headers: headersOf(request),
      body: request.body === undefined ? null : JSON.stringify(request.body),
      credentials: "same-origin",
      cache: "no-store",
      signal,
    });
    text = await response.text();
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    throw new NoAnswerError("No answer came. Check your connection.", { cause: error });
  }
  const body = parse(text);
  if (body === undefined) throw new NoAnswerError(`An answer came that is not the service's (${response.status}).`);
  if (!response.ok) {
    const error = new ApiError(response, body as Record<string, unknown>);
    if (error.status === 401) goToSignIn();
    throw error;
  }
  return {
    data: body as T,
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    replayed: response.headers.get("idempotent-replayed") === "true",
  };
}

function addressOf({ path, query }: ApiRequest): string {
  const search = query ? new URLSearchParams(query).toString() : "";
  return search ? `${path}?${search}` : path;
}

function headersOf({ mode, body, idempotencyKey, headers }: ApiRequest): Record<string, string> {
  return {
    ...(mode && { "X-Cardlane-Mode": mode }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...(idempotencyKey && { "X-Idempotency-Key": idempotencyKey }),
    ...headers,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function goToSignIn(): void {
  const { pathname, search } = window.location;
  if (pathname.endsWith("/sign-in")) return;
  const page = pathname.startsWith("/support") ? "/support/sign-in" : "/sign-in";
  window.location.assign(`${page}?next=${encodeURIComponent(pathname + search)}`);
}

/** Why a call failed and what to do, in words. Throws what is none of a call's failures. */
export function failureText(error: unknown): string {
  if (error instanceof ApiError) {
    const request = error.requestId && error.status >= 500 ? ` Request ${error.requestId}.` : "";
    return `${error.detail}${request}`;
  }
  if (error instanceof NoAnswerError) {
    return "No answer came, so it may or may not have worked. Check your connection and try again.";
  }
  throw error;
}
