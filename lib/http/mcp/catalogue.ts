/** The endpoints as an assistant looks for them: by words, then one in full. */
import { z } from "zod";
import { type Endpoint, writes } from "@/lib/contract/endpoint";
import { ENDPOINTS, getOpenApi } from "@/lib/contract/endpoints";
import { ERRORS } from "@/lib/contract/errors";
import { type EndpointName, EXAMPLES, type Example } from "@/lib/contract/examples";
import type { UserPermission } from "@/lib/contract/permissions";
import { rotateWebhookSecret } from "@/lib/contract/webhooks/endpoints";
import { errorCodesOf } from "@/lib/http/openapi-schemas";
import { movesMoney } from "./confirmation";

/** Not here: streams, the document that `describe_endpoint` replaces, and a secret, which an assistant must not see. */
const LEFT_OUT: ReadonlySet<string> = new Set([getOpenApi.name, rotateWebhookSecret.name]);
export const OFFERED: readonly Endpoint[] = ENDPOINTS.filter(({ name, streams }) => !streams && !LEFT_OUT.has(name));

type Permissions = ReadonlySet<UserPermission>;

export const isPermitted = ({ permissions }: Pick<Endpoint, "permissions">, own: Permissions): boolean =>
  permissions.some((permission) => own.has(permission));

const toolFor = (endpoint: Endpoint) => (writes(endpoint) ? "execute_endpoint" : "read_endpoint");

const MOST_FOUND = 12;

/** The best matches first; all of them without words. */
export function searchEndpoints(query: string, own: Permissions): Record<string, unknown>[] {
  const words = query.toLowerCase().match(/[a-z]+/g) ?? [];
  const found = OFFERED.map((endpoint) => ({ endpoint, score: scoreOf(endpoint, words) }))
    .filter(({ score }) => words.length === 0 || score > 0)
    .toSorted((a, b) => b.score - a.score);
  return found.slice(0, words.length === 0 ? found.length : MOST_FOUND).map(({ endpoint }) => ({
    ...{ name: endpoint.name, method: endpoint.method, path: endpoint.path, summary: endpoint.summary },
    ...{ tool: toolFor(endpoint), permitted: isPermitted(endpoint, own) },
  }));
}

/** A word in the name or the summary says more than one in the description. "refunds" finds "refund". */
function scoreOf({ name, path, summary, description, tag }: Endpoint, words: readonly string[]): number {
  const title = `${name.replace(/[A-Z]/g, " $&")} ${summary} ${path} ${tag}`.toLowerCase();
  const text = description.toLowerCase();
  const stems = words.map((word) => (word.length > 3 ? word.replace(/(?:es|s|ing|ed)$/, "") : word));
  return stems.reduce((sum, stem) => sum + (title.includes(stem) ? 3 : 0) + (text.includes(stem) ? 1 : 0), 0);
}

/** JSON Schema as tools take it: an object, where zod refers to one by its name. */
export function jsonSchema(schema: z.ZodType, io: "input" | "output" = "input"): Record<string, unknown> {
  const { $schema: _, $ref, ...rest } = z.toJSONSchema(schema, { io });
  return { ...rest, ...($ref !== undefined && rest.$defs?.[$ref.slice("#/$defs/".length)]) };
}

export function describeEndpoint(endpoint: Endpoint, own: Permissions, withAnswer: boolean): Record<string, unknown> {
  const { name, method, path, summary, description, permissions, query, body, bodyOptional, response } = endpoint;
  const example: Example = EXAMPLES[name as EndpointName];
  const [answer] = Object.values(example.responses);
  return {
    ...{ name, method, path, summary, description, permissions, permitted: isPermitted(endpoint, own) },
    ...{ tool: toolFor(endpoint), asks_person_to_confirm: movesMoney(endpoint), needs_id: path.includes("{id}") },
    ...(query && { query_schema: jsonSchema(query) }),
    ...(body && { body_schema: jsonSchema(body), body_optional: bodyOptional ?? false }),
    errors: errorCodesOf(endpoint).map((code) => ({ code, ...ERRORS[code] })),
    example: { id: example.id, query: example.query, body: withoutCard(example.body), answer },
    ...(withAnswer && { answer_schema: jsonSchema(response, "output") }),
  };
}

/** An assistant pays with a token: an example with a card would teach it to ask for one. */
function withoutCard(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("card" in body)) return body;
  const { card: _, ...rest } = body;
  return { ...rest, payment_token: "tok_…" };
}
