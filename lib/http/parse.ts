import { setImmediate as letOthersGo } from "node:timers/promises";
import type { z } from "zod";
import { CARD_NUMBER_MARK, holdsNumber, keepableText } from "@/lib/contract/card-numbers";
import type { DashboardEndpoint, Endpoint } from "@/lib/contract/endpoint";
import { AppError, ERRORS, type ErrorCode, type FieldError } from "@/lib/contract/errors";
import { parseInput } from "@/lib/contract/input";
import { namedSentence, REQUIRED } from "@/lib/contract/messages";
import { type ApiRequest, CallerGone, decidingHeader } from "./request-parts";
import type { Body } from "./response";

const MAX_BODY_BYTES = 64 * 1024;
/** Enough to fix a body, without a response many times the size of the request. */
const MAX_ERRORS = 20;
const MIN_CARD_DIGITS = 12;
/** Contains no digit, so it matches nothing. */
const NO_NUMBER = "none";

/**
 * The validated body; an absent one counts as `{}`. Throws 413, 415 or 400. `seen` receives the parsed JSON
 * as it was sent.
 */
export async function parseBody(
  request: ApiRequest,
  endpoint: Pick<Endpoint | DashboardEndpoint, "name" | "body" | "maxBodyBytes">,
  seen?: (sent: unknown) => void,
): Promise<unknown> {
  if (!endpoint.body) return undefined;
  const text = await readBody(request, endpoint.maxBodyBytes);
  if (text === "") return check(endpoint.body, {});
  requireJson(decidingHeader(request.headers, "Content-Type"));
  const value = parseJson(text);
  seen?.(value);
  refuseRepeatedMember(text, value);
  const body = check(endpoint.body, value);
  const altered = alteredParts(text, value);
  if (altered.length === 0) return body;
  throw fieldErrors(
    altered.slice(0, MAX_ERRORS).map(({ path, message }) => ({
      param: path.map(shorten).join("."),
      code: "invalid_parameter",
      message,
    })),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError(
      "malformed_json",
      `The body is not valid JSON${positionOf(error)}. Check it for a missing quote, comma or bracket.`,
    );
  }
}

function refuseRepeatedMember(text: string, value: unknown): void {
  const path = repeatedMember(text);
  if (path === null) return;
  // Masked as a whole: parts of a number may be the names of nested members.
  const name = shorten(path.join("."));
  const param = holdsNumber(name, cardNumberOf(value)) ? CARD_NUMBER_MARK : name;
  throw new AppError("malformed_json", `${param}: Given more than once. Send each member once.`, { param });
}

/** The validated query string. Strict like bodies: repeated parameters are refused like unknown ones. */
export function parseQuery(search: string, endpoint: Pick<Endpoint, "name" | "query">): unknown {
  if (search.length <= 1 && !endpoint.query) return undefined;
  const given: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) {
    if (name in given)
      throw fieldErrors([{ param: shorten(name), code: "invalid_parameter", message: "Given more than once." }]);
    given[name] = value;
  }
  if (endpoint.query) return check(endpoint.query, { ...given });
  const unknown = Object.keys(given);
  if (unknown.length > 0) {
    throw fieldErrors(
      unknown.slice(0, MAX_ERRORS).map((param) => ({
        param: shorten(param),
        code: "unknown_parameter",
        message: "This endpoint takes no such parameter.",
      })),
    );
  }
  return undefined;
}

/** The parser's position only: its message quotes the body, which may contain a card number. */
function positionOf(error: unknown): string {
  return (error instanceof Error && / at position \d+/.exec(error.message)?.[0]) || "";
}

/** Throws 415 unless the content type is UTF-8 JSON. */
export function requireJson(contentType: string | null): void {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (/^\s*application\/([\w.-]+\+)?json\s*$/.test(type) && isUtf8) return;
  throw new AppError(
    "unsupported_media_type",
    "Send the body as UTF-8 JSON with the header Content-Type: application/json.",
  );
}

/** The body as text. Throws 413 above `maxBytes`, and reads no more than that. */
export const readBody = async (request: ApiRequest, maxBytes?: number): Promise<string> =>
  decode(await readBytes(request, maxBytes));

/** Observer of a body that arrives; its signal ends the reading with the signal's reason. */
export type Arrival = { readonly signal: AbortSignal; note(bytes: number): void };

/** The same before it is decoded. */
export async function readBytes(
  request: ApiRequest,
  maxBytes = MAX_BODY_BYTES,
  arrival: Arrival | null = null,
): Promise<Uint8Array> {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > maxBytes) throw bodyTooLarge(maxBytes);
  const { body } = request;
  const isAnnounced = length === null ? request.headers.get("transfer-encoding") !== null : length !== "0";
  // Next withholds the body of a caller that has left. Read as empty, it would mean "refund everything".
  if (body === null && isAnnounced) throw new CallerGone(new Error("the host withholds the body"));
  if (body === null || length === "0") return new Uint8Array();
  // Counted while reading, because Content-Length is optional.
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of arrival === null ? asChunks(body) : untilAborted(asChunks(body), arrival.signal)) {
      size += chunk.byteLength;
      arrival?.note(chunk.byteLength);
      if (size > maxBytes) throw bodyTooLarge(maxBytes);
      chunks.push(chunk);
    }
    if (length !== null && size !== Number(length)) throw new Error(`${size} of ${length} bytes arrived`);
  } catch (error) {
    // Node reports this with the same code as a lost database connection.
    throw error instanceof AppError ? error : new CallerGone(error);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

const asChunks = (body: NonNullable<ApiRequest["body"]>) => body as AsyncIterable<Uint8Array>;

async function* untilAborted(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {});
  try {
    for (;;) {
      const { done, value } = await Promise.race([iterator.next(), aborted]);
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited: a pending read ends only with the connection.
    void iterator.return?.().catch(() => {});
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Invalid UTF-8 is refused: replacement characters would store what the caller never sent. A lone byte order
 * mark is refused too: treated as "no body" it would mean "refund everything".
 */
function decode(bytes: Uint8Array): string {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new AppError("malformed_json", "The body is not valid UTF-8. Send JSON encoded as UTF-8.");
  }
  if (text === "" && bytes.byteLength > 0) {
    throw new AppError("malformed_json", "The body is a byte order mark and nothing else. Send JSON, or no body.");
  }
  return text;
}

function bodyTooLarge(maxBytes: number): AppError {
  return new AppError("body_too_large", `The body may have at most ${maxBytes} bytes.`);
}

/** Validates against the schema. Throws 400 with every invalid parameter. */
export function check(schema: z.ZodType, value: unknown): unknown {
  const { given, result } = parseInput(schema, value);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, MAX_ERRORS);
  const found = issues.flatMap((issue) => fieldErrorsOf(issue, given));
  // An integer that is too large breaks two limits, and an empty text several rules.
  const errors = found
    .filter(
      ({ param, message }, at) =>
        found.findIndex(
          (one) => one.param === param && (one.message === message || one.code === "missing_parameter"),
        ) === at,
    )
    .slice(0, MAX_ERRORS);
  const number = cardNumberOf(value);
  // A mistyped card number isn't valid, but still must not be echoed.
  throw fieldErrors(
    errors
      .map((error) => (holdsNumber(error.param, number) ? { ...error, param: CARD_NUMBER_MARK } : error))
      .map(named),
  );
}

/** The digits of the body's card number, valid or not. */
function cardNumberOf(body: unknown): string {
  const number = valueAt(body, ["card", "number"]);
  const digits = typeof number === "string" || typeof number === "number" ? String(number).replace(/\D/g, "") : "";
  return digits.length >= MIN_CARD_DIGITS ? digits : NO_NUMBER;
}

const named = (error: FieldError): FieldError => ({ ...error, message: namedSentence(error.param, error.message) });

export function fieldErrors(errors: FieldError[]): AppError {
  const [first] = errors;
  if (!first) throw new Error("a refusal of parameters names at least one");
  const more = errors.length > 1 ? ` (${errors.length - 1} more in errors)` : "";
  const isNamed = first.message.startsWith(first.param || "The body");
  return new AppError(first.code, `${isNamed ? "" : `${first.param || "body"}: `}${first.message}${more}`, {
    param: first.param || null,
    errors,
  });
}

function fieldErrorsOf(issue: z.core.$ZodIssue, root: unknown): FieldError[] {
  const path = issue.path.map((part) => shorten(String(part)));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, MAX_ERRORS).map((key) => ({
      param: [...path, shorten(key)].join("."),
      code: "unknown_parameter",
      message: "There is no such parameter. Check the spelling.",
    }));
  }
  const param = path.join(".");
  const given = codeOf(issue);
  if (given) return [{ param, code: given, message: issue.message }];
  if (issue.path.length > 0 && isMissing(issue, valueAt(root, issue.path))) {
    const message = issue.code === "custom" || issue.code === "invalid_format" ? issue.message : REQUIRED;
    return [{ param, code: "missing_parameter", message }];
  }
  return [{ param, code: "invalid_parameter", message: issue.message }];
}

/** True if a value is absent or empty; null counts as an empty text. */
const isMissing = (issue: z.core.$ZodIssue, value: unknown): boolean =>
  value === undefined ||
  value === "" ||
  (value === null && issue.code === "invalid_type" && issue.expected === "string");

/** Names from the caller are truncated and masked before they are echoed. */
const shorten = (name: string) => keepableText(name, 100);

/** The error code that a custom rule of the schema sets. */
function codeOf(issue: z.core.$ZodIssue): ErrorCode | null {
  const code: unknown = issue.code === "custom" ? issue.params?.code : undefined;
  return typeof code === "string" && code in ERRORS ? (code as ErrorCode) : null;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** Characters of JSON that serialize in about 0.5 ms. */
const PIECE = 64 * 1024;

/**
 * The same text as `JSON.stringify`, produced in pieces that yield to the event loop: 5 MB in one piece
 * would block it for 30 ms. Short results are one string.
 */
export async function jsonBody(value: object): Promise<Body> {
  const done: Uint8Array[] = [];
  let piece = "";
  for (const text of textsOf(value)) {
    piece += text;
    if (piece.length < PIECE) continue;
    done.push(Buffer.from(piece));
    piece = "";
    await letOthersGo();
  }
  if (done.length === 0) return piece;
  done.push(Buffer.from(piece));
  return done;
}

/** Lists of objects item by item, at any depth; everything else in one piece. */
function* textsOf(value: unknown): Generator<string, void> {
  if (isListOfObjects(value)) {
    let lead = "[";
    for (const item of value) {
      yield lead;
      yield* textsOf(item);
      lead = ",";
    }
    yield "]";
  } else if (holdsList(value)) {
    let lead = "{";
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${lead}${JSON.stringify(name)}:`;
      yield* textsOf(member);
      lead = ",";
    }
    yield "}";
  } else yield JSON.stringify(value);
}

const isListOfObjects = (value: unknown): value is object[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "object" && item !== null);

function holdsList(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  for (const name in value) if (isListOfObjects((value as Record<string, unknown>)[name])) return true;
  return false;
}

type Part = { path: string[]; message: string };

const IN_TEXT = "This number has too many digits or is too small to store exactly. Send it as text, in quotes.";
const NO_NAME = "This name can't be used. Choose another.";

/** A text without a match has only numbers that round-trip: up to 15 digits always do. */
const LONG_NUMBER = /[\d.]{16}|\d[eE]/;
/** Tokens of valid JSON: numbers, and strings, so that digits inside them are skipped. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*/g;
const NAME = "__proto__";

/**
 * Parts of a JSON text that JavaScript doesn't preserve (`value` is the parsed text): numbers beyond its
 * precision, and `__proto__` members. Stored anyway, they would change what the caller sent, and requests
 * that differ only there would count as equal.
 */
export function alteredParts(text: string, value: unknown): Part[] {
  const parts: Part[] = [];
  if (text.includes(NAME) || text.includes("\\u")) {
    find(
      value,
      (part) => typeof part === "object" && Object.hasOwn(part, NAME),
      [],
      (path) => parts.push({ path: [...path, NAME], message: NO_NAME }),
    );
  }
  if (LONG_NUMBER.test(text)) {
    const mark = crypto.randomUUID();
    let marked = false;
    const others = text.replace(TOKENS, (token) => {
      if (token.startsWith('"') || isKept(token)) return token;
      marked = true;
      return `"${mark}"`;
    });
    if (marked)
      find(
        JSON.parse(others),
        (part) => part === mark,
        [],
        (path) => parts.push({ path, message: IN_TEXT }),
      );
  }
  return parts;
}

/** Calls `found` with the path of each part that satisfies `isIt`. */
function find(
  part: unknown,
  isIt: (part: object | string) => boolean,
  path: string[],
  found: (path: string[]) => void,
): void {
  if (typeof part === "string" || (typeof part === "object" && part !== null)) {
    if (isIt(part)) found(path);
    if (typeof part === "string") return;
    for (const [name, member] of Object.entries(part)) find(member, isIt, [...path, name], found);
  }
}

/** Tokens of valid JSON: strings and punctuation. */
const STRUCTURE = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]/g;

/**
 * The path of the first repeated member in valid JSON, compared after unescaping; null if there is none.
 * JavaScript keeps the last value, other parsers the first.
 */
export function repeatedMember(text: string): string[] | null {
  /** Enclosing containers: an object's names so far and its current one, or a list's index. */
  const stack: { names: Set<string> | null; at: string | number }[] = [];
  let string = "";
  for (const [token] of text.matchAll(STRUCTURE)) {
    const inside = stack.at(-1);
    if (token === "{") stack.push({ names: new Set(), at: "" });
    else if (token === "[") stack.push({ names: null, at: 0 });
    else if (token === "}" || token === "]") stack.pop();
    else if (token === ",") {
      if (inside && typeof inside.at === "number") inside.at++;
    } else if (token !== ":") string = token;
    else if (inside?.names) {
      inside.at = JSON.parse(string) as string;
      if (inside.names.has(inside.at)) return stack.map(({ at }) => String(at));
      inside.names.add(inside.at);
    }
  }
  return null;
}

const isKept = (number: string): boolean => digitsOf(number) === digitsOf(String(Number(number)));

/** Canonical form of a decimal number: digits and exponent, without the sign, which is always preserved. */
function digitsOf(number: string): string {
  const [, whole = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = whole + fraction;
  let [first, end] = [0, digits.length];
  while (digits[first] === "0") first++;
  while (end > first && digits[end - 1] === "0") end--;
  return first === end ? "0" : `${digits.slice(first, end)}e${Number(exponent) + whole.length - end}`;
}
