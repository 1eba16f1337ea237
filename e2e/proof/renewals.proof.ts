import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../fixtures/database";
import { cloneLatestRow } from "../fixtures/many-rows";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client, paymentBody } from "./client";
import { reportFigure } from "./figures";
import { startHost } from "./host";
import {
  addMonths,
  makeMonthlyPlan,
  readClock,
  startAdvance,
  subscribeFrom,
  subscribeNow,
  untilReady,
} from "./subscribers";
import { createTenant, type ProofTenant } from "./tenant";

const SUBSCRIBERS = Number(process.env.PROOF_SUBSCRIBERS ?? 40);
const MONTHS = Number(process.env.PROOF_MONTHS ?? 4);
const DUE_AT_ONCE = 10_000;
/** Length of each measurement of another merchant's payments, and the pause after each payment. */
const MEASURED_MS = Number(process.env.PROOF_MEASURED_MS ?? 8_000);
const PAUSE_MS = 20;

const { db, url } = await testDatabase({ own: true });

async function openTenant(baseUrl: string): Promise<ProofTenant & { client: Client }> {
  const tenant = await createTenant(db);
  return { ...tenant, client: new Client(tenant.apiKey, () => baseUrl) };
}

test(`the clock renews ${SUBSCRIBERS} subscriptions for ${MONTHS} months, each once a month`, async () => {
  const host = await startHost({ databaseUrl: url });
  onTestFinished(() => host.stop());
  const { client, environmentId } = await openTenant(host.baseUrl);
  await subscribeNow(client, await makeMonthlyPlan(client), SUBSCRIBERS);
  const began = performance.now();
  await startAdvance(client, addMonths((await readClock(client)).now, MONTHS));
  await untilReady(client, 1_800_000);
  const ms = performance.now() - began;
  const [found] = await db.sql<[{ invoices: number; paid: number; payments: number }]>`
    select count(*)::int as invoices, count(*) filter (where status = 'PAID')::int as paid,
      (select count(*)::int from payments where environment_id = ${environmentId}) as payments
    from invoices where environment_id = ${environmentId}`;
  const expected = SUBSCRIBERS * (MONTHS + 1);
  reportFigure(
    `${SUBSCRIBERS} subscriptions × ${MONTHS} months in ${(ms / 1000).toFixed(1)} s`,
    `${(ms / (SUBSCRIBERS * MONTHS)).toFixed(1)} ms a renewal`,
  );
  expect(found).toEqual({ invoices: expected, paid: expected, payments: expected });
  await expectCleanBooks(db);
});

const inOrder = (times: readonly number[], part: number): number =>
  Math.round([...times].sort((a, b) => a - b)[Math.floor(times.length * part)] ?? 0);

/** Makes one payment after the other, and returns the time that each took, in ms. */
async function measurePayments(client: Client): Promise<{ median: number; p95: number }> {
  const times: number[] = [];
  for (const deadline = performance.now() + MEASURED_MS; performance.now() < deadline; await wait(PAUSE_MS)) {
    const began = performance.now();
    const { status } = await client.post({ key: randomUUID(), path: "/v1/payments", body: paymentBody() });
    times.push(performance.now() - began);
    expect(status).toBe(201);
  }
  return { median: inOrder(times, 0.5), p95: inOrder(times, 0.95) };
}

const makeDue = (environmentId: string) => db.sql`
  update subscriptions set trial_end_at = at, anchor_at = at, period_end_at = at, due_at = at
  from (select date_trunc('milliseconds', clock_timestamp()) as at) now where environment_id = ${environmentId}`;

const countPaid = async (environmentId: string): Promise<number> => {
  const [row] = await db.sql<[{ paid: number }]>`
    select count(*)::int as paid from invoices where environment_id = ${environmentId} and status = 'PAID'`;
  return row.paid;
};

test(`${DUE_AT_ONCE} renewals of one merchant at one instant delay no other merchant's payments or renewals`, async () => {
  const host = await startHost({ databaseUrl: url });
  onTestFinished(() => host.stop());
  const [large, small] = [await openTenant(host.baseUrl), await openTenant(host.baseUrl)];
  const end = addMonths(new Date().toISOString(), 1);
  for (const { client } of [large, small]) await subscribeFrom(client, end, 1);
  await cloneLatestRow(db, "subscriptions", large.environmentId, {
    count: DUE_AT_ONCE - 1,
    everyMs: 1,
    // Their creation has no event.
    fresh: { event_sequence: "0" },
  });
  const before = await measurePayments(small.client);
  await makeDue(large.environmentId);
  await makeDue(small.environmentId);
  const during = await measurePayments(small.client);
  const renewed = await countPaid(large.environmentId);
  reportFigure(
    `payments beside ${DUE_AT_ONCE} renewals: median ${during.median} ms, p95 ${during.p95} ms`,
    `without: median ${before.median} ms, p95 ${before.p95} ms; ${renewed} renewals in ${MEASURED_MS} ms`,
  );
  // The other merchant's renewal was due after all of these.
  expect(await countPaid(small.environmentId)).toBe(1);
  expect(renewed).toBeGreaterThan(0);
  expect(renewed).toBeLessThan(DUE_AT_ONCE);
  await host.stop();
  await untilNothingIsOpen(db);
  await expectCleanBooks(db);
});
