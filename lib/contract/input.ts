import { z } from "zod";
import { explain } from "./messages";

/**
 * Parses a caller's input after removing artifacts of forms: blanks around texts, and texts and nulls that
 * mean "left empty". Messages are our own. `given` is the checked value.
 */
export function parseInput<T extends z.ZodType>(schema: T, sent: unknown) {
  const given = tidy(schema, sent);
  return { given, result: schema.safeParse(given, { error: explain(given) }) as z.ZodSafeParseResult<z.output<T>> };
}

/** Blanks of every script. Joiners and variation selectors aren't blanks: an emoji may end with one. */
const START = /^[\s\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2060\u2800\u3164\uffa0]+/;
const END =
  /(?<![\s\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2060\u2800\u3164\uffa0])[\s\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2060\u2800\u3164\uffa0]+$/;
const NOTHING_VISIBLE = /^[\s\p{DI}\p{Cf}\p{Zl}\p{Zp}\u2800]*$/u;

/** The text without surrounding blanks; "" if nothing in it is visible. */
export const trimmed = (text: string): string =>
  NOTHING_VISIBLE.test(text) ? "" : text.replace(START, "").replace(END, "");

const isPassword = (schema: z.core.$ZodType): boolean => z.globalRegistry.get(schema)?.format === "password";

/** Passwords stay unchanged: blanks may be part of one. */
function tidy(schema: z.core.$ZodType, value: unknown): unknown {
  if (isPassword(schema)) return value;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return tidy(def.innerType, value);
    case "pipe":
      return tidy(def.in, value);
    case "object":
      return isObject(value) ? tidyMembers(def.shape, value) : textOf(value);
    case "array":
      return Array.isArray(value) ? value.map((item) => tidy(def.element, item)) : textOf(value);
    // Merchants' own values, kept to the last blank.
    case "record":
      return isObject(value) ? mapValues(value, (own) => (textOf(own) === "" ? "" : own)) : textOf(value);
    default:
      return textOf(value);
  }
}

const textOf = (value: unknown): unknown => (typeof value === "string" ? trimmed(value) : value);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const mapValues = (value: Record<string, unknown>, change: (member: unknown) => unknown) =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member)]));

function tidyMembers(shape: Readonly<Record<string, z.core.$ZodType>>, value: Record<string, unknown>): object {
  const members = Object.entries(value).flatMap(([name, sent]): [string, unknown][] => {
    const member = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (member === undefined) return [[name, sent]];
    const given = tidy(member, sent);
    if (given !== "" && given !== null) return [[name, given]];
    const taken = takenBy(member);
    if (taken.has(given)) return [[name, given]];
    if (taken.has(null)) return [[name, null]];
    // A blank isn't a number, and unlike an empty text it isn't absent.
    if (isNumeric(member)) return [[name, given === "" ? " " : given]];
    return taken.has(undefined) ? [] : [[name, given]];
  });
  return Object.fromEntries(members);
}

type Nothing = "" | null | undefined;
const known = new WeakMap<z.core.$ZodType, ReadonlySet<Nothing>>();

/** The empty values that a member accepts. */
function takenBy(schema: z.core.$ZodType): ReadonlySet<Nothing> {
  const found = known.get(schema);
  if (found) return found;
  const kinds: Nothing[] = ["", null, undefined];
  const taken = new Set(kinds.filter((kind) => z.safeParse(schema, kind).success));
  known.set(schema, taken);
  return taken;
}

/**
 * An empty number is an error, because an absent amount would refund everything. In a query string it is
 * text.
 */
function isNumeric(schema: z.core.$ZodType): boolean {
  if (z.globalRegistry.get(schema)?.type === "integer") return true;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if ("innerType" in def) return isNumeric(def.innerType);
  return def.type === "number" || def.type === "boolean" || def.type === "bigint";
}
