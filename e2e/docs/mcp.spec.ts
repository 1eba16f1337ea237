import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Permission } from "@/lib/contract/permissions";
import { test } from "../browser";
import { expect } from "../fixtures/playwright";
import { copyFrom } from "./reader";

/** Permissions of a first key, as the page lists them. */
const READING: Permission[] = [
  ...(["payment.read", "transaction.read", "transaction.search"] as const),
  ...(["subscription.read", "invoice.read", "payment_method.read"] as const),
];

type Server = { url: string; headers: { Authorization: string } };

test("both files connect an assistant, once they have a key", async ({ page, context, baseUrl, tenant }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(baseUrl).origin });
  await page.goto("/docs/mcp");
  for (const permission of READING) await expect(page.locator("#connect ~ p", { hasText: permission })).toHaveCount(1);
  const { secret } = await tenant.newKey({ permissions: READING });
  const most = JSON.parse(await copyFrom(page, "mcp.json")) as { mcpServers: { cardlane: Server } };
  const code = JSON.parse(await copyFrom(page, ".vscode/mcp.json")) as {
    inputs: { id: string }[];
    servers: { cardlane: Server };
  };
  const [input] = code.inputs;
  for (const [{ url, headers }, place] of [
    [most.mcpServers.cardlane, "sk_test_…"],
    [code.servers.cardlane, `\${input:${input?.id}}`],
  ] as const) {
    const client = new Client({ name: "docs", version: "1" }, { capabilities: {} });
    const requestInit = { headers: { Authorization: headers.Authorization.replace(place, secret) } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    const tools = (await client.listTools()).tools.map(({ name }) => name);
    expect(tools).toEqual(expect.arrayContaining(["find_payment", "find_subscription", "find_invoice"]));
    expect(tools).not.toContain("cancel_subscription");
    await client.close();
  }
});
