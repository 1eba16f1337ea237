import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Client, createClient, ReplayStopped } from "./client";

type Handler = (request: IncomingMessage, response: ServerResponse, call: number) => void;

const opened: { close(): void; closeAllConnections(): void }[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A service with this handler; `keys` are the idempotency keys that it received, in order. */
async function service(handler: Handler) {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers["x-idempotency-key"]);
    const call = keys.length;
    request.resume().on("end", () => handler(request, response, call));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(server);
  const { port } = server.address() as AddressInfo;
  return { keys, baseUrl: `http://127.0.0.1:${port}` };
}

const answer = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

const created = { id: "pay_1", status: "AUTHORIZED" };
const problemOf = (code: string) => ({ code, detail: "No." });
const pay = (client: Client, random: () => number = never) =>
  client.send("k1", random, (cardlane, options) =>
    cardlane.payments.create({ amount: 1, currency: "USD", payment_token: "tok_x" }, options),
  );
const list = (client: Client) => client.read((cardlane, options) => cardlane.payments.list({ limit: 1 }, options));
const noFaults = { duplicates: 0, drops: 0 };
const options = { apiKey: "sk_test_x", faults: noFaults, giveUpAfterMs: 5_000 };
const never = () => 1;

describe("the replay's client", () => {
  it.each([
    ["202 while the outcome is unknown", 202, { status: "PENDING" }],
    ["409 while the first request runs", 409, problemOf("idempotency_request_in_progress")],
    ["409 while an earlier operation is open", 409, problemOf("outcome_pending")],
    ["429", 429, problemOf("rate_limited")],
    ["503", 503, problemOf("database_unavailable")],
  ])("resends the same key after %s", async (_name, status, body) => {
    const { keys, baseUrl } = await service((_request, response, call) =>
      call === 1 ? answer(response, status, body, { "retry-after": "0" }) : answer(response, 201, created),
    );
    const client = createClient({ ...options, baseUrl });
    expect(await pay(client)).toEqual(created);
    expect(keys).toEqual(["k1", "k1"]);
    expect(client.counts.retries).toBe(1);
  });

  it("waits for Retry-After", async () => {
    const { baseUrl } = await service((_request, response, call) =>
      call === 1 ? answer(response, 429, {}, { "retry-after": "1" }) : answer(response, 201, created),
    );
    const started = performance.now();
    await pay(createClient({ ...options, baseUrl }));
    expect(performance.now() - started).toBeGreaterThan(950);
  });

  it("resends the same key when the connection breaks", async () => {
    const { keys, baseUrl } = await service((request, response, call) =>
      call === 1 ? request.socket.destroy() : answer(response, 201, created),
    );
    const client = createClient({ ...options, baseUrl });
    expect(await pay(client)).toEqual(created);
    expect(keys).toEqual(["k1", "k1"]);
  });

  it.each([400, 402, 404, 409, 422])("returns %i as the final response", async (status) => {
    const { keys, baseUrl } = await service((_request, response) =>
      answer(response, status, problemOf("invalid_state")),
    );
    await expect(pay(createClient({ ...options, baseUrl }))).rejects.toMatchObject({ status, code: "invalid_state" });
    expect(keys).toHaveLength(1);
  });

  it("requests a dropped response again, with the same key", async () => {
    const { keys, baseUrl } = await service((_request, response) =>
      answer(response, 201, created, { "idempotent-replayed": "true" }),
    );
    const client = createClient({ ...options, baseUrl, faults: { duplicates: 0, drops: 1 } });
    const draws = [0.5, 0.5, 0.5];
    expect(await pay(client, () => draws.shift() as number)).toEqual(created);
    expect(keys).toEqual(["k1", "k1"]);
    expect(client.counts).toMatchObject({ drops: 1, requests: 2 });
  });

  it("sends a concurrent duplicate, and rejects two different responses", async () => {
    const { keys, baseUrl } = await service((_request, response, call) => answer(response, 201, { ...created, call }));
    const client = createClient({ ...options, baseUrl, faults: { duplicates: 1, drops: 0 } });
    await expect(pay(client, () => 0)).rejects.toThrow("two requests with the key k1 got two answers");
    expect(keys).toEqual(["k1", "k1"]);
    expect(client.counts.duplicates).toBe(1);
  });

  it("stops with a clear sentence at a wrong key and at a service that stays away", async () => {
    const { baseUrl } = await service((_request, response) => answer(response, 401, problemOf("api_key_invalid")));
    await expect(list(createClient({ ...options, baseUrl }))).rejects.toThrow(ReplayStopped);
    const away = createClient({ ...options, baseUrl: "http://127.0.0.1:9", giveUpAfterMs: 50 });
    await expect(list(away)).rejects.toThrow("The service has not answered");
  });
});
