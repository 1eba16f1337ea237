import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, vi } from "vitest";
import type { Database } from "@/db/client";
import type { CreateWebhookEndpointBody } from "@/lib/contract/webhooks/endpoints";
import type { WebhookDelivery } from "@/lib/contract/webhooks/webhook-delivery";
import type { WebhookEndpoint } from "@/lib/contract/webhooks/webhook-endpoint";
import type { Service } from "@/lib/domain/context";
import { createPlan } from "@/lib/domain/plans/plans";
import { WebhookWorker } from "@/lib/domain/webhooks/deliver";
import { getWebhookDelivery, listWebhookDeliveries } from "@/lib/domain/webhooks/deliveries";
import { createWebhookEndpoint } from "@/lib/domain/webhooks/endpoints";
import { testTenant } from "./factories";

type Received = { readonly headers: Record<string, string>; readonly body: string; readonly atMs: number };
type Answer = (received: Received, response: ServerResponse, request: IncomingMessage) => void;

export type Receiver = {
  readonly url: string;
  readonly received: Received[];
  /** What it answers from now on. */
  answer: Answer;
  close(): Promise<void>;
};

/** What a merchant's server answers: a status, and headers with it. */
export const status =
  (code: number, headers: Record<string, string> = {}, body = "thanks"): Answer =>
  (_received, response) =>
    response.writeHead(code, headers).end(body);

/** A merchant's server, which keeps what it is sent. It answers 200 until told otherwise. */
export async function openReceiver(answer: Answer = status(200)): Promise<Receiver> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces).toString();
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const received = { headers, body, atMs: performance.now() };
      receiver.received.push(received);
      receiver.answer(received, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}

/** A clock that stands until it is moved. Events have the database's time: `catchUp` goes past those that are written. */
export function testClock(at = Date.now()) {
  let nowMs = at;
  return {
    now: () => new Date(nowMs),
    forward: (ms: number) => (nowMs += ms),
    catchUp: () => (nowMs = Math.max(nowMs, Date.now()) + 1_000),
  };
}

/** Sends what is due now, as each process does every second. */
export async function sendDue(service: Service): Promise<void> {
  const worker = new WebhookWorker(service);
  await worker.begin();
  await worker.settled();
}

/** Works as a process does, until something is true. */
export async function workUntil(worker: WebhookWorker, done: () => boolean): Promise<void> {
  await vi.waitFor(
    async () => {
      await worker.begin();
      expect(done()).toBe(true);
    },
    { timeout: 20_000, interval: 50 },
  );
}

const BODY = {
  description: null,
  event_types: ["*"],
  payload: "full",
  signature: "v1",
} satisfies Partial<CreateWebhookEndpointBody>;

/** Each call makes something happen that merchants are notified of: the next plan. */
export function happenings(call: () => Parameters<typeof createPlan>[0], clock: ReturnType<typeof testClock>) {
  let plans = 0;
  return async () => {
    plans++;
    const reply = await createPlan(call(), {
      ...{ type: "ONE_TIME", name: `Plan ${plans}`, currency: "USD", full_price_amount: 1, status: "DRAFT" },
      ...{ description: null, billing_frequency_value: null, billing_frequency_unit: null },
      ...{ trial_period_value: null, trial_period_unit: null, trial_price_amount: null },
    });
    clock.catchUp();
    return JSON.parse(reply.body) as { id: string };
  };
}

/**
 * Makes merchants with endpoints of their own and a clock that stands. Called once in a file, whose receivers it closes after each
 * test.
 */
export function webhookTenants(db: Database) {
  const opened: Receiver[] = [];
  afterEach(async () => {
    for (const receiver of opened.splice(0)) await receiver.close();
    // What a test left behind is no other test's work.
    await db.sql`update webhook_endpoints set status = 'DISABLED'`;
  });

  return async () => {
    const clock = testClock();
    const made = await testTenant(db, { clock });
    const { call } = made;
    return {
      ...made,
      clock,
      receivers: opened,
      async endpoint(body: Partial<CreateWebhookEndpointBody> = {}) {
        const receiver = await openReceiver();
        opened.push(receiver);
        const reply = await createWebhookEndpoint(call(), { ...BODY, url: receiver.url, ...body });
        const endpoint = JSON.parse(reply.body) as WebhookEndpoint & { secret: string };
        return { ...endpoint, receiver };
      },
      happen: happenings(call, clock),
      deliveries: async (endpoint: { id: string }) =>
        (await listWebhookDeliveries(call(), { id: endpoint.id })).data as [WebhookDelivery, ...WebhookDelivery[]],
      attemptsOf: async (delivery: WebhookDelivery) => (await getWebhookDelivery(call(), { id: delivery.id })).attempts,
    };
  };
}
