/** Search for endpoints by keywords, and the full description of one. */
import { z } from "zod";
import { type Endpoint, type Example, writes } from "@/lib/contract/endpoint";
import { ENDPOINTS, getOpenApi } from "@/lib/contract/endpoints";
import { ERRORS } from "@/lib/contract/errors";
import { type EndpointName, EXAMPLES } from "@/lib/contract/examples";
import type { UserPermission } from "@/lib/contract/permissions";
import { createPortalSession } from "@/lib/contract/portal/endpoints";
import { rotateWebhookSecret } from "@/lib/contract/webhooks/endpoints";
import { errorCodesOf } from "@/lib/http/openapi-schemas";
import { movesMoney } from "./confirmation";

/**
 * Not offered: streams, the document that `describe_endpoint` replaces, and endpoints that return a secret or
 * an address that opens a customer's page.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...[getOpenApi.name, rotateWebhookSecret.name, createPortalSession.name],
]);
export const OFFERED: readonly Endpoint[] = ENDPOINTS.filter(({ name, streams }) => !streams && !LEFT_OUT.has(name));

type Permissions = ReadonlySet<UserPermission>;

export const isPermitted = ({ permissions }: Pick<Endpoint, "permissions">, own: Permissions): boolean =>
  permissions.some((permission) => own.has(permission));

const toolFor = (endpoint: Endpoint) => (writes(endpoint) ? "execute_endpoint" : "read_endpoint");

const MAX_RESULTS = 12;

/** Best matches first; every endpoint if there are no keywords. */
export function searchEndpoints(query: string, own: Permissions): Record<string, unknown>[] {
  const words = query.toLowerCase().match(/[a-z]+/g) ?? [];
  const found = OFFERED.map((endpoint) => ({ endpoint, score: scoreOf(endpoint, words) }))
    .filter(({ score }) => words.length === 0 || score > 0)
    .toSorted((a, b) => b.score - a.score);
  return found.slice(0, words.length === 0 ? found.length : MAX_RESULTS).map(({ endpoint }) => ({
    name: endpoint.name,
    method: endpoint.method,
    path: endpoint.path,
    summary: endpoint.summary,
    tool: toolFor(endpoint),
    permitted: isPermitted(endpoint, own),
  }));
}

/** A word in the name or the summary counts more than one in the description. "refunds" finds "refund". */
function scoreOf({ name, path, summary, description, tag }: Endpoint, words: readonly string[]): number {
  const title = `${name.replace(/[A-Z]/g, " $&")} ${summary} ${path} ${tag}`.toLowerCase();
  const text = description.toLowerCase();
  const stems = words.map((word) => (word.length > 3 ? word.replace(/(?:es|s|ing|ed)$/, "") : word));
  return stems.reduce((sum, stem) => sum + (title.includes(stem) ? 3 : 0) + (text.includes(stem) ? 1 : 0), 0);
}

/** JSON Schema in the form that tools need: an object, even if zod makes it a reference to a named schema. */
export function jsonSchema(schema: z.ZodType, io: "input" | "output" = "input"): Record<string, unknown> {
  const { $schema: _, $ref, ...rest } = z.toJSONSchema(schema, { io });
  return { ...rest, ...($ref !== undefined && rest.$defs?.[$ref.slice("#/$defs/".length)]) };
}

export function describeEndpoint(endpoint: Endpoint, own: Permissions, withAnswer: boolean): Record<string, unknown> {
  const { name, method, path, summary, description, permissions, query, body, bodyOptional, response } = endpoint;
  const example: Example = EXAMPLES[name as EndpointName];
  const [answer] = Object.values(example.responses);
  return {
    name,
    method,
    path,
    summary,
    description,
    permissions,
    permitted: isPermitted(endpoint, own),
    tool: toolFor(endpoint),
    asks_person_to_confirm: movesMoney(endpoint),
    needs_id: path.includes("{id}"),
    ...(query && { query_schema: jsonSchema(query) }),
    ...(body && { body_schema: jsonSchema(body), body_optional: bodyOptional ?? false }),
    errors: errorCodesOf(endpoint).map((code) => ({ code, ...ERRORS[code] })),
    example: { id: example.id, query: example.query, body: withoutCard(example.body), answer },
    ...(withAnswer && { answer_schema: jsonSchema(response, "output") }),
  };
}

/** Replaces the card by a token: an example with a card would teach an assistant to ask for card numbers. */
function withoutCard(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("card" in body)) return body;
  const { card: _, ...rest } = body;
  return { ...rest, payment_token: "tok_…" };
}
