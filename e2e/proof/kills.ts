import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "@/db/client";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client } from "./client";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { expectMoneyOncePerKey, expectStableAnswers, Load, timesMoneyMovedTwice } from "./load";
import { PROCESSOR, type ProcessorName, type RunningProcessor, runProcessor } from "./processors";
import { createTenant } from "./tenant";

const LANES = 8;

/** Longer than a lease, and than it takes until "not found" counts: another process has finished what a stopped one holds. */
const STOPPED_MS = 7_000;

/** `stops`: so often a service is not killed, but stopped, and wakes up with what another one has taken over. */
type Killing = { db: Database; url: string; kills: number; stops?: number; processor?: ProcessorName };

/** Goes to the other process when one does not answer. */
class ImpatientClient extends Client {
  protected override timeoutMs = 3_000;
}

type Tally = { requests: number; received: number | null; keys: number; operations: number; twice: number };

/** What a proof of so many kills has to say for itself: numbers, before anything is judged by them. */
export async function tallyOf(
  db: Database,
  load: Load,
  environmentId: string,
  processor: RunningProcessor,
): Promise<Tally> {
  const [row] = await db.sql<{ operations: number }[]>`
    select count(*)::int as operations from operations where environment_id = ${environmentId}`;
  return {
    requests: load.client.requests,
    received: processor.received(),
    keys: load.answered.length,
    operations: row?.operations ?? 0,
    twice: await timesMoneyMovedTwice(db, load, environmentId, processor.name),
  };
}

function print({ name }: RunningProcessor, kills: number, tally: Tally): void {
  const { requests, received, keys, operations, twice } = tally;
  const atDouble = received === null ? "" : `, ${received} to the double`;
  reportFigure(
    `${name}: ${kills} kills, ${keys} keys, ${operations} operations, ${twice} twice`,
    `${requests} requests to the service${atDouble}`,
  );
}

/** Kills one of two services, again and again, under load; every key has one answer then, and the books are clean. */
export async function killUnderLoad({ db, url, kills, stops = 0, processor = PROCESSOR }: Killing): Promise<Load> {
  const hosts: ProofHost[] = [];
  let turn = 0;
  // A request goes to either process, whether it lives or not: as through a load balancer that has not noticed yet.
  const address = () => (hosts[turn++ % 2] as ProofHost).baseUrl;
  const tenant = await createTenant(db);
  const running = await runProcessor(db, address, processor);
  const { env } = running;
  try {
    hosts.push(...(await Promise.all([1, 2].map(() => startHost({ databaseUrl: url, env })))));
    const client = stops > 0 ? new ImpatientClient(tenant.apiKey, address) : new Client(tenant.apiKey, address);
    const load = new Load(client, LANES);
    for (let kill = 0; kill < kills; kill++) {
      const victim = hosts[kill % 2] as ProofHost;
      await load.goesOn();
      await wait(Math.random() * 400);
      await victim.kill("SIGKILL");
      hosts[kill % 2] = await startHost({ databaseUrl: url, port: victim.port, env });
    }
    for (let stop = 0; stop < stops; stop++) {
      const victim = hosts[stop % 2] as ProofHost;
      await wait(Math.random() * 400);
      void victim.kill("SIGSTOP");
      await wait(STOPPED_MS);
      void victim.kill("SIGCONT");
    }
    await load.stop();
    await untilNothingIsOpen(db);
    print(running, kills, await tallyOf(db, load, tenant.environmentId, running));
    await expectStableAnswers(load);
    await expectMoneyOncePerKey(db, load, tenant.environmentId, processor);
    await expectCleanBooks(db);
    return load;
  } finally {
    await running.stop();
    await Promise.all(hosts.map((host) => host.stop()));
  }
}
