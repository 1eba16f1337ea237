import type { JsonSchema } from "@/lib/contract/openapi-document";

export type Schemas = Readonly<Record<string, JsonSchema>>;

const PREFIX = "#/components/schemas/";

/** Components that have a section of their own: they are linked, not unfolded. */
export const OBJECTS = ["Payment", "Transaction", "SubscriptionPlan", "ClientSession", "Problem"] as const;
const isObject = (name: string) => (OBJECTS as readonly string[]).includes(name);

export const refName = (schema: JsonSchema): string | null =>
  schema.$ref?.startsWith(PREFIX) ? schema.$ref.slice(PREFIX.length) : null;

/** What a member is, ready to be written down. */
export type Described = {
  label: string;
  /** Name of the object it links to. */
  link: string | null;
  nullable: boolean;
  values: string[];
  /** The members of an object that is unfolded in place. */
  members: JsonSchema | null;
};

export function describeSchema(schema: JsonSchema, schemas: Schemas): Described {
  const name = refName(schema);
  if (name !== null) {
    if (isObject(name)) return { label: name, link: name, nullable: false, values: [], members: null };
    return describeSchema(schemas[name] ?? {}, schemas);
  }
  const options = schema.anyOf?.filter((option) => option.type !== "null");
  if (schema.anyOf && options?.length === 1) {
    return { ...describeSchema(options[0] ?? {}, schemas), nullable: options.length < schema.anyOf.length };
  }
  const types = [schema.type ?? []].flat();
  const nullable = types.includes("null");
  const type = types.find((candidate) => candidate !== "null") ?? "any";
  if (type === "array") return describeArray(schema, schemas, nullable);
  const values = (schema.enum ?? []).filter((value) => value !== null).map(String);
  const format = schema.format === "date-time" ? "time" : schema.format === "email" ? "e-mail" : type;
  return { label: format, link: null, nullable, values, members: schema.properties ? schema : null };
}

function describeArray(schema: JsonSchema, schemas: Schemas, nullable: boolean): Described {
  const item = describeSchema(schema.items ?? {}, schemas);
  return { ...item, label: `array of ${item.label}${item.link ? "" : "s"}`, nullable };
}

const number = new Intl.NumberFormat("en");

/** The limits of a value that a caller must keep to. */
export function limitsOf(schema: JsonSchema): string[] {
  const { minimum, maximum, maxLength, maxItems } = schema;
  const limits: string[] = [];
  if (typeof minimum === "number" && typeof maximum === "number") {
    limits.push(`${number.format(minimum)}–${number.format(maximum)}`);
  } else if (typeof minimum === "number") limits.push(`at least ${number.format(minimum)}`);
  if (maxLength !== undefined) limits.push(`at most ${maxLength} characters`);
  if (maxItems !== undefined) limits.push(`at most ${maxItems}`);
  return limits;
}
