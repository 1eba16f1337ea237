import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "@/db/client";
import { OwnServer } from "../fixtures/own-server";
import { missingPrograms } from "../fixtures/patroni-cluster";
import { startTcpProxy, type TcpProxy } from "../fixtures/tcp-proxy";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client, paymentBody } from "./client";
import { reportFigure } from "./figures";
import { startHost } from "./host";
import { expectMoneyOncePerKey, expectStableAnswers, Load } from "./load";
import { createTenant } from "./tenant";

const DATABASE = "cardlane";
const FAILOVERS = Number(process.env.PROOF_FAILOVERS ?? 4);
const LANES = 4;
/** From the promotion to the first payment. */
const SERVES_WITHIN_MS = 15_000;
const SYNCHRONOUS = "standby";

/** A server, and the addresses under which the service and its standby reach it, which a cut network closes. */
type Node = { readonly server: OwnServer; readonly service: TcpProxy; readonly replication: TcpProxy };

const FAULTS = ["killed", "paused", "cut off", "shut down"] as const;

/** Stands in for Patroni where that is not installed: it detects nothing, promotes at once, and rebuilds the old primary. */
class Cluster {
  constructor(
    public primary: Node,
    public standby: Node,
  ) {}

  static async create(): Promise<Cluster> {
    const settings = { wal_level: "replica", max_wal_senders: "4", wal_keep_size: "256MB" };
    const servers = await OwnServer.pair(DATABASE, { replication: settings, standby: settings });
    const [primary, standby] = await Promise.all(
      servers.map(async (server) => ({
        server,
        service: await startTcpProxy(server.url(DATABASE)),
        replication: await startTcpProxy(server.url("postgres")),
      })),
    );
    const cluster = new Cluster(primary as Node, standby as Node);
    await cluster.synchronize();
    return cluster;
  }

  /** Commits are confirmed once the standby has them. */
  async synchronize(): Promise<void> {
    const sql = this.primary.server.sql("postgres");
    await untilOne(sql, "state = 'streaming'");
    await setNames(sql, SYNCHRONOUS);
    await untilOne(sql, "sync_state = 'sync'");
    await sql.end();
  }

  /** The standby takes over alone: it confirms commits without one of its own until `rebuild`. */
  async promote(): Promise<void> {
    [this.primary, this.standby] = [this.standby, this.primary];
    const sql = this.primary.server.sql("postgres");
    await sql`select pg_promote()`;
    await setNames(sql, "");
    await sql.end();
  }

  async rebuild(): Promise<void> {
    const { port } = new URL(this.primary.replication.url);
    await this.standby.server.followAnew(this.primary.server, { host: "127.0.0.1", port: Number(port) });
    await this.synchronize();
  }

  get nodes(): Node[] {
    return [this.primary, this.standby];
  }
}

async function untilOne(sql: ReturnType<OwnServer["sql"]>, condition: string): Promise<void> {
  const deadlineMs = performance.now() + 30_000;
  while ((await sql.unsafe(`select from pg_stat_replication where ${condition}`)).length !== 1) {
    if (performance.now() > deadlineMs) throw new Error(`no standby of which ${condition}`);
    await wait(50);
  }
}

async function setNames(sql: ReturnType<OwnServer["sql"]>, names: string): Promise<void> {
  await sql.unsafe(`alter system set synchronous_standby_names = '${names}'`);
  await sql`select pg_reload_conf()`;
}

/** The old primary is alive again: it must confirm no write. */
async function expectFenced(server: OwnServer): Promise<void> {
  const sql = server.sql(DATABASE);
  const written = sql`create table fenced ()`.then(
    () => "confirmed",
    () => "ended",
  );
  expect(await Promise.race([written, wait(1_500, "waits")])).toBe("waits");
  await server.stop("SIGKILL");
  await written;
  await sql.end({ timeout: 0 });
}

test.skipIf(missingPrograms().length === 0)(
  `nothing is lost or doubled in ${FAILOVERS} failovers under load`,
  async () => {
    const cluster = await Cluster.create();
    const hosts = cluster.nodes.map(({ service }) => new URL(service.url).host).join(",");
    const { credentials } = cluster.primary.server;
    const host = await startHost({
      databaseUrl: `postgres://${credentials}@${hosts}/${DATABASE}?target_session_attrs=read-write`,
    });
    onTestFinished(async () => {
      await host.stop();
      for (const { server, service, replication } of cluster.nodes) {
        await Promise.all([service.close(), replication.close()]);
        await server.stop("SIGKILL");
        server.remove();
      }
    });
    const setUp = connect(cluster.primary.server.url(DATABASE), { max: 2 });
    const tenant = await createTenant(setUp);
    await setUp.close();
    const load = new Load(new Client(tenant.apiKey, () => host.baseUrl), LANES);
    const isServing = () =>
      fetch(`${host.baseUrl}/v1/payments`, {
        method: "POST",
        headers: { "X-Api-Key": tenant.apiKey, "X-Idempotency-Key": randomUUID(), "Content-Type": "application/json" },
        body: JSON.stringify(paymentBody()),
        signal: AbortSignal.timeout(20_000),
      }).then(
        async (response) => {
          await response.text();
          return response.status === 201;
        },
        () => false,
      );

    const outages: number[] = [];
    for (let round = 0; round < FAILOVERS; round++) {
      await load.goesOn();
      await wait(500);
      const fault = FAULTS[round % FAULTS.length] as (typeof FAULTS)[number];
      const old = cluster.primary;
      if (fault === "killed") await old.server.stop("SIGKILL");
      if (fault === "shut down") await old.server.stop("SIGINT");
      if (fault === "paused") old.server.signal("SIGSTOP");
      if (fault === "cut off") await Promise.all([old.service.refuse(), old.replication.refuse()]);
      await cluster.promote();
      const promotedMs = performance.now();
      while (!(await isServing())) {
        if (performance.now() - promotedMs > 60_000) throw new Error(`no payment a minute after it was ${fault}`);
        await wait(50);
      }
      outages.push(performance.now() - promotedMs);
      if (fault === "paused") old.server.signal("SIGCONT");
      if (fault === "cut off") await Promise.all([old.service.accept(), old.replication.accept()]);
      if (fault === "paused" || fault === "cut off") {
        await load.goesOn();
        await expectFenced(old.server);
      }
      await cluster.rebuild();
    }
    await load.goesOn();
    await load.stop();

    const sorted = outages.toSorted((a, b) => a - b).map(Math.round);
    reportFigure(
      `${FAILOVERS} failovers: ${sorted.at(Math.floor(sorted.length / 2))} ms to the first payment at the median, ${sorted.at(-1)} ms at most; ${load.answered.length} keys`,
    );
    expect(sorted.at(-1)).toBeLessThan(SERVES_WITHIN_MS);
    const db = connect(cluster.primary.server.url(DATABASE), { max: 3 });
    await untilNothingIsOpen(db);
    await expectStableAnswers(load);
    await expectMoneyOncePerKey(db, load, tenant.environmentId);
    await expectCleanBooks(db);
    await db.close();
  },
);
