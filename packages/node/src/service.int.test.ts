import { EventEmitter, once } from "node:events";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { type ProofHost, startHost } from "@/e2e/proof/host";
import { createMerchant } from "@/lib/domain/accounts/business";
import { newId } from "@/lib/ids";
import {
  CardDeclinedError,
  Cardlane,
  ConflictError,
  type Event,
  IdempotencyError,
  InvalidRequestError,
} from "./index.ts";

const { db, url } = await testDatabase({ own: true });
const service = testService(db);
/** The slowest card responds after five seconds. */
const env = { PROCESSOR_TIMEOUT_MS: "20000" };
let host: ProofHost;

beforeAll(async () => {
  host = await startHost({ databaseUrl: url, env });
});
afterAll(() => host.stop());

const cardOf = (number: string) => ({ number, exp_month: 12, exp_year: 2035, cvv: "123" });
const paymentBy = (number = "4242424242424242") => ({ amount: 1999, currency: "USD", card: cardOf(number) });

/** A client for a new merchant. `fetch` wraps the requests to the service. */
async function newClient(options: { fetch?: typeof fetch; baseUrl?: string } = {}): Promise<Cardlane> {
  const merchant = await createMerchant(service, { name: "Shop", email: `${newId()}@shop.example` });
  return new Cardlane({ apiKey: merchant.test_key, baseUrl: host.baseUrl, ...options });
}

/** A proxy that cuts the connection of the first responses, after the service has done the work. */
async function losingProxy(losses: number) {
  let passed = 0;
  const proxy = createServer((request, response) => {
    const { method, headers } = request;
    const onward = forward(
      new URL(request.url ?? "/", host.baseUrl),
      { ...(method && { method }), headers },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const bytes = Buffer.concat(chunks);
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          // The first time nothing arrives, then half of it.
          if (passed++ === 0) response.destroy();
          else if (passed <= losses) response.write(bytes.subarray(0, 20), () => response.destroy());
          else response.end(bytes);
        });
      },
    );
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests: () => passed,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void proxy.close(() => resolve())),
  };
}

describe("the client for Node", () => {
  it("makes one payment, however many responses are lost after the service did the work", async () => {
    await using proxy = await losingProxy(3);
    const cardlane = await newClient({ baseUrl: proxy.baseUrl });
    const { data, response } = await cardlane.payments.create(paymentBy()).withResponse();
    expect([response.status, response.replayed, data.status]).toEqual([201, true, "CAPTURED"]);
    expect(proxy.requests()).toBe(4);
    expect((await cardlane.payments.list()).data.map(({ id }) => id)).toEqual([data.id]);
  });

  it("waits for its own first request, and for a limit, and makes one payment", async () => {
    const seen: number[] = [];
    const cardlane = await newClient({
      fetch: async (...request) => {
        if (seen.length === 0) {
          seen.push(429);
          return Response.json({}, { status: 429, headers: { "retry-after": "0" } });
        }
        const answer = await fetch(...request);
        seen.push(answer.status);
        return answer;
      },
    });
    // This card takes five seconds: the second call meets the first one in progress.
    const options = { idempotencyKey: newId() };
    const [one, other] = await Promise.all([
      cardlane.payments.create(paymentBy("4000000000001992"), options),
      cardlane.payments.create(paymentBy("4000000000001992"), options),
    ]);
    expect(other).toEqual(one);
    expect(seen).toEqual(expect.arrayContaining([429, 409, 201]));
    expect((await cardlane.payments.list()).total).toBe(1);
  });

  it("reports by class and code why a call was refused", async () => {
    const cardlane = await newClient();
    const declined = await cardlane.payments.create(paymentBy("4000000000009995")).catch((error: unknown) => error);
    expect(declined).toBeInstanceOf(CardDeclinedError);
    expect(declined).toMatchObject({ status: 402, code: "card_declined", declineCode: "insufficient_funds" });
    const { paymentId, requestId } = declined as CardDeclinedError;
    expect([paymentId?.slice(0, 4), requestId?.slice(0, 4)]).toEqual(["pay_", "req_"]);
    const wrong = cardlane.payments.create({ ...paymentBy(), ammount: 1 } as ReturnType<typeof paymentBy>);
    await expect(wrong).rejects.toMatchObject({ name: "InvalidRequestError", errors: [{ param: "ammount" }] });
    const options = { idempotencyKey: newId() };
    const payment = await cardlane.payments.create(paymentBy(), options);
    const reused = cardlane.payments.create({ ...paymentBy(), amount: 5 }, options);
    await expect(reused).rejects.toBeInstanceOf(IdempotencyError);
    await expect(cardlane.payments.void(payment.id)).rejects.toBeInstanceOf(ConflictError);
    const tooMuch = await cardlane.payments.refund(payment.id, { amount: 2000 }).catch((error: unknown) => error);
    expect(tooMuch).toBeInstanceOf(InvalidRequestError);
    expect(tooMuch).toMatchObject({ code: "amount_exceeds_refundable", remaining: 1999 });
  });

  it("pages through a whole list, newest first", async () => {
    const cardlane = await newClient();
    const made = await Promise.all(Array.from({ length: 5 }, () => cardlane.payments.create(paymentBy())));
    const ids: string[] = [];
    for await (const { payment_id } of cardlane.transactions.list({ limit: 2, type: "CHARGE" })) ids.push(payment_id);
    expect(ids.toSorted()).toEqual(made.map(({ id }) => id).sort());
    const found: string[] = [];
    for await (const { payment_id } of cardlane.transactions.search({ limit: 2 })) found.push(payment_id);
    expect(found).toEqual(ids);
  });

  it("streams events as they happen, and resumes after the last one when the service was killed", async () => {
    const cardlane = await newClient();
    const first = await cardlane.payments.create(paymentBy());
    const [last] = (await cardlane.events.list({ limit: 1 })).data as [Event];
    await cardlane.payments.refund(first.id, { amount: 1 });
    const amounts: number[] = [];
    for await (const event of cardlane.events.stream({ lastEventId: last.id })) {
      if (!event.type.startsWith("refund.")) continue;
      if (event.type !== "refund.succeeded") throw new Error(`nobody made a ${event.type}`);
      amounts.push(event.data.object.amount);
      if (amounts.length === 2) break;
      await host.kill("SIGKILL");
      host = await startHost({ databaseUrl: url, port: host.port, env });
      await cardlane.payments.refund(first.id, { amount: 2 });
    }
    expect(amounts).toEqual([1, 2]);
  });

  it("misses nothing that happens while its connection is lost, including before its first event", async () => {
    let opened = 0;
    const moments = new EventEmitter();
    const isCut = once(moments, "cut");
    const isPaid = once(moments, "paid");
    const cardlane = await newClient({
      fetch: async (input, init) => {
        if (!String(input).endsWith("/events/stream")) return fetch(input, init);
        if (++opened > 1) {
          await isPaid;
          return fetch(input, init);
        }
        // Delivers the first chunk of the response, then breaks the connection.
        const { body, ...answer } = await fetch(input, init);
        const { value } = await (body as ReadableStream<Uint8Array>).getReader().read();
        setImmediate(() => moments.emit("cut"));
        return new Response(value as Uint8Array<ArrayBuffer>, answer);
      },
    });
    const first = cardlane.events.stream()[Symbol.asyncIterator]().next();
    await isCut;
    const payment = await cardlane.payments.create(paymentBy());
    moments.emit("paid");
    expect(await first).toMatchObject({ value: { type: "payment.captured", data: { object: { id: payment.id } } } });
  });
});
