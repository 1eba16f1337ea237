import { loadavg } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { connect, type Database } from "@/db/client";
import { type ClusterNode, missingPrograms, PatroniCluster } from "../fixtures/patroni-cluster";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client, inParallel, paymentBody, paymentOf } from "./client";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { expectMoneyOncePerKey, expectStableAnswers, Load } from "./load";
import { createTenant } from "./tenant";

const DATABASE = "cardlane";
const FAILOVERS = Number(process.env.PROOF_FAILOVERS ?? 6);
const LANES = 3;
/** Max time without a successful payment, from before the fault to the new primary. */
const SERVES_WITHIN_MS = 15_000;
/** Interval between the payments that measure the interruption. */
const BEAT_MS = 250;
const WAYS = ["servers", "HAProxy"] as const;

type Fault = {
  readonly name: string;
  strike(old: ClusterNode, other: ClusterNode): Promise<void> | void;
  /** Brings the old primary back. */
  mend?(old: ClusterNode): void;
  readonly needsNamespaces?: boolean;
};

const FAULTS: readonly Fault[] = [
  { name: "PostgreSQL killed", strike: (old) => old.killPostgres() },
  {
    name: "Patroni killed",
    strike: (old) => old.killPatroni(),
    // Mimics systemd with the guide's KillMode: a restarted Patroni would first release the waiting commits.
    mend(old) {
      old.killPostgres();
      old.startPatroni();
    },
  },
  { name: "machine paused", strike: (old) => old.pause(), mend: (old) => old.wake() },
  {
    name: "cut off",
    strike: (old) => old.cut("everything"),
    mend: (old) => old.heal("everything"),
    needsNamespaces: true,
  },
  {
    name: "cut off from its peers",
    strike: (old) => old.cut("its peers"),
    mend: (old) => old.heal("its peers"),
    needsNamespaces: true,
  },
  { name: "switchover", strike: (old, other) => old.cluster.switchover(old, other) },
];

/** A process of the service, a merchant's load on it, and payments at a fixed rate that measure interruptions. */
class Shop {
  readonly #successes: number[] = [];
  readonly #paid: string[] = [];
  /** The longest interruption of each round. */
  readonly gaps: number[] = [];
  readonly load: Load;
  #checked = 0;
  #isOver = false;
  readonly #beats: Promise<void>;
  readonly #open = new Set<Promise<void>>();

  constructor(
    readonly by: (typeof WAYS)[number],
    readonly tenant: Awaited<ReturnType<typeof createTenant>>,
    baseUrl: string,
  ) {
    this.load = new Load(new Client(tenant.apiKey, () => baseUrl), LANES);
    this.#beats = this.#beat();
  }

  async #beat(): Promise<void> {
    while (!this.#isOver) {
      const sent: Promise<void> = this.#pay().finally(() => this.#open.delete(sent));
      this.#open.add(sent);
      await wait(BEAT_MS);
    }
    await Promise.all(this.#open);
  }

  /** Without a retry: a failure only means that nothing was served at this time. */
  async #pay(): Promise<void> {
    const request = { key: crypto.randomUUID(), path: "/v1/payments", body: paymentBody() };
    const answer = await this.load.client.post(request).catch(() => null);
    if (answer?.status !== 201) return;
    this.#successes.push(performance.now());
    this.#paid.push(paymentOf(answer).id);
  }

  /** Waits for a payment that succeeds after `sinceMs`, and records the longest interruption since `faultMs`. */
  async servesAgain(faultMs: number, sinceMs: number): Promise<number> {
    const deadlineMs = performance.now() + 60_000;
    while ((this.#successes.at(-1) ?? 0) < sinceMs) {
      if (performance.now() > deadlineMs) throw new Error(`by ${this.by}, no payment a minute after the promotion`);
      await wait(20);
    }
    const times = this.#successes.filter((ms) => ms > faultMs - 5_000);
    const gap = Math.max(...times.map((ms, index) => ms - (times[index - 1] ?? ms)));
    this.gaps.push(gap);
    return gap;
  }

  /** Keys of payments that got a response since the last call and are not in the database. */
  async lost(db: Database): Promise<string[]> {
    const answered = this.load.answered.slice(this.#checked);
    this.#checked += answered.length;
    const keys = answered
      .filter(({ request, answer }) => request.path === "/v1/payments" && answer.status === 201)
      .map(({ request }) => request.key);
    const rows = await db.sql<{ key: string }[]>`
      select metadata->>'key' as key from transactions
      where environment_id = ${this.tenant.environmentId} and type = 'CHARGE' and metadata->>'key' = any(${keys})`;
    const found = new Set(rows.map(({ key }) => key));
    return keys.filter((key) => !found.has(key));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#beats;
    await this.load.stop();
  }

  get beats(): number {
    return this.#paid.length;
  }

  async lostBeats(): Promise<string[]> {
    const found = await inParallel(this.#paid, 8, (id) => this.load.client.payment(id));
    return found.filter(({ status }) => status !== "CAPTURED").map(({ id }) => id);
  }
}

/** A client of the old primary's that keeps writing there from the promotion on, and whatever was confirmed to it. */
class StubbornWriter {
  readonly confirmed: string[] = [];
  tries = 0;
  #isOver = false;
  readonly #done: Promise<void>;

  constructor(
    readonly node: ClusterNode,
    round: number,
  ) {
    this.#done = this.#write(round);
  }

  async #write(round: number): Promise<void> {
    while (!this.#isOver) {
      const sql = this.node.sql(DATABASE);
      const name = `fenced_${round}_${this.tries++}`;
      const written = sql.unsafe(`create table ${name} ()`).then(
        () => this.confirmed.push(name),
        () => wait(200),
      );
      // Waits for its standby: the next one tries beside it.
      await Promise.race([written, wait(1_500)]);
      void sql.end({ timeout: 20 });
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }
}

const say = (line: string) => void process.stdout.write(`  ${line}\n`);
const missing = missingPrograms();
say(
  missing.length > 0
    ? `failovers by Patroni are skipped, because ${missing.join(", ")} is not installed; a stand-in promotes instead`
    : "failovers by Patroni, with etcd and HAProxy",
);

test.skipIf(missing.length > 0)(`nothing is lost or doubled in ${FAILOVERS} failovers by Patroni`, async () => {
  const cluster = await PatroniCluster.start(DATABASE);
  onTestFinished(() => cluster.stop());
  const faults = FAULTS.filter((fault) => cluster.hasNamespaces || !fault.needsNamespaces);
  if (!cluster.hasNamespaces) say("the two cuts of the network are skipped: no network namespaces here");
  const hosts: ProofHost[] = [];
  for (const by of WAYS) {
    const host = await startHost({ databaseUrl: cluster.url(DATABASE, by) });
    onTestFinished(() => host.stop());
    hosts.push(host);
  }
  const db = connect(cluster.url(DATABASE, "servers"), { max: 3 });
  onTestFinished(() => db.close());
  const tenants = [await createTenant(db), await createTenant(db)];
  const shops = WAYS.map((by, index) => new Shop(by, tenants[index] as never, hosts[index]?.baseUrl as string));

  const [servers, promotions]: [ClusterNode[], number[]] = [cluster.servers, []];
  let writes = 0;
  for (let round = 0; round < FAILOVERS; round++) {
    await Promise.all(shops.map(({ load }) => load.goesOn()));
    await wait(1_000);
    const fault = faults[round % faults.length] as Fault;
    const old = await cluster.primary();
    const other = servers.find((node) => node !== old) as ClusterNode;
    const faultMs = performance.now();
    await fault.strike(old, other);
    await cluster.until(() => other.isPromoted(), `${fault.name}: no new primary`, 60_000);
    const promotedMs = performance.now();
    promotions.push(promotedMs - faultMs);
    const writer = new StubbornWriter(old, round);
    const gaps = await Promise.all(shops.map((shop) => shop.servesAgain(faultMs, promotedMs)));
    await wait(2_000);
    fault.mend?.(old);
    await cluster.until(() => old.is("synchronous"), `${fault.name}: the old primary does not follow`);
    await writer.stop();
    writes += writer.tries;
    expect(writer.confirmed, `${fault.name}: confirmed by the old primary`).toEqual([]);
    for (const shop of shops) expect(await shop.lost(db)).toEqual([]);
    const parts = WAYS.map((by, index) => `${by} ${Math.round(gaps[index] ?? 0)} ms`);
    const load = Math.round(loadavg()[0] as number);
    say(
      `${round + 1}. ${fault.name}: promoted after ${Math.round(promotedMs - faultMs)} ms; ${parts.join(", ")} (load ${load})`,
    );
  }
  const [survived] = await db.sql<
    { n: number }[]
  >`select count(*)::int as n from pg_class where relname like 'fenced%'`;
  expect(survived?.n).toBe(0);

  await Promise.all(shops.map((shop) => shop.stop()));
  const interruptions = (isMeant: (round: number) => boolean) => {
    const [promoted, ...gaps] = [promotions, ...shops.map((shop) => shop.gaps)].map((values) =>
      medianAndMax(values.filter((_, round) => isMeant(round))),
    );
    return `${WAYS.map((by, index) => `${gaps[index]} by ${by}`).join(", ")}; promoted after ${promoted}`;
  };
  for (const [index, { name }] of faults.slice(0, FAILOVERS).entries()) {
    say(`${name}: ${interruptions((round) => round % faults.length === index)}`);
  }
  const keys = shops.reduce((sum, { load }) => sum + load.answered.length, 0);
  const beats = shops.reduce((sum, shop) => sum + shop.beats, 0);
  reportFigure(
    `${FAILOVERS} failovers by Patroni; longest time without a payment: ${interruptions(() => true)}`,
    `${keys} keys, ${beats} payments to measure with, ${writes} writes tried on old primaries`,
  );
  await untilNothingIsOpen(db);
  for (const shop of shops) {
    await expectStableAnswers(shop.load);
    expect(await shop.lostBeats()).toEqual([]);
    await expectMoneyOncePerKey(db, shop.load, shop.tenant.environmentId);
  }
  await expectCleanBooks(db);
  for (const { gaps } of shops) expect(Math.max(...gaps)).toBeLessThan(SERVES_WITHIN_MS);
});

function medianAndMax(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b).map((ms) => (ms / 1_000).toFixed(1));
  return `${sorted.at(Math.floor(sorted.length / 2))} s (at most ${sorted.at(-1)} s)`;
}
