import { z } from "zod";
import type { JsonSchema } from "@/lib/contract/openapi-document";

export type SchemaCollection = {
  /** The schema for use in the document: a reference when it has a name. */
  of(schema: z.ZodType, io: "input" | "output"): JsonSchema;
  /** Everything that the references point to. */
  readonly components: Record<string, JsonSchema>;
};

/** Turns zod schemas into OpenAPI 3.1 schemas and gathers the named ones (`meta({ id })`) as components. */
export function collectSchemas(): SchemaCollection {
  const components: Record<string, JsonSchema> = {};

  /** A name whose request form differs from its response form gets a component for each. */
  function place(id: string, schema: JsonSchema, io: "input" | "output"): string {
    const name = io === "output" || id.endsWith("Request") || isEnum(schema) ? id : `${id}Input`;
    components[name] = schema;
    return name;
  }

  return {
    components,
    of(schema, io) {
      const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, override: tidy }) as JsonSchema;
      const names = new Map<string, string>();
      for (const [id, definition] of Object.entries($defs)) names.set(`#/$defs/${id}`, place(id, definition, io));
      const finish = (part: JsonSchema) => rewrite(part, names, io) as JsonSchema;
      for (const name of names.values()) {
        const component = components[name] as JsonSchema;
        components[name] = finish(component);
      }
      const id = z.globalRegistry.get(schema)?.id;
      if (id === undefined || root.$ref !== undefined) return finish(root);
      const { id: _id, ...rest } = root;
      return { $ref: `#/components/schemas/${place(id, finish(rest), io)}` };
    },
  };
}

const isEnum = (schema: JsonSchema) => schema.enum !== undefined;

/** Takes out what zod adds for its own checking and a reader of the document has no use for. */
function tidy({ jsonSchema }: { jsonSchema: object }): void {
  const schema = jsonSchema as JsonSchema;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format === "email" || schema.format === "date-time" || schema.type === "integer") delete schema.pattern;
}

function rewrite(value: unknown, names: ReadonlyMap<string, string>, io: "input" | "output"): unknown {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, names, io));
  if (typeof value !== "object" || value === null) return value;
  const out: JsonSchema = {};
  for (const [key, member] of Object.entries(value)) {
    // An answer may grow members; only requests are closed.
    if (io === "output" && key === "additionalProperties" && member === false) continue;
    if (key === "id" && typeof member === "string") continue;
    if (key === "$ref" && names.has(String(member))) out.$ref = `#/components/schemas/${names.get(String(member))}`;
    else out[key] = rewrite(member, names, io);
  }
  return mergeNull(out);
}

/** `anyOf: [{ type: "string" }, { type: "null" }]` says the same as `type: ["string", "null"]`, at greater length. */
function mergeNull(schema: JsonSchema): JsonSchema {
  const [first, second, third] = schema.anyOf ?? [];
  if (!first || second?.type !== "null" || third !== undefined || typeof first.type !== "string") return schema;
  const { anyOf: _, ...rest } = schema;
  const merged: JsonSchema = { ...first, ...rest, type: [first.type, "null"] };
  if (first.enum) merged.enum = [...first.enum, null];
  return merged;
}
