import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHttpServer, type Listener } from "./http-server";

const answer =
  (name: string): Listener =>
  async (request, response) =>
    void response.end(`${name} ${request.headers["x-forwarded-for"]}`);

let server: Server;
beforeAll(async () => {
  server = createHttpServer({ api: answer("api"), pages: answer("pages") }, () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());

/** Byte for byte: every client library would tidy these targets up. */
async function get(target: string): Promise<{ status: number; body: string }> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.7\r\nConnection: close\r\n\r\n`);
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return { status: Number(text.split(" ")[1]), body: text.slice(text.indexOf("\r\n\r\n") + 4) };
}

test.each([
  ...["/./v1/transactions", "/x/../v1/transactions", "//v1/transactions", "/%2e/v1/transactions", "/x\\..\\v1"],
  ...["http://x/v1/transactions", "*", "/challenge/%ff"],
])("%s reaches neither the API nor the pages", async (target) => {
  expect(await get(target)).toMatchObject({ status: 400, body: expect.stringContaining("malformed") });
});

test("Next is told the connection's address, whatever the caller claims", async () => {
  expect((await get("/challenge/x")).body).toContain("pages 127.0.0.1");
});

test("every spelling of /v1 is answered by the API", async () => {
  for (const target of ["/v1/transactions", "/%76%31/transactions"]) expect((await get(target)).body).toContain("api");
});
