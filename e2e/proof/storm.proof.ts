import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect, type Database } from "@/db/client";
import { pickPort } from "@/db/embedded-cluster";
import { migrate } from "@/db/migrate";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { seededRandom } from "@/lib/seeded-random";
import { TEST_SECRET, testService } from "../fixtures/factories";
import { PGBOUNCER, startPgBouncer } from "../fixtures/pgbouncer";
import { expectCleanBooks } from "./books";
import { reportFigure } from "./figures";
import { tallyOf } from "./kills";
import { expectMoneyOncePerKey, expectStableAnswers, FULL_MIX, Load } from "./load";
import { bookOf, PROCESSOR, type ProcessorName, readBooks, runProcessor } from "./processors";
import { Director } from "./storm-director";
import { StormClient, StormLog, StormService } from "./storm-parts";
import { StepClock, StormServer } from "./storm-server";
import { createTenant } from "./tenant";

/** A storm needs minutes to be meaningful, so only `npm run prove` and `npm run prove:storm` run one. */
const MINUTES = Number(process.env.STORM_MINUTES ?? 0);
const SEED = Number(process.env.STORM_SEED ?? Math.floor(Math.random() * 1_000_000));
const LANES = Number(process.env.STORM_LANES ?? 12);
/**
 * Times left ahead by a clock step are waited for up to the longest lease; all else takes a minute at most.
 */
const OPEN_LIMIT_MS = 200_000;
/** The table locked in addition to those of every payment: the record of a processor, or of its connector. */
const LOCKED: Record<ProcessorName, string> = {
  sandbox: "sandbox_processor.charges",
  other: "other_processor.intents",
  stripe: "processor_objects",
  adyen: "processor_journal",
};
const READY_LIMIT_MS = 30_000;

test.runIf(MINUTES > 0)(
  `nothing is lost, doubled or stuck after ${MINUTES} minutes of storm (seed ${SEED})`,
  async () => {
    const parent = process.env.DATA_DIR ?? tmpdir();
    mkdirSync(parent, { recursive: true });
    const folder = mkdtempSync(join(parent, "cardlane-storm-"));
    const print = (line: string) => process.stdout.write(`  ${line}\n`);
    print(`${folder}, seed ${SEED}`);
    const log = new StormLog(folder);
    const random = seededRandom(SEED);
    const server = await StormServer.create(join(folder, "data"));
    const pooler = PGBOUNCER === null ? null : await startPgBouncer(server.url, "session");
    if (pooler === null) print("There is no PgBouncer here: both services reach PostgreSQL directly.");
    const serviceClock = StepClock.in(folder, "service", "threads");
    if (serviceClock === null) print("There is no libfaketime here: clocks are not set.");
    await migrate(server.url);
    const db = connect(server.url, { max: 3, applicationName: "cardlane-proof" });
    const tenant = await createTenant(db);
    const probes = await createTenant(db);
    let turn = 0;
    const services: StormService[] = [];
    /** Alternates between both services, dead or alive. */
    const address = () => services[turn++ % 2]?.baseUrl ?? "";
    const processor = await runProcessor(db, address);
    const env = {
      ...processor.env,
      DATA_DIR: folder,
      LOG_LEVEL: "warn",
      PROCESSOR_TIMEOUT_MS: "8000",
    };
    const [direct, pooled] = [
      new StormService("direct", { databaseUrl: server.url, port: await pickPort(), env }, log),
      new StormService(
        "pooled",
        { databaseUrl: pooler?.url ?? server.url, port: await pickPort(), env: { ...env, ...serviceClock?.env } },
        log,
      ),
    ] as const;
    services.push(direct, pooled);
    let isClean = false;
    try {
      await Promise.all(services.map((service) => service.start()));
      const client = new StormClient(tenant.apiKey, address, log, random);
      const settle = () => runSettlement(testService(db), { environmentId: tenant.environmentId });
      const stage = {
        server,
        pooler,
        serviceClock,
        settle,
        log,
        random,
        probeKey: probes.apiKey,
        services: [direct, pooled] as const,
        locked: LOCKED[processor.name],
      };
      const director = new Director(stage);
      const load = new Load(client, LANES, FULL_MIX);
      await director.rage(MINUTES * 60_000, () => load.failure !== null);
      director.calm();
      const readyMs = await untilReady(services);
      await load.stop();
      const openMs = await untilSettled(db);
      print(JSON.stringify(summary(client, load, director, services, { readyMs, openMs }), null, 1));
      const tally = await tallyOf(db, load, tenant.environmentId, processor);
      print(`${processor.name}: ${JSON.stringify(tally)}`);
      print(`strange: ${JSON.stringify(log.strange, null, 1)}`);
      await expectStableAnswers(load);
      await expectMoneyOncePerKey(db, load, tenant.environmentId);
      await expectLedgerIsProcessors(db, tenant.environmentId);
      await expectCleanBooks(db);
      expectVerified(server.url, folder);
      expect(server.panics()).toEqual([]);
      expect(log.strange).toEqual([]);
      reportFigure(
        `${MINUTES} min, ${client.requests} requests, ${load.answered.length} keys, ${log.strange.length} strange responses`,
      );
      isClean = true;
    } finally {
      await processor.stop();
      for (const service of services) await service.stop();
      await pooler?.stop();
      await db.close();
      await server.stop();
      if (isClean && !process.env.STORM_KEEP) rmSync(folder, { recursive: true, force: true });
      else print(`Database and logs are kept in ${folder}.`);
    }
  },
);

/** Times in which the services report ready. */
async function untilReady(services: readonly StormService[]): Promise<number[]> {
  const begun = performance.now();
  return Promise.all(
    services.map(async ({ baseUrl }) => {
      const ready = () =>
        fetch(`${baseUrl}/health/ready`).then(
          (response) => response.text().then((text) => `${response.status} ${text}`),
          String,
        );
      await expect.poll(ready, { timeout: READY_LIMIT_MS, interval: 50 }).toBe('200 {"status":"ready"}');
      return Math.round(performance.now() - begun);
    }),
  );
}

/** Time until no operation is open and every report of the processor has been received. */
async function untilSettled(db: Database): Promise<number> {
  const begun = performance.now();
  const open = async () => [
    ...(await db.sql`select id, kind, attempts, last_answer, lease_until, next_attempt_at, now() as now from operations where state = 'open'`),
    ...(PROCESSOR === "sandbox"
      ? await db.sql`select reference, due_at from sandbox_processor.reports where acknowledged_at is null`
      : []),
  ];
  await expect.poll(open, { timeout: OPEN_LIMIT_MS, interval: 250 }).toEqual([]);
  return Math.round(performance.now() - begun);
}

/** Compares, payment by payment, our ledger with the captures and refunds in the processor's own store. */
async function expectLedgerIsProcessors(db: Database, environmentId: string): Promise<void> {
  await readBooks(db);
  const differences = await db.sql`
    with ours as (
      select o.payment_id, sum(case
        when l.debit_account = 'processor_receivable' and l.credit_account = 'merchant_payable' then l.amount
        when l.debit_account = 'merchant_payable' and l.credit_account = 'processor_receivable' then -l.amount
        else 0 end)::bigint as net
      from ledger_entries l join operations o on o.environment_id = l.environment_id and o.id = l.operation_id
      where l.environment_id = ${environmentId} group by o.payment_id
    )
    select p.id, p.status, c.reference, coalesce(ours.net, 0) as ours, coalesce(c.amount_captured - c.amount_refunded, 0) as theirs
    from (select * from payments where environment_id = ${environmentId}) p
    full join (select * from ${bookOf(db.sql, PROCESSOR, "charges")} where account = ${environmentId}) c on c.reference = p.authorization_id
    left join ours on ours.payment_id = p.id
    where coalesce(ours.net, 0) <> coalesce(c.amount_captured - c.amount_refunded, 0)
      or (p.id is null) or (c.reference is null and p.status not in ('FAILED', 'DECLINED'))`;
  expect(differences.map((row) => row)).toEqual([]);
}

function expectVerified(databaseUrl: string, folder: string): void {
  const settings = { DATABASE_URL: databaseUrl, CARDLANE_SECRET: TEST_SECRET, DATA_DIR: folder };
  const verify = spawnSync("npm", ["run", "verify"], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings } as unknown as NodeJS.ProcessEnv,
    encoding: "utf8",
  });
  expect(verify.status, verify.stdout + verify.stderr).toBe(0);
}

function summary(
  client: StormClient,
  load: Load,
  director: Director,
  services: readonly StormService[],
  settled: { readyMs: number[]; openMs: number },
) {
  const sorted = [...client.waitsMs].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  const shopperLost = load.sessions.flatMap(({ answered }) => answered.filter(({ answer }) => answer.status === 402));
  const recoveries = [...director.recoveriesMs].map(([after, ms]) => [
    after,
    `${ms.length} times, at most ${Math.max(...ms)} ms`,
  ]);
  return {
    requests: client.requests,
    keys: load.answered.length,
    keysSentTwiceAtOnce: client.sentTwice,
    tokensThatWereTooOld: load.tooLate.length,
    sessions: load.sessions.length,
    orders: Object.fromEntries(load.finished),
    answers: sortedCounts(client.answers),
    finalAnswers: sortedCounts(client.finals),
    goodCards: client.goodCards,
    lostSales: client.lostSales,
    shopperLost: shopperLost.length,
    waitMs: { median: at(0.5), p99: at(0.99), longest: at(1) },
    acts: sortedCounts(director.counts),
    starts: Object.fromEntries(
      services.map(({ name, starts, failedStarts }) => [name, { starts, failed: Object.fromEntries(failedStarts) }]),
    ),
    recoveries: Object.fromEntries(recoveries),
    ...settled,
  };
}

const sortedCounts = (counts: Map<string, number>) => Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
