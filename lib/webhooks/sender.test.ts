import { connect } from "node:net";
import { queryObjects } from "node:v8";
import { afterEach, expect, test } from "vitest";
import { collectGarbage } from "@/e2e/fixtures/collect";
import { openReceiver, type Receiver, status } from "@/e2e/fixtures/webhooks";
import { createSender, type Dial } from "./sender";
import { openGuard } from "./ssrf-guard";

const opened: Receiver[] = [];
afterEach(async () => {
  for (const receiver of opened.splice(0)) await receiver.close();
});

async function receiving(answer = status(200)) {
  const receiver = await openReceiver(answer);
  opened.push(receiver);
  return receiver;
}

const never = new AbortController().signal;
const to = (url: string) => ({ url, headers: { "webhook-id": "evt_1" }, body: '{"name":"Zoë"}' });

test("a message arrives complete, and the result has the receiver's response", async () => {
  const receiver = await receiving(status(202, { "retry-after": "7" }, "later"));
  const sent = await createSender(openGuard()).send(to(`${receiver.url}?shop=1`), never);
  expect(sent).toEqual({ kind: "responded", status: 202, retryAfter: "7", body: "later" });
  expect(receiver.received).toMatchObject([
    {
      body: '{"name":"Zoë"}',
      headers: { "webhook-id": "evt_1", host: new URL(receiver.url).host, connection: "close" },
    },
  ]);
});

test("it is sent to the address that was checked, and the name is not resolved again", async () => {
  const receiver = await receiving();
  const lookups: string[] = [];
  const guard = openGuard(async (name) => {
    lookups.push(name);
    return ["192.0.2.1"];
  });
  const dialed: string[] = [];
  const dial: Dial = (_target, address) => {
    dialed.push(address);
    return connect(Number(new URL(receiver.url).port), "127.0.0.1");
  };
  const sent = await createSender(guard, dial).send(to("http://shop.example/hook"), never);
  expect(sent).toMatchObject({ kind: "responded", status: 200 });
  expect([lookups, dialed]).toEqual([["shop.example"], ["192.0.2.1"]]);
  expect(receiver.received[0]?.headers.host).toBe("shop.example");
});

test("sent messages leave no abort signals in memory", async () => {
  const receiver = await receiving();
  const process = new AbortController();
  const send = () => createSender(openGuard()).send(to(receiver.url), process.signal);
  await send();
  const before = queryObjects(AbortSignal) as unknown as number;
  for (let i = 0; i < 50; i++) expect(await send()).toMatchObject({ status: 200 });
  expect((queryObjects(AbortSignal) as unknown as number) - before).toBeLessThan(10);
});

test("a silent receiver times out, even after a garbage collection in the meantime", { timeout: 5_000 }, async () => {
  const silent = await receiving(() => {});
  const sent = createSender(openGuard(), undefined, 500).send(to(silent.url), never);
  await expect.poll(() => silent.received.length).toBe(1);
  collectGarbage();
  expect(await sent).toEqual({ kind: "failed", error: "No answer within 0.5 s." });
});

test("a dead address is skipped for the next one", async () => {
  const receiver = await receiving();
  const guard = openGuard(async () => ["192.0.2.1", "127.0.0.1"]);
  const { port } = new URL(receiver.url);
  const dial: Dial = (_target, address) => connect(address === "127.0.0.1" ? Number(port) : 1, "127.0.0.1");
  expect(await createSender(guard, dial).send(to("http://shop.example/"), never)).toMatchObject({ status: 200 });
});

test("neither a missing nor an endless response blocks the sender", async () => {
  const silent = await receiving(() => {});
  const sender = createSender(openGuard(), undefined, 300);
  expect(await sender.send(to(silent.url), never)).toEqual({ kind: "failed", error: "No answer within 0.3 s." });
  const endless = await receiving((_received, response) => {
    response.writeHead(200);
    const write = () => {
      if (!response.destroyed) response.write("x".repeat(10_000), () => setImmediate(write));
    };
    write();
  });
  const sent = await createSender(openGuard()).send(to(endless.url), never);
  expect(sent).toMatchObject({ kind: "responded", status: 200 });
  expect(sent.kind === "responded" && sent.body.length).toBe(4 * 1024);
});

test("a status received in time counts, even if the body is slow or breaks off", async () => {
  const slow = await receiving((_received, response) => response.writeHead(200).write("thank"));
  const sent = await createSender(openGuard(), undefined, 300).send(to(slow.url), never);
  expect(sent).toEqual({ kind: "responded", status: 200, retryAfter: null, body: "thank" });
  const broken = await receiving((_received, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("thank", () => response.destroy());
  });
  expect(await createSender(openGuard()).send(to(broken.url), never)).toMatchObject({ status: 200, body: "thank" });
});

test("garbage, a closed connection and oversized headers are failures with a reason", async () => {
  const answers: Receiver["answer"][] = [
    (_received, response) => response.socket?.end("SMTP ready\r\n"),
    (_received, response) => response.destroy(),
    (_received, response) => response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(40_000)}\r\n\r\n`),
  ];
  for (const answer of answers) {
    const receiver = await receiving(answer);
    const sent = await createSender(openGuard()).send(to(receiver.url), never);
    expect(sent).toEqual({ kind: "failed", error: expect.stringMatching(/\w/) });
  }
  const receiver = await receiving();
  await receiver.close();
  expect(await createSender(openGuard()).send(to(receiver.url), never)).toMatchObject({
    kind: "failed",
    error: expect.stringContaining("ECONNREFUSED"),
  });
});

test("a message being sent is aborted when the process stops", async () => {
  const silent = await receiving(() => {});
  const stopping = new AbortController();
  const sent = createSender(openGuard()).send(to(silent.url), stopping.signal);
  await expect.poll(() => silent.received.length).toBe(1);
  stopping.abort();
  expect(await sent).toMatchObject({ kind: "failed" });
});
