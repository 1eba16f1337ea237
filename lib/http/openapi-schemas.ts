import { z } from "zod";
import type { Endpoint } from "@/lib/contract/endpoint";
import { ERROR_GUIDE } from "@/lib/contract/error-guide";
import { ERRORS, type ErrorCode, type Problem } from "@/lib/contract/errors";
import { REQUEST_ID } from "@/lib/contract/example-objects";
import type { ExampleObject, HeaderObject, JsonSchema, Ref, ResponseObject } from "@/lib/contract/openapi-document";

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

/** Removes what zod adds for its own checks and readers of the document do not need. */
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
    // Responses may gain members; only requests are closed.
    if (io === "output" && key === "additionalProperties" && member === false) continue;
    if (key === "id" && typeof member === "string") continue;
    if (key === "$ref" && names.has(String(member))) out.$ref = `#/components/schemas/${names.get(String(member))}`;
    else out[key] = rewrite(member, names, io);
  }
  return mergeNull(out);
}

/** Shortens `anyOf: [{ type: "string" }, { type: "null" }]` to `type: ["string", "null"]`. */
function mergeNull(schema: JsonSchema): JsonSchema {
  const [first, second, third] = schema.anyOf ?? [];
  if (!first || second?.type !== "null" || third !== undefined || typeof first.type !== "string") return schema;
  const { anyOf: _, ...rest } = schema;
  const merged: JsonSchema = { ...first, ...rest, type: [first.type, "null"] };
  if (first.enum) merged.enum = [...first.enum, null];
  return merged;
}

export const HEADERS = {
  "X-Request-Id": {
    description: "Id of this request (`req_…`); quote it to support.",
    schema: { type: "string", examples: [REQUEST_ID] },
  },
  "Idempotent-Replayed": {
    description: "`true` when this is the stored response to an earlier request with the same key.",
    schema: { type: "string", const: "true" },
  },
  RateLimit: {
    description: "Requests left and seconds until the allowance is full again.",
    schema: { type: "string", examples: ['"default";r=199;t=1'] },
  },
  "RateLimit-Policy": {
    description: "The allowance: burst and window in seconds.",
    schema: { type: "string", examples: ['"default";q=200;w=2'] },
  },
  "Retry-After": { description: "Seconds to wait before you retry.", schema: { type: "integer", examples: [1] } },
} as const satisfies Record<string, HeaderObject>;
type HeaderName = keyof typeof HEADERS;

const headerRefs = (names: readonly HeaderName[]): Record<string, Ref> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const CODES_WITH_RETRY_AFTER: ReadonlySet<ErrorCode> = new Set(["rate_limited", "idempotency_request_in_progress"]);

const KEY_ERRORS = [
  "api_key_missing",
  "api_key_invalid",
  "permission_denied",
  "ip_not_allowed",
  "merchant_suspended",
  "rate_limited",
  "database_unavailable",
] as const;

/** Every error code of an endpoint, in the order of the error table. */
export function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>([...endpoint.errors, "unknown_parameter", "internal_error"]);
  if (endpoint.permissions.length > 0) for (const code of KEY_ERRORS) codes.add(code);
  if (endpoint.idempotency === "optional") codes.add("idempotency_key_invalid");
  if (endpoint.idempotency === "required") codes.add("processor_error").add("processor_timeout");
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}

export function errorExample(code: ErrorCode, docsUrl: string): ExampleObject & { value: Problem } {
  const { status, title } = ERRORS[code];
  const { detail, instance, ...extra } = ERROR_GUIDE[code].example;
  const value: Problem = {
    type: `${docsUrl}/errors/${code}`,
    title,
    status,
    detail,
    instance,
    code,
    param: null,
    errors: [],
    request_id: REQUEST_ID,
    ...extra,
  };
  return { summary: title, value };
}

/** The error responses for these codes, by status. */
export function errorResponses(
  codes: readonly ErrorCode[],
  problem: JsonSchema,
  headers: readonly HeaderName[],
): Record<string, ResponseObject> {
  const responses: Record<string, ResponseObject> = {};
  for (const status of new Set(codes.map((code) => ERRORS[code].status))) {
    const group = codes.filter((code) => ERRORS[code].status === status);
    const retry: HeaderName[] = group.some((code) => CODES_WITH_RETRY_AFTER.has(code)) ? ["Retry-After"] : [];
    // Requests without a valid key or permission are refused before they are counted.
    const usual = status === 401 || status === 403 ? headers.filter((name) => name === "X-Request-Id") : headers;
    responses[status] = {
      description: group.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join("\n"),
      headers: headerRefs([...usual, ...retry]),
      content: {
        "application/problem+json": {
          schema: problem,
          examples: Object.fromEntries(group.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    };
  }
  return responses;
}

/** A successful response. `examples` by their summary, which also gives them their key. */
export function successResponse(
  description: string,
  schema: JsonSchema,
  examples: Record<string, unknown>,
  headers: readonly HeaderName[],
  mediaType: "application/json" | "text/event-stream" = "application/json",
): ResponseObject {
  return {
    description,
    headers: headerRefs(headers),
    content: {
      [mediaType]: {
        schema,
        examples: Object.fromEntries(
          Object.entries(examples).map(([summary, value]) => [slug(summary), { summary, value }]),
        ),
      },
    },
  };
}

const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, "_");

/** Headers of every response of an endpoint. */
export function headersOf(endpoint: Endpoint): { always: HeaderName[]; stored: HeaderName[] } {
  const always: HeaderName[] = ["X-Request-Id"];
  if (endpoint.permissions.length > 0) always.push("RateLimit", "RateLimit-Policy");
  return { always, stored: endpoint.idempotency === "none" ? always : [...always, "Idempotent-Replayed"] };
}
