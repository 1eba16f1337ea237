import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { getPayment } from "@/lib/contract/payments/endpoints";
import { expect, test } from "../fixtures/playwright";
import { captured, newSubscription } from "../samples";

for (const [version, mode] of [
  ["2026-07-28", "auto"],
  ["2025-11-25", "legacy"],
] as const) {
  test(`an assistant finds a payment and refunds it after a yes, over MCP ${version}`, async ({
    api,
    baseUrl,
    decidesLater,
  }) => {
    const { id } = await captured(api, { amount: 4_999, metadata: { order: "MCP-1" } });
    const client = new Client(
      { name: "e2e", version: "1" },
      { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
    );
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { confirm: true } };
    });
    const requestInit = { headers: { Authorization: `Bearer ${api.apiKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }));
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("refund_payment");
    const found = await client.callTool({ name: "find_payment", arguments: { q: "mcp-1" } });
    expect(found.structuredContent).toMatchObject({ found: [{ payment_id: id, amount_refundable: 4_999 }] });
    const refunded = await client.callTool({ name: "refund_payment", arguments: { payment_id: id, amount: 999 } });
    if (!decidesLater || (refunded.structuredContent as { status: number }).status !== 202)
      expect(refunded.structuredContent).toMatchObject({ status: 201, data: { amount_refunded: 999 } });
    const refundedOf = async () => (await api.call(getPayment, { id })).ok().amount_refunded;
    await expect.poll(refundedOf).toBe(999);
    expect(asked).toEqual([expect.stringContaining("Refund $9.99 USD")]);
    await client.close();
  });
}

test("an assistant cancels a subscription after a yes, and not after a no", async ({ api, baseUrl }) => {
  const { id } = await newSubscription(api);
  for (const confirm of [false, true]) {
    const client = new Client(
      { name: "e2e", version: "1" },
      { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {} } } },
    );
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { confirm } }));
    const requestInit = { headers: { Authorization: `Bearer ${api.apiKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }));
    const found = await client.callTool({ name: "find_subscription", arguments: { status: "ACTIVE" } });
    expect(found.structuredContent).toMatchObject({ found: [{ id }] });
    const input = { subscription_id: id, when: "now" };
    const { structuredContent } = await client.callTool({ name: "cancel_subscription", arguments: input });
    expect(structuredContent).toMatchObject(
      confirm ? { status: 200, data: { status: "CANCELLED" } } : { error: { code: "confirmation_declined" } },
    );
    await client.close();
  }
});

test("/mcp accepts messages with a key, and has no subpaths", async ({ api, baseUrl }) => {
  const send = async (path: string, init: Omit<RequestInit, "headers"> & { headers?: Record<string, string> } = {}) => {
    const headers = { "X-Api-Key": api.apiKey ?? "", "Content-Type": "application/json", ...init.headers };
    const answer = await fetch(`${baseUrl}${path}`, { method: "POST", ...init, headers });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" });
  expect((await send("/mcp", { body })).body).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
  const keyless = await send("/mcp", { body, headers: { "X-Api-Key": "" } });
  expect([keyless.status, keyless.body.code]).toEqual([401, "api_key_missing"]);
  expect(keyless.headers.get("www-authenticate")).toBe('Bearer realm="Cardlane"');
  expect((await send("/mcp", { body, headers: { Origin: "https://evil.example" } })).status).toBe(403);
  expect((await send("/mcp", { body: "[" })).body.error.code).toBe(-32700);
  expect((await send("/mcp/x", { body })).status).toBe(404);
  for (const method of ["GET", "DELETE", "OPTIONS"]) {
    const refused = await send("/mcp", { method });
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST"]);
  }
});
