import { z } from "zod";
import type { Canaries, Spelled } from "./canaries";
import { answerTo, type Doors as PlainDoors, type Push, surpriseOf } from "./card-data-paths";
import type { Search } from "./card-data-search";

/** What somebody needs to get to each place; `apiKey` is another merchant's each time. */
export type Doors = PlainDoors & {
  /** An owner who is signed in and has proved it. */
  owner(): Promise<Person>;
  staff(): Promise<Person>;
  /** A session of a browser that nobody is signed in with, to sign in: its cookie and its token. */
  visitor(audience?: "auth" | "support-auth"): Promise<{ cookie: string; csrfToken: string }>;
  /** `mer_…` and `env_…` of a merchant. */
  readonly merchant: { readonly id: string; readonly environment: string };
};
export type Person = { readonly cookie: string; readonly email: string; readonly password: string };

/** Somewhere that a number can get to. */
export type Place = {
  readonly name: string;
  /** Whether a spelling can stand there at all: one that is only refused for its length proves little. */
  readonly takes?: (text: string) => boolean;
  /** What is sent refuses the number, and its answer must not repeat it. */
  readonly refuses?: true;
  readonly push: (sent: Spelled, doors: Doors) => Push | Promise<Push>;
};

/** As a browser's own pages send it. */
export const SAME_ORIGIN = { "Sec-Fetch-Site": "same-origin" };

/** Whatever is not a fault of ours: it was read, or refused. */
export const ANSWERED = [
  200, 201, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 409, 410, 413, 414, 415, 417, 422, 426, 431,
];
export const JSON_TYPE = { "Content-Type": "application/json" };
export const FORM_TYPE = { "Content-Type": "application/x-www-form-urlencoded" };

const MAX_ENCODED = 3_000;
/** In an address, escaped as every client does it. */
export const inUrl = (text: string) => encodeURIComponent(text);
export const takesUrl = (text: string) => text.isWellFormed() && inUrl(text).length <= MAX_ENCODED;
/** In a header's value, whose bytes are UTF-8. */
export const inHeader = (text: string) => Buffer.from(text).toString("latin1");
export const takesHeader = (text: string) =>
  /^[\x21-\x7e\x80-\xff]([\x20-\xff]*[\x21-\x7e\x80-\xff])?$/.test(inHeader(text)) && !inHeader(text).includes("\x7f");
/** IPv6 has room for a number: 4242:4242:4242:4242::. */
export const asAddress = (number: string) => `${number.match(/.{1,4}/g)?.join(":")}::`;
export const cardOf = ({ number, code }: Spelled) => ({
  number,
  exp_month: 12,
  exp_year: 2040,
  cvv: number.startsWith("3") && number.length === 15 ? `${code}1` : code,
});

/** A member of a body or query, by where it stands. */
export type Field = { readonly path: readonly string[]; readonly max: number };
type Schema = {
  $ref?: string;
  $defs?: Record<string, Schema>;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | false;
  maxLength?: number;
};

/** Every member of a schema that holds a text, a number or a choice, however deep it stands; of a list the first. */
export function fieldsOf(schema: z.ZodType): Field[] {
  const root = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema;
  const walk = (node: Schema, path: readonly string[]): Field[] => {
    const { $ref, anyOf, properties, items, additionalProperties } = node;
    if ($ref) return walk(root.$defs?.[$ref.split("/").at(-1) as string] ?? {}, path);
    if (anyOf) return anyOf.flatMap((one) => walk(one, path));
    if (properties) return Object.entries(properties).flatMap(([name, one]) => walk(one, [...path, name]));
    if (items) return walk(items, [...path, "0"]);
    if (additionalProperties) return walk(additionalProperties, [...path, "note"]);
    return [{ path, max: node.maxLength ?? Number.POSITIVE_INFINITY }];
  };
  const fields = new Map<string, Field>();
  for (const field of walk(root, [])) {
    const name = field.path.join(".");
    // What may be either is as long as the longer one.
    if (field.max > (fields.get(name)?.max ?? 0)) fields.set(name, field);
  }
  return [...fields.values()];
}

/** A copy of a body with another value there; what is missing on the way is made. */
export function withValue(body: object, path: readonly string[], value: unknown): object {
  const copy = structuredClone(body) as Record<string, unknown>;
  let at = copy;
  for (const [index, name] of path.slice(0, -1).entries()) {
    const inside = at[name];
    if (typeof inside !== "object" || inside === null) at[name] = path[index + 1] === "0" ? [] : {};
    at = at[name] as Record<string, unknown>;
  }
  at[path.at(-1) as string] = value;
  return copy;
}

/** Whether the way to a field leads through this one. */
export const isWithin = ({ path }: Field, name: string) => path[0] === name;

export type Tried = { readonly place: Place; readonly sent: Spelled };

/** So many numbers for each place, each in a spelling of its own. */
export const spelledFor = (places: readonly Place[], each: number, canaries: Canaries): Tried[] =>
  Array.from({ length: each }, () =>
    places.map((place) => ({ place, sent: canaries.spelled(place.name, place.takes) })),
  ).flat();

export type Outcome = { readonly problem: string | null; readonly status: number; readonly path: string };

/** Sends a number there, and looks whether the answer is as it should be and keeps the number to itself. */
export async function attempt({ place, sent }: Tried, doors: Doors, search: Search): Promise<Outcome> {
  const push = await place.push(sent, doors);
  const answer = await answerTo(doors, push);
  const repeated = place.refuses ? search(Buffer.from(withoutPath(answer.text))) : [];
  const problem =
    surpriseOf(push, answer) ??
    (repeated.length > 0
      ? `the answer repeats it (${repeated.map(({ form }) => form).join(", ")}): ${answer.text}`
      : null);
  return { problem: problem && `${place.name}: ${problem}`, status: answer.status, path: push.path };
}

/** Where a problem happened is what the caller asked for. */
const withoutPath = (text: string) => text.replace(/"instance":"(?:[^"\\]|\\.)*"/, "");
