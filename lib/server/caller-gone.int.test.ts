import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { openApiPort } from "@/e2e/fixtures/api-port";
import { testDatabase } from "@/e2e/fixtures/database";
import { testTenant } from "@/e2e/fixtures/factories";
import { holds, scriptProcessor } from "@/e2e/fixtures/scripted-processor";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { provideService } from "@/lib/http/current-service";
import { log } from "@/lib/log";
import { createRegistry } from "@/lib/processor/registry";

const { db } = await testDatabase();
const CARD = { number: "4242424242424242", exp_month: 12, exp_year: 2035, cvv: "123" };
const BODY = JSON.stringify({ amount: 1_999, currency: "USD", card: CARD });
const SHORT = { headersMs: 250, requestMs: 500 };

/** The API on its own port, with its log messages, and a tenant with a key. */
async function setup(arrival = { headersMs: 10_000, requestMs: 30_000 }, answerLimitMs = 30_000) {
  const plain = await testTenant(db);
  const sandbox = plain.service.processors.builtIn("test");
  if (!sandbox) throw new Error("test mode has a processor");
  const script = scriptProcessor(sandbox);
  const problems: unknown[] = [];
  const told = (...line: unknown[]) => void problems.push(line);
  const service = {
    ...plain.service,
    processors: createRegistry({ sandbox: script.processor }),
    log: Object.assign(Object.create(plain.service.log), { warn: told, error: told }),
  };
  const http = provideService(service);
  const { secret } = await createApiKey(service, {
    environmentId: plain.merchant.test.id,
    name: "Shop",
    permissions: ["payment.create", "payment.read"],
  });
  const port = await openApiPort(http, told, { answerLimitMs, arrival });
  const head = (key: string, length = Buffer.byteLength(BODY)) =>
    `POST /v1/payments HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${secret}\r\nX-Idempotency-Key: ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\n`;
  const open = async () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  const pay = async (key: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/payments`, {
      method: "POST",
      headers: { "X-Api-Key": secret, "X-Idempotency-Key": key, "Content-Type": "application/json" },
      body: BODY,
    });
    return { status: answer.status, replayed: answer.headers.get("idempotent-replayed") };
  };
  const refused = async () => {
    await http.requestLog.flush();
    return db.sql`select status from request_log where environment_id = ${plain.merchant.test.id} and status >= 400`;
  };
  return { script, problems, head, open, pay, refused, environmentId: plain.merchant.test.id };
}

/** Logged caller errors: status and message. */
const told: [unknown, unknown][] = [];
beforeEach(() => {
  told.length = 0;
  vi.spyOn(log, "info").mockImplementation((details: unknown, message?: unknown) => {
    told.push([(details as { status?: number }).status, message]);
  });
});
afterEach(() => void vi.restoreAllMocks());
const untilNotified = () => vi.waitFor(() => expect(told.length).toBeGreaterThan(0), { timeout: 10_000, interval: 10 });

/** Everything that the server sends until it closes the connection. */
async function rest(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}

test("a disconnect during the body is logged as 499: no outage, nothing stored, the key unused", async () => {
  const { open, head, pay, problems, refused } = await setup();
  const socket = await open();
  socket.write(`${head("cut")}\r\n${BODY.slice(0, 20)}`);
  // A response to a later request shows that the server is already reading this one.
  expect((await pay("other")).status).toBe(201);
  socket.destroy();
  await untilNotified();
  expect(told).toEqual([[499, "the caller hung up"]]);
  expect(await refused()).toEqual([]);
  expect(await pay("cut")).toEqual({ status: 201, replayed: null });
  expect(problems).toEqual([]);
});

test("a caller that disconnects during the charge can retry: the same key returns the one payment", async () => {
  const { open, head, pay, problems, script, environmentId } = await setup();
  const held = holds();
  script.next(held.step);
  const socket = await open();
  socket.write(`${head("gone")}\r\n${BODY}`);
  await held.reached;
  socket.destroy();
  await untilNotified();
  held.release();
  expect(told).toEqual([[499, "the caller hung up"]]);
  await vi.waitFor(async () => expect(await pay("gone")).toEqual({ status: 201, replayed: "true" }), {
    timeout: 10_000,
  });
  const payments = await db.sql`select status from payments where environment_id = ${environmentId}`;
  expect(payments.map(({ status }) => status)).toEqual(["CAPTURED"]);
  expect(problems).toEqual([]);
});

test("slow headers and slow bodies get 408, and neither counts as an outage", async () => {
  const { open, head, problems, refused, pay } = await setup(SHORT);
  for (const start of ["GET /v1/payments HTTP/1.1\r\nHost: localhost\r\n", `${head("slow")}\r\n`, head("slow")]) {
    const socket = await open();
    socket.write(start);
    const drip = setInterval(
      () => socket.writable && socket.write(start.endsWith("\r\n\r\n") ? " " : "X-A: b\r\n"),
      50,
    );
    const startedMs = performance.now();
    const text = await rest(socket);
    clearInterval(drip);
    expect(text).toMatch(/^HTTP\/1\.1 408 [\s\S]*x-request-id: req_/i);
    expect(text).not.toMatch(/unavailable/);
    // The limit of 0.5 s plus the check interval of 1 s, with a margin for a busy machine.
    expect(performance.now() - startedMs).toBeLessThan(8_000);
  }
  expect(told).toEqual([[408, "the caller was too slow"]]);
  expect(await refused()).toEqual([]);
  expect(problems).toEqual([]);
  expect((await pay("slow")).status).toBe(201);
});

test("a body slower than the response limit is the caller's delay and causes no 503", async () => {
  const { open, head, problems } = await setup({ headersMs: 300, requestMs: 600 }, 50);
  const socket = await open();
  socket.write(`${head("late")}\r\n${BODY.slice(0, 10)}`);
  expect(await rest(socket)).toMatch(/^HTTP\/1\.1 408 /);
  expect(problems).toEqual([]);
});
