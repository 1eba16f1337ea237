import type { z } from "zod";
import { holdsNumber, keepableText, maskCardNumbers } from "@/lib/contract/card-numbers";
import type { KeptBody } from "@/lib/contract/request-log/requests";
import { OWN_SECRETS } from "@/lib/contract/secrets";
import { CREDENTIAL_NAMES, isCredentialName } from "@/lib/processor/credential-names";

/**
 * Members redacted in the request log, which stores only members in the endpoint's schema. Add the name of
 * any new secret member of the contract here; a test looks for suspicious names.
 */
export const REDACTED_MEMBERS: ReadonlySet<string> = new Set([
  // Card data.
  "number",
  "cvv",
  // Credentials for paying or impersonating.
  "payment_token",
  "client_session_token",
  "iframe_url",
  "redirect_to_url",
  "hosted_url",
  "secret",
  // Processors' credentials.
  ...CREDENTIAL_NAMES,
]);
export const REDACTED = "[redacted]";
/** Replaces a value whose type is not the schema's. */
const NOT_KEPT = "[not kept]";

/** Secret names among those that merchants choose, in metadata and headers. */
const SECRET_NAME =
  /cvv|cvc|cvn|csc|security.?code|card.?(?:number|no)\b|^pan$|secret|token|passw|authorization|api.?key|cookie/i;
const isSecretName = (name: string) => SECRET_NAME.test(name) || isCredentialName(name);

/** Max bytes of one stored body. */
export const MAX_BODY = 16_000;
/** For reads, which can be repeated: lists are long and frequent. */
export const MAX_READ = 2_000;
const MAX_NAME = 100;

/** The values that a schema allows. Alternatives are merged, as the value itself shows which one it is. */
type Shape = {
  text: boolean;
  /** Strings that the contract lists. */
  readonly listed: Set<string>;
  number: boolean;
  flag: boolean;
  list: Shape | null;
  readonly members: Map<string, Member>;
  /** For members that the caller names. */
  rest: Shape | null;
};

/** `label`: the member's name in JSON, with the colon. */
type Member = { readonly label: string; readonly is: Shape | "secret" };

const nothing = (): Shape => ({
  text: false,
  listed: new Set(),
  number: false,
  flag: false,
  list: null,
  members: new Map(),
  rest: null,
});

type Definition = z.core.$ZodTypeDef & {
  innerType?: z.ZodType;
  element?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  left?: z.ZodType;
  right?: z.ZodType;
  valueType?: z.ZodType;
  options?: readonly z.ZodType[];
  shape?: Readonly<Record<string, z.ZodType>>;
  values?: readonly unknown[];
  entries?: Readonly<Record<string, unknown>>;
};

/** Adds a schema's values to a shape. Schema types that are not listed here allow nothing. */
function allow(shape: Shape, schema: z.ZodType): Shape {
  const given = schema._zod.def as Definition;
  switch (given.type) {
    case "string":
      shape.text = true;
      break;
    case "number":
    case "int":
      shape.number = true;
      break;
    case "boolean":
      shape.flag = true;
      break;
    case "enum":
      for (const value of Object.values(given.entries ?? {})) shape.listed.add(String(value));
      break;
    case "literal":
      for (const value of given.values ?? []) {
        if (typeof value === "string") shape.listed.add(value);
        else if (typeof value === "number") shape.number = true;
        else if (typeof value === "boolean") shape.flag = true;
      }
      break;
    case "array":
      shape.list = allow(shape.list ?? nothing(), given.element as z.ZodType);
      break;
    case "record":
      shape.rest = allow(shape.rest ?? nothing(), given.valueType as z.ZodType);
      break;
    case "object":
      for (const [name, member] of Object.entries(given.shape ?? {})) {
        const known = shape.members.get(name)?.is;
        const is = REDACTED_MEMBERS.has(name) ? "secret" : allow(typeof known === "object" ? known : nothing(), member);
        shape.members.set(name, { label: `${JSON.stringify(name)}:`, is });
      }
      break;
    default:
      for (const inner of [given.innerType, given.in, given.out, given.left, given.right, ...(given.options ?? [])])
        if (inner) allow(shape, inner);
  }
  return shape;
}

const shapes = new WeakMap<z.ZodType, Shape>();

function shapeOf(schema: z.ZodType): Shape {
  const known = shapes.get(schema) ?? allow(nothing(), schema);
  shapes.set(schema, known);
  return known;
}

/** The request's card, which must not appear in any other string, however it is spelled. */
export type OwnCard = { readonly number: string | null; readonly code: string | null };
const NO_CARD: OwnCard = { number: null, code: null };
const MIN_DIGITS = 12;

export function ownCardOf(body: unknown): OwnCard {
  if (!isObject(body)) return NO_CARD;
  const card = isObject(body.card) ? body.card : body;
  const digits = spelled(card.number).replace(/\D/g, "");
  const code = spelled(card.cvv).trim();
  return { number: digits.length >= MIN_DIGITS ? digits : null, code: code === "" ? null : code };
}

/** Callers send values of any type. */
const spelled = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** Max characters read past the limit, because a card number with separators can span the cut. */
const MAX_BEYOND = 400;
const MIN_CODE = 3;

/** A string of a request in storable form, without its card and our secrets. */
export function keepableBeside(card: OwnCard, value: string, max: number): string {
  const read = value.length > max + MAX_BEYOND ? value.slice(0, max + MAX_BEYOND) : value;
  if (holdsOwn(card, read)) return REDACTED;
  if (card.code !== null && holdsCode(read, card.code)) return REDACTED;
  const open = read.includes("_") ? read.replace(OWN_SECRETS, `$1$2_${REDACTED}`) : read;
  if (read.length === value.length) return keepableText(open, max);
  // The end may hold a part of a number, which redactions before it can move to within the limit.
  return keepableText(`${maskCardNumbers(open).slice(0, -MAX_BEYOND)}…`, max);
}

const holdsOwn = ({ number }: OwnCard, text: string): boolean => number !== null && holdsNumber(text, number);

/**
 * True if the text contains the security code as a separate
 * number; a code too short to be real must be the whole text.
 */
function holdsCode(text: string, code: string): boolean {
  if (code.length < MIN_CODE || !/^\d+$/.test(code)) return text.trim() === code;
  for (let at = text.indexOf(code); at >= 0; at = text.indexOf(code, at + 1)) {
    if (!isDigit(text[at - 1]) && !isDigit(text[at + code.length])) return true;
  }
  return false;
}

const isDigit = (character: string | undefined): boolean => character !== undefined && /\d/.test(character);

/** A query string in storable form: values of known parameters; unknown ones keep only harmless names. */
export function keptQuery(schema: z.ZodType | null, search: string, card: OwnCard, max: number): string | null {
  if (search === "") return null;
  const known = schema === null ? null : shapeOf(schema).members;
  const pairs = [...new URLSearchParams(search)].slice(0, MAX_PAIRS).map(([name, value]) => {
    const isKnown = known?.has(name) && known.get(name)?.is !== "secret" && !isSecretName(name);
    const label = known?.has(name) || PLAIN_NAME.test(name) ? keepableBeside(card, name, MAX_NAME) : "…";
    return `${label}=${isKnown ? encodeURIComponent(keepableBeside(card, value, max)) : NOT_KEPT}`;
  });
  const text = pairs.join("&");
  return text === "" ? null : text.slice(0, max);
}

const MAX_PAIRS = 50;
const PLAIN_NAME = /^[a-z]+(?:_[a-z]+)*$/;

export type Kept = { readonly body: string | null; readonly kept: KeptBody };

type Work = { left: number; redacted: boolean; cut: boolean; readonly card: OwnCard };

/**
 * JSON text of a body in storable form: at most `max` bytes,
 * and always valid JSON, with members left out at the cut.
 */
export function keptBody(schema: z.ZodType | null, value: unknown, card = NO_CARD, max = MAX_BODY): Kept {
  const work: Work = { left: max, redacted: false, cut: false, card };
  const body = textOf(schema === null ? PROBLEM : shapeOf(schema), value, work);
  return { body, kept: work.cut ? "cut" : work.redacted ? "redacted" : "whole" };
}

function textOf(shape: Shape, value: unknown, work: Work): string {
  if (value === null) return plain("null", work);
  if (typeof value === "string") return stringOf(shape, value, work);
  if (typeof value === "number" && shape.number) return numberOf(value, work);
  if (typeof value === "boolean" && shape.flag) return plain(String(value), work);
  if (Array.isArray(value) && shape.list) return listOf(shape.list, value, work);
  if (isObject(value) && (shape.members.size > 0 || shape.rest)) return objectOf(shape, value, work);
  return redacted(NOT_KEPT, work);
}

/**
 * A long number is stored only if it is exactly what was sent: a
 * rounded card number isn't recognized as one, but keeps most digits.
 */
function numberOf(value: number, work: Work): string {
  const text = String(value);
  const isKept =
    text.length < MIN_DIGITS || (Number.isSafeInteger(value) && keepableBeside(work.card, text, MAX_NAME) === text);
  return isKept && text !== work.card.code ? plain(text, work) : redacted(REDACTED, work);
}

/** Values that we generate, which no mask would change. */
const OWN = /^(?:[a-z]{2,5}_0[1-3][0-9a-hjkmnp-tv-z]{24}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/;

function stringOf(shape: Shape, value: string, work: Work): string {
  if (shape.listed.has(value)) return plain(`"${value}"`, work);
  if (!shape.text && shape.listed.size === 0) return redacted(NOT_KEPT, work);
  if (value.length >= 24 && value.length <= 31 && OWN.test(value) && !holdsOwn(work.card, value))
    return plain(`"${value}"`, work);
  const kept = keepableBeside(work.card, value, MAX_BODY);
  if (kept !== value) work.redacted = true;
  return take(JSON.stringify(kept), work);
}

function listOf(shape: Shape, values: readonly unknown[], work: Work): string {
  const items: string[] = [];
  for (const value of values) {
    if (work.left <= 0) {
      work.cut = true;
      break;
    }
    items.push(textOf(shape, value, work));
    work.left--;
  }
  return `[${items.join()}]`;
}

function objectOf(shape: Shape, value: Record<string, unknown>, work: Work): string {
  const members: string[] = [];
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const known = shape.members.get(name);
    const inner = known?.is ?? shape.rest;
    if (!inner) {
      work.redacted = true;
      continue;
    }
    if (work.left <= 0) {
      work.cut = true;
      break;
    }
    const label = known?.label ?? labelOf(name, work);
    work.left -= label.length + 1;
    const isSecret = inner === "secret" || (!known && isSecretName(name));
    const text = isSecret
      ? member === null
        ? take("null", work)
        : redacted(REDACTED, work)
      : textOf(inner as Shape, member, work);
    members.push(label + text);
  }
  return `{${members.join()}}`;
}

/** For a member that the caller named. */
function labelOf(name: string, work: Work): string {
  const kept = keepableBeside(work.card, name, MAX_NAME);
  if (kept !== name) work.redacted = true;
  return `${JSON.stringify(kept)}:`;
}

function redacted(mark: string, work: Work): string {
  work.redacted = true;
  return take(`"${mark}"`, work);
}

/** A short piece of plain ASCII. */
function plain(text: string, work: Work): string {
  work.left -= text.length;
  return text;
}

/** A piece of text, or a marker if it exceeds the remaining space. */
function take(text: string, work: Work): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= work.left || bytes < MAX_NAME) {
    work.left -= bytes;
    return text;
  }
  work.cut = true;
  work.left = 0;
  return '"…"';
}

/** Problem details are our own text; request values in it are masked when it is built, and again here. */
const PROBLEM: Shape = problemShape();

function problemShape(): Shape {
  const plain = { ...nothing(), text: true, number: true, flag: true };
  const inner = { ...plain, rest: plain };
  return { ...nothing(), rest: { ...plain, list: inner, rest: plain } };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
