import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "@/db/client";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client } from "./client";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { expectMoneyOncePerKey, expectStableAnswers, Load, timesMoneyMovedTwice } from "./load";
import { type RunningProcessor, runProcessor } from "./processors";
import { createTenant } from "./tenant";

const LANES = 8;

/** Longer than a lease and the delay before "not found" counts, so another process takes over the work. */
const STOPPED_MS = 7_000;

/**
 * `stops`: pauses instead of kills, after which a service resumes with work that another process took over.
 */
type Killing = { db: Database; url: string; kills: number; stops?: number };

/** Switches to the other process after a timeout. */
class ImpatientClient extends Client {
  protected override timeoutMs = 3_000;
}

type Tally = { requests: number; received: number | null; keys: number; operations: number; twice: number };

/** Figures of a proof, collected before its assertions. */
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

type Turns = { goesOn: () => Promise<unknown>; start: Parameters<typeof startHost>[0] };

/** Kills one of two services after the other amid work that goes on, and starts it again on its port. */
export async function killInTurn(hosts: ProofHost[], kills: number, { goesOn, start }: Turns): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    const victim = hosts[kill % 2] as ProofHost;
    await goesOn();
    await wait(Math.random() * 400);
    await victim.kill("SIGKILL");
    hosts[kill % 2] = await startHost({ ...start, port: victim.port });
  }
}

/**
 * Kills one of two services repeatedly under load; then every key has one response, and the books are clean.
 */
export async function killUnderLoad({ db, url, kills, stops = 0 }: Killing): Promise<Load> {
  const hosts: ProofHost[] = [];
  let turn = 0;
  // Requests alternate between both processes, dead or alive, like a load balancer that hasn't noticed yet.
  const address = () => (hosts[turn++ % 2] as ProofHost).baseUrl;
  const tenant = await createTenant(db);
  const running = await runProcessor(db, address);
  const { env } = running;
  try {
    hosts.push(...(await Promise.all([1, 2].map(() => startHost({ databaseUrl: url, env })))));
    const client = stops > 0 ? new ImpatientClient(tenant.apiKey, address) : new Client(tenant.apiKey, address);
    const load = new Load(client, LANES);
    await killInTurn(hosts, kills, { goesOn: () => load.goesOn(), start: { databaseUrl: url, env } });
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
    await expectMoneyOncePerKey(db, load, tenant.environmentId);
    await expectCleanBooks(db);
    return load;
  } finally {
    await running.stop();
    await Promise.all(hosts.map((host) => host.stop()));
  }
}
