import type { JsonSchema } from "@/lib/contract/openapi-document";

/** Converts JSON Schema to TypeScript for the client's interfaces. */

/** The TypeScript type of a schema. `depth`: indentation of its members. */
export function typeOf(schema: JsonSchema, depth = 0): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) as string;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? (schema.oneOf as JsonSchema[] | undefined);
  if (choices) return unionOf(choices.map((choice) => typeOf(choice, depth)));
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => typeOf({ ...schema, type }, depth)));
  switch (schema.type) {
    case "string":
    case "number":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
      return "number";
    case "array":
      return listOf(typeOf(schema.items ?? {}, depth));
    case "object":
      return schema.properties ? closedObject(schema, depth) : recordOf(schema, depth);
    default:
      return "unknown";
  }
}

/** An object's members, each with its description. */
export function closedObject({ properties = {}, required = [] }: JsonSchema, depth = 0): string {
  const indent = "  ".repeat(depth + 1);
  const members = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? "" : "?";
    return `${docComment(describe(schema), indent.length)}${indent}${name}${optional}: ${typeOf(schema, depth + 1)};`;
  });
  return members.length > 0 ? `{\n${members.join("\n")}\n${"  ".repeat(depth)}}` : "Record<string, never>";
}

/** A doc comment, placed before the declaration; empty for an empty text. */
export function docComment(text: string, indent = 0): string {
  const space = " ".repeat(indent);
  const lines = text.replaceAll("*/", "*\\/").split(/\n+/);
  if (text === "") return "";
  return lines.length === 1
    ? `${space}/** ${lines[0]} */\n`
    : `${space}/**\n${lines.map((line) => `${space} * ${line}\n`).join(`${space} *\n`)}${space} */\n`;
}

function describe({ description = "", default: value }: JsonSchema): string {
  if (value === undefined || value === null) return description;
  return `${description} Default: \`${JSON.stringify(value)}\`.`.trim();
}

/** Drops string literals from a union with `string`. */
const unionOf = (types: readonly string[]) =>
  [...new Set(types)].filter((type) => !(type.startsWith('"') && types.includes("string"))).join(" | ");

const listOf = (type: string) => (/^\w+$/.test(type) ? `${type}[]` : `(${type})[]`);

function recordOf({ additionalProperties }: JsonSchema, depth: number): string {
  const value = typeof additionalProperties === "object" ? typeOf(additionalProperties, depth) : "unknown";
  return `Record<string, ${value}>`;
}
