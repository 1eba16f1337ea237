import type { z } from "zod";
import type { ReauthenticationKind } from "@/lib/contract/accounts/sessions";
import type { DashboardEndpoint, Endpoint, ParamsOf } from "@/lib/contract/endpoint";
import type { FieldError } from "@/lib/contract/errors";
import type { Mode } from "@/lib/contract/transactions/words";

type Exports<Module> = Module[keyof Module];
type Exported =
  | Exports<typeof import("@/lib/contract/accounts/endpoints")>
  | Exports<typeof import("@/lib/contract/api-keys/api-keys")>
  | Exports<typeof import("@/lib/contract/approvals/approvals")>
  | Exports<typeof import("@/lib/contract/checkout/endpoints")>
  | Exports<typeof import("@/lib/contract/checkout/payment-link")>
  | Exports<typeof import("@/lib/contract/customers/endpoints")>
  | Exports<typeof import("@/lib/contract/disputes/endpoints")>
  | Exports<typeof import("@/lib/contract/events/endpoints")>
  | Exports<typeof import("@/lib/contract/idempotency/idempotency-key")>
  | Exports<typeof import("@/lib/contract/invoices/endpoints")>
  | Exports<typeof import("@/lib/contract/notes/notes")>
  | Exports<typeof import("@/lib/contract/payment-methods/endpoints")>
  | Exports<typeof import("@/lib/contract/payments/endpoints")>
  | Exports<typeof import("@/lib/contract/plans/endpoints")>
  | Exports<typeof import("@/lib/contract/portal/endpoints")>
  | Exports<typeof import("@/lib/contract/processors/connection")>
  | Exports<typeof import("@/lib/contract/receipts/receipts")>
  | Exports<typeof import("@/lib/contract/reports/report-mail")>
  | Exports<typeof import("@/lib/contract/settlement/endpoints")>
  | Exports<typeof import("@/lib/contract/subscriptions/endpoints")>
  | Exports<typeof import("@/lib/contract/subscriptions/settings-endpoint")>
  | Exports<typeof import("@/lib/contract/subscriptions/preview")>
  | Exports<typeof import("@/lib/contract/support/endpoints")>
  | Exports<typeof import("@/lib/contract/team/team")>
  | Exports<typeof import("@/lib/contract/test-clock/endpoints")>
  | Exports<typeof import("@/lib/contract/test-clock/presets")>
  | Exports<typeof import("@/lib/contract/transactions/endpoints")>
  | Exports<typeof import("@/lib/contract/lists/saved-views")>
  | Exports<typeof import("@/lib/contract/webhooks/endpoints")>
  | Exports<typeof import("@/lib/contract/transactions/sums")>;
type Callable = Extract<Exported, Pick<Endpoint, "method" | "path" | "response"> | DashboardEndpoint>;
/**
 * Every endpoint by `POST /v1/payments/{id}/refund`. Types only, because the contract's schemas must not
 * reach browsers.
 */
type Endpoints = { [E in Callable as `${E["method"]} ${E["path"]}`]: E };
/** Method and path of an endpoint, as in the contract. */
export type EndpointAddress = keyof Endpoints;

type Given<Name extends string, Schema> = Schema extends z.ZodType ? { [N in Name]: z.input<Schema> } : unknown;
/** Arguments of the endpoint's call. */
export type Needed<A extends EndpointAddress> = ([PathParams<A>] extends [never]
  ? unknown
  : { params: PathParams<A> }) &
  (Endpoints[A] extends { bodyOptional: true; body: infer Body }
    ? Partial<Given<"body", Body>>
    : Endpoints[A] extends { body: infer Body }
      ? Given<"body", Body>
      : unknown) &
  (Endpoints[A] extends { query: infer Query } ? Given<"query", Query> : unknown);
/** Names of the braces in a path; never if there are none. */
export type PathParams<A extends EndpointAddress> = A extends `${string}{${string}` ? ParamsOf<A> : never;

type CallOptions = {
  /** Environment of /v1 requests. */
  mode?: Mode | undefined;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
};
type Options<A extends EndpointAddress> = CallOptions & Needed<A>;
export type ResponseOf<A extends EndpointAddress> = z.output<Endpoints[A]["response"]>;
type AnyOptions = CallOptions & { params?: Record<string, string>; query?: Record<string, string>; body?: unknown };

type ApiResponse<T> = { data: T; status: number; requestId: string | null; replayed: boolean };

/** An error response of the API. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly param: string | null;
  readonly errors: FieldError[];
  readonly requestId: string | null;
  /** The whole body, with the members of its code (`remaining`, `current_status` …). */
  readonly body: Record<string, unknown>;
  /** Seconds until a retry makes sense; null if the response has none. */
  readonly retryAfterSeconds: number | null;

  constructor(response: Response, body: Record<string, unknown>) {
    const detail = typeof body.detail === "string" ? body.detail : `The service returned ${response.status}.`;
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

/** No complete response arrived, so the request may or may not have taken effect. */
export class NoResponseError extends Error {
  override readonly name = "NoResponseError";
}

const TIMEOUT_MS = 35_000;

/** Prompts the user to re-authenticate; false if they cancel. */
type ReauthenticationPrompt = (kind: ReauthenticationKind) => Promise<boolean>;
let promptForReauthentication: ReauthenticationPrompt | null = null;
let prompting: Promise<boolean> | null = null;

/** Registers the re-authentication dialog. Returns an unregister function. */
export function onReauthenticationNeeded(prompt: ReauthenticationPrompt): () => void {
  promptForReauthentication = prompt;
  return () => {
    if (promptForReauthentication === prompt) promptForReauthentication = null;
  };
}

/** True if a refused request may be sent again. Concurrent refusals share one dialog. */
async function hasReauthenticated(error: unknown): Promise<boolean> {
  if (!(error instanceof ApiError) || promptForReauthentication === null) return false;
  const kind = error.body.proof_required;
  if (kind !== "code" && kind !== "password") return false;
  prompting ??= promptForReauthentication(kind).finally(() => {
    prompting = null;
  });
  return prompting;
}

/**
 * Calls our own API as the signed-in user. Throws ApiError for a refusal, NoResponseError for an unknown
 * outcome, and the signal's reason after an abort. An expired session leads to the sign-in page. A request
 * that needs re-authentication is sent again afterwards, unchanged and under the same idempotency key.
 */
export async function callApi<A extends EndpointAddress>(
  address: A,
  ...[given]: object extends Needed<A> ? [options?: Options<A>] : [options: Options<A>]
): Promise<ApiResponse<ResponseOf<A>>> {
  const options: AnyOptions = given ?? {};
  try {
    return await send(address, options);
  } catch (error) {
    if (await hasReauthenticated(error)) return send(address, options);
    throw error;
  }
}

async function send<T>(address: string, request: AnyOptions): Promise<ApiResponse<T>> {
  const [method = "", path = ""] = address.split(" ");
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
  let response: Response;
  let text: string;
  try {
    response = await fetch(urlOf(path, request), {
      method,
      headers: headersOf(request),
      body: request.body === undefined ? null : JSON.stringify(request.body),
      credentials: "same-origin",
      cache: "no-store",
      signal,
    });
    text = await response.text();
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    throw new NoResponseError("No response arrived. Check your connection.", { cause: error });
  }
  const body = parse(text);
  if (body === undefined) throw new NoResponseError(`The response did not come from Cardlane (${response.status}).`);
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

function urlOf(path: string, { params, query }: AnyOptions): string {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ""));
  return query ? `${url}?${new URLSearchParams(query)}` : url;
}

function headersOf({ mode, body, idempotencyKey, headers }: AnyOptions): Record<string, string> {
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

/** Reason and remedy of a failed call. Rethrows errors that aren't a call's. */
export function failureText(error: unknown): string {
  if (error instanceof ApiError) {
    const request = error.requestId && error.status >= 500 ? ` Request ${error.requestId}.` : "";
    return `${error.detail}${request}`;
  }
  if (error instanceof NoResponseError) {
    return "No response arrived, so it may or may not have worked. Check your connection and try again.";
  }
  throw error;
}
