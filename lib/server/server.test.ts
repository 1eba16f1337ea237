import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { readBody } from "@/lib/http/parse";
import { apiRequest } from "./api-listener";
import { exampleRequest } from "./console";

test("the example is one line that works in any shell, with both headers", () => {
  const line = exampleRequest("http://localhost:3000", "sk_test_x");
  expect(line).not.toContain("\n");
  expect(line).toContain('-H "X-Api-Key: sk_test_x"');
  expect(line).toMatch(/-H "X-Idempotency-Key: try-[0-9a-f]{6}"/);
  expect(JSON.parse(line.slice(line.indexOf("'") + 1, -1))).toMatchObject({ amount: 1999, currency: "USD" });
});

test.each([
  ["with its length", (body: string) => ({ body })],
  ["in chunks", (body: string) => ({ body: new Blob([body]).stream(), duplex: "half" as const })],
])("a body sent %s and read only after the response is not taken for an empty one", async (_, sending) => {
  let settle = (_: unknown) => {};
  const read = new Promise((resolve) => {
    settle = resolve;
  });
  const server = createServer((incoming, outgoing) => {
    const request = apiRequest(incoming, outgoing, { isRead: false });
    incoming.once("end", () => settle(readBody(request).catch((error: unknown) => error)));
    // A response at the time limit, while the caller's key is still being looked up.
    outgoing.writeHead(503).end();
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}/`, { method: "POST", ...sending('{"amount":500}') });
  expect(await read).toMatchObject({ status: 499, code: "malformed_json" });
});
