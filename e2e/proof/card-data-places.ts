import { z } from "zod";
import type { Canaries, Spelled } from "./canaries";
import { answerTo, type Doors as PlainDoors, type Push, surpriseOf } from "./card-data-paths";
import type { Search } from "./card-data-search";

/** Access needed to reach each place; `apiKey` belongs to a different merchant each time. */
export type Doors = PlainDoors & {
  /** A signed-in owner with a fresh re-authentication. */
  owner(): Promise<Person>;
  staff(): Promise<Person>;
  /** Cookie and CSRF token of a browser session that is not signed in yet. */
  visitor(audience?: "auth" | "support-auth"): Promise<{ cookie: string; csrfToken: string }>;
  /** `mer_…` and `env_…` of a merchant. */
  readonly merchant: { readonly id: string; readonly environment: string };
};
export type Person = { readonly cookie: string; readonly email: string; readonly password: string };

/** An input that a card number can reach. */
export type Place = {
  readonly name: string;
  /** True if the place accepts the spelling at all: one refused only for its length proves little. */
  readonly takes?: (text: string) => boolean;
  /** The request must be refused, without repeating the number in the response. */
  readonly refuses?: true;
  readonly push: (sent: Spelled, doors: Doors) => Push | Promise<Push>;
};

/** Headers that a browser sends from our own pages. */
export const SAME_ORIGIN = { "Sec-Fetch-Site": "same-origin" };

/** Every status that isn't a fault of ours: the request was read, or refused. */
export const ANSWERED = [
  200, 201, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 409, 410, 413, 414, 415, 417, 422, 426, 431,
];
export const JSON_TYPE = { "Content-Type": "application/json" };
export const FORM_TYPE = { "Content-Type": "application/x-www-form-urlencoded" };

/** For addresses: escaped, which is what every client does. */
export const inUrl = (text: string) => encodeURIComponent(text);
export const takesUrl = (text: string) => /^\p{ASCII}*$/u.test(text);
export const takesHeader = (text: string) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);
export const cardOf = ({ number, code }: Spelled) => ({
  number,
  exp_month: 12,
  exp_year: 2040,
  cvv: number.startsWith("3") && number.length === 15 ? `${code}1` : code,
});

/** A member of a body or query, identified by its path. */
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

/** Every string, number and enum of a schema, at any depth; of an array, the first element. */
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
    // A union allows the longest of its members.
    if (field.max > (fields.get(name)?.max ?? 0)) fields.set(name, field);
  }
  return [...fields.values()];
}

/** Copies a body with another value at the path, creating missing parents. */
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

/** True if the field's path begins with this name. */
export const isWithin = ({ path }: Field, name: string) => path[0] === name;

export type Tried = { readonly place: Place; readonly sent: Spelled };

/** `each` numbers for every place, every one in its own spelling. */
export const spelledFor = (places: readonly Place[], each: number, canaries: Canaries): Tried[] =>
  Array.from({ length: each }, () =>
    places.map((place) => ({ place, sent: canaries.spelled(place.name, place.takes) })),
  ).flat();

export type Outcome = { readonly problem: string | null; readonly status: number; readonly path: string };

/** Sends a number to a place and checks that the response is as expected and doesn't repeat the number. */
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

/** The `instance` of a problem repeats the caller's own path. */
const withoutPath = (text: string) => text.replace(/"instance":"(?:[^"\\]|\\.)*"/, "");
