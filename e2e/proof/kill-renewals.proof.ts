import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../fixtures/database";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client } from "./client";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { addMonths, readClock, startAdvance, subscribeFrom, untilReady } from "./subscribers";
import { createTenant } from "./tenant";

const KILLS = Number(process.env.PROOF_KILLS ?? 6);
const SUBSCRIBERS = 24;
/** Time before a renewal from which the clock runs in real time. */
const LEAD_MS = 1_500;
const POLL_MS = 5;
const ROUND_MS = 60_000;

const { db, url } = await testDatabase({ own: true });

test(`after ${KILLS} kills (-9) of a service amid renewals each period has one invoice and one charge`, async () => {
  const { environmentId, apiKey } = await createTenant(db);
  const hosts: ProofHost[] = await Promise.all([1, 2].map(() => startHost({ databaseUrl: url })));
  onTestFinished(async () => {
    await Promise.all(hosts.map((host) => host.stop()));
  });
  let turn = 0;
  const client = new Client(apiKey, () => (hosts[turn++ % 2] as ProofHost).baseUrl);
  const first = addMonths((await readClock(client)).now, 1);
  await subscribeFrom(client, first, SUBSCRIBERS);

  /** Waits until some of the renewals at this time are invoiced, and another is still to be. */
  const untilAmid = async (renewal: string): Promise<number> => {
    const enough = 1 + Math.floor(Math.random() * (SUBSCRIBERS - 1));
    for (const deadline = Date.now() + ROUND_MS; ; await wait(POLL_MS)) {
      const [row] = await db.sql<{ begun: number; paid: number }[]>`
        select count(*)::int as begun, count(*) filter (where status = 'PAID')::int as paid
        from invoices where environment_id = ${environmentId} and period_start_at = ${renewal}`;
      if (row && row.begun >= enough) return SUBSCRIBERS - row.paid;
      if (Date.now() > deadline) throw new Error(`the renewals of ${renewal} do not begin`);
    }
  };

  let [kills, amid] = [0, 0];
  let renewal = first;
  for (let round = 0; kills < KILLS; round++, renewal = addMonths(first, round)) {
    // In turn, the clock reaches the renewals, and they fall due in real time.
    const isByClock = round % 2 === 0;
    const to = new Date(Date.parse(renewal) + (isByClock ? 60_000 : -LEAD_MS)).toISOString();
    await startAdvance(client, to);
    if (!isByClock) await untilReady(client, ROUND_MS);
    const unpaid = await untilAmid(renewal);
    const victims = round % 3 === 2 ? [0, 1] : [round % 2];
    await Promise.all(victims.map((victim) => (hosts[victim] as ProofHost).kill("SIGKILL")));
    kills += victims.length;
    if (unpaid > 0) amid += victims.length;
    await Promise.all(
      victims.map(async (victim) => {
        hosts[victim] = await startHost({ databaseUrl: url, port: (hosts[victim] as ProofHost).port });
      }),
    );
    // The dead process's lease on the clock lasts a minute.
    await db.sql`update environments set clock_held_until = now() where id = ${environmentId} and clock_held_until is not null`;
    await untilReady(client, ROUND_MS);
  }

  // A payment that a kill prevented is repeated an hour later.
  await startAdvance(client, new Date(Date.parse(renewal) - 60_000).toISOString());
  await untilReady(client, ROUND_MS);
  await untilNothingIsOpen(db);
  const invoices = await db.sql<{ status: string; charges: number; count: number }[]>`
    select i.status, (select count(*)::int from sandbox_processor.charges c
      join payments p on p.environment_id = i.environment_id and p.authorization_id = c.reference
      where p.invoice_id = i.id and c.outcome = 'approved' and c.behavior <> 'closed') as charges, count(*)::int as count
    from invoices i where i.environment_id = ${environmentId} group by 1, 2`;
  const rounds = Math.round((Date.parse(renewal) - Date.parse(first)) / (30.4 * 86_400_000));
  reportFigure(`${kills} kills, ${amid} amid renewals, ${SUBSCRIBERS * rounds} renewals`);
  expect(invoices).toEqual([{ status: "PAID", charges: 1, count: SUBSCRIBERS * rounds }]);
  await expectCleanBooks(db);
});
