import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { arrived, UNREAD_BYTES } from "./arrival";

/** A server that answers what it read once `arrived` said so, and tells when it began to read. */
async function reader() {
  const begun: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    await arrived(request);
    // Once somebody has read of it Next makes no request of it.
    expect(request.readableDidRead).toBe(false);
    begun.push(request.url ?? "");
    if (!response.destroyed) response.end(await textOf(request));
  };
  const server = createServer({ highWaterMark: UNREAD_BYTES }, (request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(server);
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  return { begun, socket };
}
const open: { close(): void; closeAllConnections(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return `${text.length}:${text.slice(0, 20)}`;
}

/** What comes until the text is there. */
async function answerWith(socket: Socket, text: string): Promise<string> {
  let answer = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    answer += String(chunk);
    if (answer.includes(text)) return answer;
  }
  return answer;
}

const head = (headers: string, path = "/") => `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`;

test("a body is read once it is there, whole, whichever way it came", async () => {
  const { begun, socket } = await reader();
  socket.write(head("Content-Length: 10"));
  socket.write("hel");
  // Over the same connection nothing is answered before the one before it.
  socket.write("lo you");
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual([]);
  socket.write("!");
  expect(await answerWith(socket, "10:")).toContain("10:hello you!");
  socket.write(`${head("Transfer-Encoding: chunked")}3\r\nabc\r\n`);
  socket.write("2\r\nde\r\n0\r\n\r\n");
  expect(await answerWith(socket, "5:")).toContain("5:abcde");
  socket.write(`${head("Transfer-Encoding: chunked")}0\r\n\r\n`);
  expect(await answerWith(socket, "0:")).toContain("0:");
  socket.write(`${head("Content-Length: 60000")}${"a".repeat(60_000)}`);
  expect(await answerWith(socket, "60000:")).toContain("60000:aaaa");
});

test("what is longer than anything reads is not waited for, and is whole for who reads it all the same", async () => {
  const { begun, socket } = await reader();
  socket.write(head("Content-Length: 300000", "/long"));
  socket.write("b".repeat(100_000));
  while (begun.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(["/long"]);
  socket.write("c".repeat(200_000));
  expect(await answerWith(socket, "300000:")).toContain("300000:bbbb");
});

test("without a body there is nothing to wait for, and who leaves is not waited for", async () => {
  const { begun, socket } = await reader();
  socket.write("GET /get HTTP/1.1\r\nHost: x\r\n\r\n");
  await answerWith(socket, "0:");
  socket.write(`${head("Content-Length: 10", "/left")}abc`);
  socket.end();
  socket.destroy();
  while (begun.length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(["/get", "/left"]);
});
