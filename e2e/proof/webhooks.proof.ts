import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { testDatabase } from "../fixtures/database";
import { untilNothingIsOpen } from "./books";
import { Client, inParallel, paymentBody, paymentOf } from "./client";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { createTenant, type ProofTenant } from "./tenant";
import { type Addressed, expectDelivered } from "./webhook-checks";
import { DeliveryClock } from "./webhook-clock";
import { WebhookDirector } from "./webhook-director";
import { BAD_KINDS, type Kind, Receivers } from "./webhook-receivers";

/** `npm run prove:webhooks` sets 10,000. */
const EVENTS = Number(process.env.PROOF_EVENTS ?? 120);
/** Clock moves during which processes are killed; later moves have no kills. */
const KILLED_ROUNDS = Number(process.env.PROOF_KILLED_ROUNDS ?? 2);
const LANES = 8;
/** A hanging receiver gets one message after another, and each takes half a second. */
const SELDOM: readonly Kind[] = ["hangs"];
const SAMPLES = EVENTS < 1_000 ? 4 : 20;

const { db, url } = await testDatabase();

test(`${EVENTS} events reach their receivers although a third of these are broken and processes keep being killed`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "cardlane-webhooks-"));
  const clock = new DeliveryClock(join(folder, "clock"));
  clock.set(0);
  const receivers = new Receivers(clock);
  await receivers.open();
  const env = { PROOF_CLOCK: clock.file, WEBHOOK_ALLOW_LOCAL: "true", PROCESSOR_TIMEOUT_MS: "5000" };
  const hosts: ProofHost[] = await Promise.all([1, 2].map(() => startHost({ databaseUrl: url, env })));
  let turn = 0;
  const address = () => (hosts[turn++ % 2] as ProofHost).baseUrl;
  const director = new WebhookDirector(db, clock, hosts, (port) => startHost({ databaseUrl: url, port, env }));
  try {
    const merchants = await inParallel(kinds(), 4, (kind) => merchantWith(receivers, kind, address));
    const begun = performance.now();
    let neverSent = 0;
    await director.killWhile(async () => {
      neverSent = await happen(merchants);
    });
    expect(neverSent, "payments that failed").toBeLessThanOrEqual(director.kills * LANES);
    await untilNothingIsOpen(db);
    const rounds = await director.workOff(KILLED_ROUNDS);
    const seconds = Math.round((performance.now() - begun) / 1_000);
    const figures = await expectDelivered(
      db,
      merchants.map(({ addressed }) => addressed),
      { realMs: 1_000 * seconds, kills: director.kills },
    );
    expect(receivers.strays, "a redirect is not followed").toEqual([]);
    const delays = await delaysBesideSlow(receivers, address);
    reportFigure(
      `${figures.events} events, ${figures.receipts} messages to ${merchants.length} receivers, ${director.kills} kills`,
      `${seconds} s and ${rounds} rounds of ${figures.hours} h: ${figures.delivered} delivered, ${figures.failed} exhausted after ten attempts, ${figures.pauses} pauses as promised, ${figures.again} sent twice after a kill; behind an idle receiver ${delays.alone} ms, beside a hanging one ${delays.beside} ms`,
    );
  } finally {
    await Promise.all(hosts.map((host) => host.stop()));
    await receivers.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Two working receivers for each broken one. */
const kinds = (): Kind[] => BAD_KINDS.flatMap((kind) => [kind, "takes", "takes"] as Kind[]);

type Merchant = { readonly addressed: Addressed; readonly client: Client };

async function merchantWith(receivers: Receivers, kind: Kind, address: () => string): Promise<Merchant> {
  const tenant = await createTenant(db);
  const client = new Client(tenant.apiKey, address);
  return { client, addressed: await addEndpoint(receivers, tenant, client, kind) };
}

async function addEndpoint(
  receivers: Receivers,
  { environmentId }: ProofTenant,
  client: Client,
  kind: Kind,
): Promise<Addressed> {
  const receiver = receivers.add(kind);
  const request = { key: randomUUID(), path: "/v1/webhook-endpoints", body: { url: receiver.url } };
  const answer = await client.until(request);
  expect(answer.status, answer.text).toBe(201);
  const { secret } = JSON.parse(answer.text) as { secret: string };
  return { receiver, secret, environmentId };
}

/**
 * Creates events up to the required number: voided payments and plans, one merchant after another. Returns
 * the number of payments that failed because their process was killed before it sent them.
 */
async function happen(merchants: readonly Merchant[]): Promise<number> {
  let neverSent = 0;
  const turns = [0, 1, 2, 3].flatMap((round) =>
    merchants.filter(({ addressed }) => round === 0 || !SELDOM.includes(addressed.receiver.kind)),
  );
  for (let left = EVENTS; left > 0; left = EVENTS - (await countEvents())) {
    const orders = Array.from({ length: Math.ceil(left / 4) }, (_, index) => index);
    await inParallel(orders, LANES, async (index) => {
      const { client } = turns[index % turns.length] as Merchant;
      if (index % 5 === 0) return makePlan(client);
      const body = paymentBody({ manual: true });
      const held = await client.until({ key: randomUUID(), path: "/v1/payments", body });
      if (held.status === 402 && held.text.includes('"payment_failed"')) {
        neverSent++;
        return;
      }
      expect(held.status, held.text).toBe(201);
      const path = `/v1/payments/${paymentOf(held).id}/void`;
      expect((await client.until({ key: randomUUID(), path, body: {} })).status).toBe(200);
    });
  }
  return neverSent;
}

async function makePlan(client: Client): Promise<void> {
  const body = { type: "ONE_TIME", name: randomUUID(), currency: "USD", full_price_amount: 5 };
  const answer = await client.until({ key: randomUUID(), path: "/v1/subscription-plans", body });
  expect(answer.status, answer.text).toBe(201);
}

const countEvents = async () => (await db.sql<{ n: number }[]>`select count(*)::int as n from events`)[0]?.n ?? 0;

/** Delay of an event to a receiver that responds: alone, and next to one that hangs. */
async function delaysBesideSlow(receivers: Receivers, address: () => string) {
  const measured = async (kind: Kind) => {
    const tenant = await createTenant(db);
    const client = new Client(tenant.apiKey, address);
    const { receiver } = await addEndpoint(receivers, tenant, client, "takes");
    await addEndpoint(receivers, tenant, client, kind);
    const delays: number[] = [];
    for (let sample = 0; sample < SAMPLES; sample++) {
      await makePlan(client);
      const happened = performance.now();
      await expect.poll(() => receiver.receipts.length, { interval: 5 }).toBe(sample + 1);
      delays.push(Math.max(0, (receiver.receipts[sample]?.atMs ?? 0) - happened));
      // Random, to avoid being in step with the services' polling once per second.
      await wait(Math.random() * 300);
    }
    return Math.round(delays.reduce((sum, delay) => sum + delay, 0) / SAMPLES);
  };
  const [alone, beside] = (await Promise.all([measured("takes"), measured("hangs")])) as [number, number];
  expect(beside - alone).toBeLessThan(1_000);
  return { alone, beside };
}
