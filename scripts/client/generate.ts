import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Endpoint } from "@/lib/contract/endpoint";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { ERROR_CODES } from "@/lib/contract/errors";
import { EVENT_TYPES, EVENTS, type EventType } from "@/lib/contract/events/event";
import type { JsonSchema, OperationObject, ParameterObject, Ref } from "@/lib/contract/openapi-document";
import { DECLINE_CODES } from "@/lib/contract/transactions/words";
import { buildOpenApi } from "@/lib/http/openapi";
import { closedObject, docComment, typeOf } from "./typescript";

/**
 * Generates parts of packages/node from the registry: an interface for every object and request, the unions of
 * codes and events, and a class for every resource with a method for every endpoint.
 */
export function generateClient(): { problem: string; api: string } {
  const document = buildOpenApi({ baseUrl: "http://localhost:3000", sandboxBaseUrl: null, liveBaseUrl: null });
  const { schemas } = document.components;
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const operationOf = (endpoint: Endpoint) =>
    operations.find(({ operationId }) => operationId === endpoint.name) as OperationObject;
  const resources = new Map<string, Endpoint[]>();
  for (const endpoint of ENDPOINTS) {
    const name = resourceOf(endpoint.path);
    resources.set(name, [...(resources.get(name) ?? []), endpoint]);
  }
  const problem = [
    HEADER,
    declaration("Problem", schemas.Problem as JsonSchema),
    union("ErrorCode", "What to branch on when a request fails.", ERROR_CODES),
    union("DeclineCode", "Why a card was declined.", DECLINE_CODES),
  ];
  const api = [
    HEADER,
    'import type { DeclineCode } from "./problem.ts";',
    'import { type PageResult, type RequestOptions, Resource, type Result, type Transport } from "./transport.ts";',
    'import type { StreamOptions } from "./event-stream.ts";',
    ...Object.entries(schemas)
      .filter(([name]) => name !== "Event" && name !== "Health" && name !== "Problem")
      .map(([name, schema]) => declaration(name, schema)),
    events(schemas.Event as JsonSchema),
    ...ENDPOINTS.filter(({ query }) => query).map((endpoint) => queryInterface(endpoint, operationOf(endpoint))),
    ...[...resources].map(([name, endpoints]) =>
      resourceClass(
        name,
        endpoints.map((endpoint) => method(endpoint, operationOf(endpoint), schemas)),
      ),
    ),
    resourceTable([...resources.keys()]),
  ];
  return { problem: fileText(problem), api: fileText(api) };
}

const HEADER = "// Made by `npm run client:generate` from the registry of endpoints. Don't edit it.";

const fileText = (parts: string[]) => `${withNames(parts.join("\n\n"))}\n`;

/** Replaces enums that the document repeats inline by their names. */
const withNames = (text: string) =>
  [
    [ERROR_CODES, "ErrorCode"] as const,
    [DECLINE_CODES, "DeclineCode"] as const,
    [EVENT_TYPES, "EventType"] as const,
  ].reduce(
    (all, [values, name]) => all.replaceAll(values.map((value) => JSON.stringify(value)).join(" | "), name),
    text,
  );

const camel = (text: string) => text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const pascal = (text: string) => camel(text).replace(/^\w/, (letter) => letter.toUpperCase());

/** `/v1/webhook-endpoints/{id}/test` belongs to `webhookEndpoints`. */
export const resourceOf = (path: string): string => camel((path.split("/")[2] ?? "").replace(/\..*$/, ""));

/**
 * Method name: the verb of the endpoint's name, plus the rest of its path: `list`, `listDeliveries`. If the path
 * ends in that verb, only the path: `refund`, `rotateSecret`.
 */
export function methodOf({ name, path }: Pick<Endpoint, "name" | "path">): string {
  const verb = /^[a-z]+/.exec(name)?.[0] ?? name;
  const rest = path
    .split("/")
    .slice(3)
    .filter((part) => part !== "{id}")
    .join("-");
  return rest.startsWith(verb) ? camel(rest) : verb + pascal(rest);
}

function declaration(name: string, schema: JsonSchema): string {
  const comment = docComment(schema.description ?? "");
  if (schema.type === "object" && schema.properties)
    return `${comment}export interface ${name} ${closedObject(schema)}`;
  return `${comment}export type ${name} = ${typeOf(schema)};`;
}

const union = (name: string, description: string, values: readonly string[]) =>
  `${docComment(description)}export type ${name} =\n${values.map((value) => `  | ${JSON.stringify(value)}`).join("\n")};`;

/** Component of the object in an event type's data. */
function objectOf(type: EventType): string {
  const id = z.globalRegistry.get(EVENTS[type].data.shape.object)?.id;
  if (id === undefined) throw new Error(`The object of ${type} has no name in the schema.`);
  return id;
}

/** A type for each event, so that `type` determines `data`. */
function events(schema: JsonSchema): string {
  const { type: _, data: __, ...shared } = schema.properties ?? {};
  const rows = EVENT_TYPES.map(
    (type) => `${docComment(EVENTS[type].tells, 2)}  ${JSON.stringify(type)}: ${objectOf(type)};`,
  );
  const members = closedObject({ ...schema, properties: shared }).replace(/^\{\n|\n\}$/g, "");
  return `${docComment("What the events of each type hold.")}export interface EventObjects {
${rows.join("\n")}
}

/** Every type of event. */
export type EventType = keyof EventObjects;

/** The members that changed, as they were before. */
export type Previous<O> = { [K in keyof O]?: O[K] extends (infer Item)[] ? (Item | Partial<Item>)[] : O[K] };

/** What happened, with the object as it was then. \`type\` tells what \`data\` holds. */
export type Event<T extends EventType = EventType> = {
  [K in T]: {
    /** What happened. */
    type: K;
${members.replace(/^/gm, "  ")}
    /** What happened to what. */
    data: {
      /** The object as it was then. */
      object: EventObjects[K];
      /** The previous values of the fields that changed; null in an object's first event. */
      previous: Previous<EventObjects[K]> | null;
    };
  };
}[T];`;
}

const queryName = (endpoint: Endpoint) => `${pascal(endpoint.name)}Query`;

const isQuery = (item: ParameterObject | Ref): item is ParameterObject => "in" in item && item.in === "query";
const queryOf = ({ parameters = [] }: OperationObject) => parameters.filter(isQuery);

function queryInterface(endpoint: Endpoint, operation: OperationObject): string {
  const rows = queryOf(operation).map(
    ({ name, description, required, schema }) => [name, { ...schema, description }, required] as const,
  );
  const properties = Object.fromEntries(rows.map(([name, schema]) => [name, schema]));
  const required = rows.filter(([, , needed]) => needed).map(([name]) => name);
  return `${docComment(`Filters and page of ${resourceOf(endpoint.path)}.${methodOf(endpoint)}.`)}export interface ${queryName(endpoint)} ${closedObject({ type: "object", properties, required })}`;
}

function method(endpoint: Endpoint, operation: OperationObject, schemas: Record<string, JsonSchema>): string {
  const name = methodOf(endpoint);
  const comment = docComment(`${endpoint.summary}. ${operation.description}`, 2);
  if (endpoint.streams) {
    const path = JSON.stringify(endpoint.path);
    return `${comment}  ${name}(options?: StreamOptions): AsyncIterableIterator<Event> {\n    return this.open(${path}, options);\n  }`;
  }
  const answer = operation.responses[endpoint.status]?.content["application/json"]?.schema ?? {};
  const body = operation.requestBody?.content["application/json"]?.schema;
  // A body without members needs no parameter.
  const takesBody = body !== undefined && Object.keys(resolve(body, schemas).properties ?? {}).length > 0;
  const isRead = endpoint.permissions.every((permission) => /\.(read|search)$/.test(permission));
  const parameters = [
    endpoint.path.includes("{id}") && "id: string",
    endpoint.query && `query: ${queryName(endpoint)} = {}`,
    takesBody && `body: ${typeOf(body)}${endpoint.bodyOptional ? " = {}" : ""}`,
    "options?: RequestOptions",
  ];
  const call = [
    `method: ${JSON.stringify(endpoint.method)}`,
    `path: ${pathExpression(endpoint.path)}`,
    endpoint.query && "query",
    queryOf(operation).some(({ name }) => name === "starting_after") && "byCursor: true",
    takesBody ? "body" : body && "body: {}",
    endpoint.idempotency !== "none" && "takesKey: true",
    isRead && endpoint.method !== "GET" && "isRead: true",
  ];
  const item = resolve(answer, schemas).properties?.data?.items;
  const [result, send] = item
    ? [`PageResult<${typeOf(answer)}, ${typeOf(item)}>`, "page"]
    : [`Result<${typeOf(answer)}>`, "send"];
  const signature = `${name}(${parameters.filter(Boolean).join(", ")}): ${result}`;
  return `${comment}  ${signature} {\n    return this.${send}({ ${call.filter(Boolean).join(", ")} }, options);\n  }`;
}

const resolve = (schema: JsonSchema, schemas: Record<string, JsonSchema>): JsonSchema =>
  schema.$ref ? (schemas[schema.$ref.split("/").at(-1) as string] ?? {}) : schema;

function resourceClass(name: string, methods: readonly string[]): string {
  return `class ${pascal(name)}Resource extends Resource {\n${methods.join("\n\n")}\n}`;
}

/** The class with all resources by name. */
function resourceTable(names: readonly string[]): string {
  const members = names.map((name) => `  readonly ${name}: ${pascal(name)}Resource;`);
  const made = names.map((name) => `    this.${name} = new ${pascal(name)}Resource(transport);`);
  return `/** Every resource of the API under its name. */
export class Resources {\n${members.join("\n")}\n\n  constructor(transport: Transport) {\n${made.join("\n")}\n  }\n}`;
}

const pathExpression = (path: string) =>
  path.includes("{id}") ? `\`${path.replace("{id}", "$" + "{encodeURIComponent(id)}")}\`` : JSON.stringify(path);

// Run by `npm run client:generate`; a test also imports this file.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of Object.entries(generateClient()))
    writeFileSync(new URL(`../../packages/node/src/${name}.ts`, import.meta.url), text);
}
