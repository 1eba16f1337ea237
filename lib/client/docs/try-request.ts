import type { OpenApiDocument, OperationObject, ParameterObject } from "@/lib/contract/openapi-document";
import { parametersOf } from "@/lib/contract/openapi-document";

/** An endpoint for the documentation's request forms. */
export type TriedEndpoint = {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
  readonly parameters: readonly ParameterObject[];
  readonly needsKey: boolean;
};

export const IDEMPOTENCY_KEY = "X-Idempotency-Key";

let loading: Promise<OpenApiDocument> | null = null;

/**
 * The API's OpenAPI document, from which the forms are built. Loaded when the first one opens; throws if that
 * fails.
 */
export function apiDocument(): Promise<OpenApiDocument> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function load(): Promise<OpenApiDocument> {
  const answer = await fetch("/v1/openapi.json", { credentials: "omit" });
  if (!answer.ok) throw new Error(`The API's description: ${answer.status}`);
  return (await answer.json()) as OpenApiDocument;
}

export function findEndpoint(document: OpenApiDocument, name: string): TriedEndpoint {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId !== name) continue;
      const parameters = parametersOf(operation, document);
      return { method: method.toUpperCase(), path, operation, parameters, needsKey: operation.security.length > 0 };
    }
  }
  throw new Error(`There is no endpoint ${name}.`);
}

/** Permissions of a new key: all that the API's endpoints need. */
export const permissionsIn = (document: OpenApiDocument): string[] => [
  ...new Set(
    Object.values(document.paths).flatMap((methods) => Object.values(methods).flatMap((one) => one["x-permissions"])),
  ),
];

/** Address of the sandbox that accepts test keys, if it isn't this page's host; otherwise null. */
export function sandboxElsewhere(document: OpenApiDocument, host: string): string | null {
  const [sandbox, live] = document.servers;
  if (!sandbox || !live || new URL(live.url).host !== host || new URL(sandbox.url).host === host) return null;
  return sandbox.url;
}

/** Initial body of the form. */
export function exampleBody({ operation }: TriedEndpoint): string {
  const example = operation.requestBody?.content["application/json"]?.examples?.request;
  return example && "value" in example ? JSON.stringify(example.value, null, 2) : "";
}

/** Parameters by name, and the body's text. */
export type TriedValues = { readonly parameters: Readonly<Record<string, string>>; readonly body: string };
export type TriedRequest = { method: string; url: string; headers: Record<string, string>; body: string | null };
/** Errors by parameter; `body` is the body's. */
export type TriedProblems = Record<string, string>;

const HEADER_TEXT = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;

/** The form's request without its API key, or its problems. */
export function requestOf(
  { method, path, operation, parameters }: TriedEndpoint,
  values: TriedValues,
): { request: TriedRequest } | { problems: TriedProblems } {
  const problems: TriedProblems = {};
  const headers: Record<string, string> = {};
  const query = new URLSearchParams();
  let url = path;
  for (const { name, in: place, required = false } of parameters) {
    const value = (values.parameters[name] ?? "").trim();
    if (value === "") {
      if (required) problems[name] = `${name} is required.`;
    } else if (place === "query") query.append(name, value);
    else if (place === "path") url = url.replace(`{${name}}`, encodeURIComponent(value));
    else if (HEADER_TEXT.test(value)) headers[name] = value;
    else problems[name] = "A header takes visible ASCII characters, with spaces only between them.";
  }
  const body = operation.requestBody ? values.body.trim() : "";
  if (body !== "") {
    headers["Content-Type"] = "application/json";
    try {
      JSON.parse(body);
    } catch (error) {
      problems.body = `This is not valid JSON: ${(error as SyntaxError).message}.`;
    }
  } else if (operation.requestBody?.required) problems.body = "This endpoint needs a body.";
  if (Object.keys(problems).length > 0) return { problems };
  const search = query.size > 0 ? `?${query}` : "";
  return { request: { method, url: url + search, headers, body: body === "" ? null : body } };
}

/** Informative response headers, in display order. */
const SHOWN_HEADERS = ["X-Request-Id", "Idempotent-Replayed", "Retry-After", "RateLimit"] as const;

export type TriedResponse = {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly durationMs: number;
  /** The part received so far. */
  readonly body: string;
  /** More may follow, as in a stream. */
  readonly isOpen: boolean;
};

/** Longer responses would slow the page down. */
const SHOWN_CHARACTERS = 200_000;

/**
 * Sends a request to the sandbox with this key and no cookies. `show` receives the response each time more of
 * it has arrived. Throws if there is no response or it breaks off.
 */
export async function sendRequest(
  { method, url, headers, body }: TriedRequest,
  apiKey: string | null,
  show: (answer: TriedResponse) => void,
  signal: AbortSignal,
): Promise<void> {
  const started = performance.now();
  const response = await fetch(url, {
    method,
    body,
    signal,
    headers: { ...headers, ...(apiKey !== null && { "X-Api-Key": apiKey }) },
    credentials: "omit",
    cache: "no-store",
    redirect: "manual",
    referrerPolicy: "no-referrer",
  });
  const headersShown = SHOWN_HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const answer = { status: response.status, headers: headersShown };
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  const durationMs = () => Math.round(performance.now() - started);
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) break;
    text += decoder.decode(piece.value, { stream: true });
    if (text.length > SHOWN_CHARACTERS) {
      await reader?.cancel();
      break;
    }
    show({ ...answer, durationMs: durationMs(), body: text, isOpen: true });
  }
  const isCut = text.length > SHOWN_CHARACTERS;
  const shown = isCut ? `${text.slice(0, SHOWN_CHARACTERS)}\n… The rest is too long to show.` : indented(text);
  show({ ...answer, durationMs: durationMs(), body: shown, isOpen: false });
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // A stream, or a proxy's page: show it unchanged.
    return text;
  }
}
