import { curl } from "@/components/docs/code";
import { tableOf } from "@/components/docs/to-markdown";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { ERROR_GUIDE } from "@/lib/contract/error-guide";
import { ERRORS, type ErrorCode } from "@/lib/contract/errors";
import { type EndpointName, EXAMPLES, type Example } from "@/lib/contract/examples";
import {
  type JsonSchema,
  type OpenApiDocument,
  type OperationObject,
  parametersOf,
  type ResponseObject,
} from "@/lib/contract/openapi-document";
import { describeSchema, OBJECTS, refName, type Schemas } from "./member-list";

/** The reference and the pages of the error codes as Markdown, from the same document as the pages people see. */

type AddressOf = (href: string) => string;

export function referenceMarkdown(document: OpenApiDocument, addressOf: AddressOf): string {
  const { schemas } = document.components;
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, endpoint]) => ({ method: method.toUpperCase(), path, endpoint })),
  );
  const tags = document.tags.flatMap(({ name, description }) => [
    `## ${name}\n\n${description}`,
    ...entries
      .filter(({ endpoint }) => endpoint.tags[0] === name)
      .map(({ method, path, endpoint }) => endpointMarkdown(method, path, endpoint, document)),
  ]);
  const objects = OBJECTS.map((name) => `### ${name}\n\n${memberTable(schemas[name] ?? {}, schemas, "answer")}`);
  return `${[
    "# API reference",
    `Every endpoint, generated from the definitions that validate your requests. The [guide](${addressOf("/docs")}) covers what all of them have in common; for tools there is [OpenAPI 3.1](${addressOf("/v1/openapi.json")}). Each [error code](${addressOf("/docs/errors")}) has its own page.`,
    ...tags,
    "## Objects\n\nThe objects that responses contain. All fields are always present unless stated otherwise.",
    ...objects,
  ].join("\n\n")}\n`;
}

function endpointMarkdown(method: string, path: string, endpoint: OperationObject, document: OpenApiDocument): string {
  const { schemas } = document.components;
  const isRefusal = ({ content }: ResponseObject) => "application/problem+json" in content;
  const answers = Object.entries(endpoint.responses);
  const codes = answers
    .filter(([, answer]) => isRefusal(answer))
    .flatMap(([, { content }]) => Object.keys(content["application/problem+json"]?.examples ?? {}));
  const successes = answers.filter(([, answer]) => !isRefusal(answer));
  return [
    `### ${endpoint.summary}`,
    `\`${method} ${path}\``,
    endpoint.description,
    parameterTable(endpoint, document),
    bodyTable(endpoint, schemas),
    `Responses:\n\n${successes.map(([status, answer]) => `- \`${status}\` ${typeIn(answer, schemas)}${answer.description}`).join("\n")}`,
    codes.length > 0 && `Errors: ${codes.map((code) => `\`${code}\``).join(", ")}`,
    requestExample(method, path, endpoint, document),
    answerExample(successes),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function parameterTable(endpoint: OperationObject, document: OpenApiDocument): string {
  const rows = parametersOf(endpoint, document).map(({ name, in: place, description, required, schema }) => {
    const { label } = describeSchema(schema, document.components.schemas);
    return [`\`${name}\``, place, `${label}${required ? ", required" : ""}`, describe({ ...schema, description })];
  });
  return rows.length > 0 ? tableOf(["Parameter", "In", "Type", "Description"], rows) : "";
}

function bodyTable({ requestBody }: OperationObject, schemas: Schemas): string {
  const schema = requestBody?.content["application/json"]?.schema;
  const resolved = schema && (schemas[refName(schema) ?? ""] ?? schema);
  if (!resolved || Object.keys(resolved.properties ?? {}).length === 0) return "";
  return `${requestBody?.required ? "Body" : "Body, optional"}:\n\n${memberTable(resolved, schemas, "request")}`;
}

type Kind = "request" | "answer";

const memberTable = (schema: JsonSchema, schemas: Schemas, kind: Kind) =>
  tableOf(["Field", "Type", "Description"], memberRows(schema, schemas, kind));

/** Members of members stand below them, by their whole path. */
function memberRows(
  { properties = {}, required = [] }: JsonSchema,
  schemas: Schemas,
  kind: Kind,
  prefix = "",
): string[][] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const { label, nullable, values, members } = describeSchema(member, schemas);
    const notes = [label, nullable && "or null", kind === "request" && required.includes(name) && "required"];
    const listed = values.length > 0 ? ` One of ${values.map((value) => `\`${value}\``).join(", ")}.` : "";
    const row = [`\`${prefix}${name}\``, notes.filter(Boolean).join(", "), `${describe(member)}${listed}`.trim()];
    const path = `${prefix}${name}${label.startsWith("array") ? "[]" : ""}.`;
    return [row, ...(members ? memberRows(members, schemas, kind, path) : [])];
  });
}

function describe({ description = "", default: value }: JsonSchema): string {
  if (value === undefined || value === null || typeof value === "object") return description;
  return `${description} Default: \`${String(value)}\`.`.trim();
}

const contentOf = ({ content }: ResponseObject) => content["application/json"] ?? content["text/event-stream"];

function typeIn(answer: ResponseObject, schemas: Schemas): string {
  const schema = contentOf(answer)?.schema ?? {};
  const name = refName(schema);
  if (name === null) return "";
  const item = schemas[name]?.properties?.data?.items;
  return item ? `List of ${refName(item) ?? "object"}s. ` : `${name}. `;
}

function requestExample(method: string, path: string, endpoint: OperationObject, document: OpenApiDocument): string {
  const example: Example | undefined = EXAMPLES[endpoint.operationId as EndpointName];
  const server = document.servers[0]?.url ?? "";
  const needsKey = parametersOf(endpoint, document).some(({ in: place, required }) => place === "header" && required);
  const body: unknown = example?.body;
  const search = example?.query ? `?${new URLSearchParams(example.query)}` : "";
  const request = curl({
    ...{ method, url: `${server}${path.replace("{id}", example?.id ?? "")}${search}` },
    withApiKey: endpoint.security.length > 0,
    ...(needsKey && { idempotencyKey: `order-1001-${endpoint.operationId.replace(/[A-Z].*/, "")}` }),
    ...(typeof body === "object" && body !== null && Object.keys(body).length > 0 && { body }),
  });
  return `\`\`\`sh\n${request}\n\`\`\``;
}

function answerExample([first]: [string, ResponseObject][]): string {
  const [example] = Object.values((first && contentOf(first[1])?.examples) ?? {});
  return example && "value" in example ? `\`\`\`json\n${JSON.stringify(example.value, null, 2)}\n\`\`\`` : "";
}

type ErrorPage = { code: ErrorCode; example: object; endpoints: readonly string[] };

/** The page of one error code. `endpoints`: names of those that can answer it. */
export function errorMarkdown({ code, example, endpoints }: ErrorPage, addressOf: AddressOf): string {
  const { status, title } = ERRORS[code];
  const { cause, cure, retry } = ERROR_GUIDE[code];
  const summaries = ENDPOINTS.filter(({ name }) => endpoints.includes(name)).map(({ summary }) => `- ${summary}`);
  return `${[
    `# ${code}`,
    `HTTP ${status}. ${title}. All codes: [Errors](${addressOf("/docs/errors")}).`,
    `## Cause\n\n${cause}`,
    `## What to do\n\n${cure}`,
    `## Retrying\n\n${retry}`,
    `## Example\n\n\`\`\`json title="HTTP ${status}, application/problem+json"\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    summaries.length > 0 && `## Endpoints that return it\n\n${summaries.join("\n")}`,
  ]
    .filter(Boolean)
    .join("\n\n")}\n`;
}
