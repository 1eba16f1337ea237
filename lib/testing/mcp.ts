import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import type { Database } from "@/db/client";
import { PERMISSIONS, type Permission } from "@/lib/contract/permissions";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import type { Service } from "@/lib/domain/context";
import { textOf, toResponse } from "@/lib/http/answer";
import { provideService } from "@/lib/http/current-service";
import { dispatch } from "@/lib/http/dispatch";
import { mcp } from "@/lib/http/mcp/server";
import { newId } from "@/lib/ids";
import { createTestMerchant, testService } from "./factories";

/** Assistants at /mcp: the official client, and messages as they go over the wire. */

export const URL_OF_MCP = "http://cardlane.test/mcp";
export const CARD = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };

export type Json = Record<string, unknown>;
type Question = { message: string };
export type Answer = { action: "accept" | "decline" | "cancel"; content?: Record<string, boolean> };
/** Of whichever tool: the members that tests look into. */
export type Content = Json & {
  notice: string;
  data: { id: string };
  endpoints: Json[];
  body_schema: { required: string[] };
  errors: Json[];
  example: { body: Json };
  error: { code: string; detail: string };
};
export const YES: Answer = { action: "accept", content: { confirm: true } };

export function testShops(db: Database) {
  const service = testService(db);
  return {
    service,
    /** What a process remembers is gone: the next request is another process's. */
    nextProcess: (overrides: Partial<Service> = {}) => void provideService(testService(db, overrides)),
    shop: (permissions?: readonly Permission[]) => shop(db, service, permissions),
  };
}

async function shop(db: Database, service: Service, permissions: readonly Permission[] = PERMISSIONS) {
  const merchant = await createTestMerchant(db);
  const keyWith = async (own: readonly Permission[], of: "test" | "live" = "test") =>
    (await createApiKey(service, { environmentId: merchant[of].id, name: "K", permissions: own })).secret;
  const key = await keyWith(permissions);
  const all = await keyWith(PERMISSIONS);
  const api = async (path: string, body?: object) => {
    const answer = await dispatch(
      new Request(`http://cardlane.test${path}`, {
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        headers: { "x-api-key": all, "content-type": "application/json", "x-idempotency-key": newId() },
      }),
      { ip: "192.0.2.1" },
    );
    answer.sent?.();
    return JSON.parse(textOf(answer.body));
  };
  return {
    key,
    keyWith,
    pay: (over: object = {}) => api("/v1/payments", { amount: 5_000, currency: "USD", card: CARD, ...over }),
    payment: (id: string) => api(`/v1/payments/${id}`),
  };
}

export const fetchMcp = async (input: string | URL, init?: RequestInit) =>
  toResponse(await mcp(new Request(input, init), { ip: "192.0.2.1" }));

type Ask = (question: Question) => Answer | Promise<Answer>;

/** The official client, with a person who answers by `ask`; none when nobody can be asked. */
export async function connect(key: string, { ask, legacy = false }: { ask?: Ask; legacy?: boolean } = {}) {
  const options: ClientOptions = {
    versionNegotiation: { mode: legacy ? "legacy" : { pin: "2026-07-28" } },
    capabilities: ask ? { elicitation: { form: {} } } : {},
  };
  const client = new Client({ name: "test", version: "1" }, options);
  if (ask) client.setRequestHandler("elicitation/create", ({ params }) => ask(params as Question) as never);
  const transport = new StreamableHTTPClientTransport(new URL(URL_OF_MCP), {
    fetch: fetchMcp,
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  const call = async (name: string, input: Json = {}) => {
    const result = await client.callTool({ name, arguments: input });
    return { isError: result.isError === true, ...(result.structuredContent as Content) };
  };
  return { client, call, names: async () => (await client.listTools()).tools.map(({ name }) => name) };
}

/** One message as it goes over the wire in 2026-07-28. */
export async function post(key: string | null, message: unknown, headers: Record<string, string> = {}) {
  const response = await fetchMcp(URL_OF_MCP, {
    method: "POST",
    body: typeof message === "string" ? message : JSON.stringify(message),
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(key && { "x-api-key": key }),
      ...headers,
    },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text ? JSON.parse(text) : null };
}

export const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
};
export const modernCall = (name: string, input: Json, more: Json = {}) => ({
  message: {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: input, _meta: ENVELOPE, ...more },
  },
  headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name },
});
export const postCall = async (key: string, ...args: Parameters<typeof modernCall>) => {
  const { message, headers } = modernCall(...args);
  const { status, body, text } = await post(key, message, headers);
  expect(status, text).toBe(200);
  return body.result;
};

export const confirmed = (state: string) => ({ requestState: state, inputResponses: { confirm: YES } });
