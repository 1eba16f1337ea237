import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type postgres from "postgres";
import { type Binaries, chooseLauncher, findBinaries, type Launcher } from "@/db/embedded-binaries";
import { type Access, clusterFiles, findOrphans, findPostmaster, initialize, launch } from "@/db/embedded-cluster";
import { DATABASE, shutDown, single, urlOf } from "@/db/embedded-server";
import { type Crash, crashPostgres, isAlive, processesOf, signal } from "./embedded";

const FAKETIME = [
  "/usr/lib/x86_64-linux-gnu/faketime",
  "/usr/lib/aarch64-linux-gnu/faketime",
  "/usr/lib/faketime",
].find((folder) => existsSync(join(folder, "libfaketime.so.1")));

/** The clock of processes started with `env`, adjustable while they run. Monotonic clocks are unaffected. */
export class StepClock {
  offsetS = 0;
  readonly #file: string;

  private constructor(
    file: string,
    readonly library: string,
  ) {
    this.#file = file;
    this.set(0);
  }

  /** Null without libfaketime. */
  static in(folder: string, name: string, threads: "one thread" | "threads"): StepClock | null {
    if (FAKETIME === undefined) return null;
    const library = threads === "threads" ? "libfaketimeMT.so.1" : "libfaketime.so.1";
    return new StepClock(join(folder, `${name}.clock`), join(FAKETIME, library));
  }

  /** Every process reads the offset at each call, so that no two of one server disagree. */
  get env(): Record<string, string> {
    return {
      LD_PRELOAD: this.library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
      NO_FAKE_STAT: "1",
    };
  }

  /** Sets the offset in seconds from the machine's own clock. */
  set(offsetS: number): void {
    this.offsetS = offsetS;
    writeFileSync(`${this.#file}.new`, `${offsetS < 0 ? "-" : "+"}${Math.abs(offsetS)}\n`, { mode: 0o644 });
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** A PostgreSQL that only the storm restarts, with all its durability settings. */
export class StormServer {
  readonly url: string;
  #settings: Record<string, string> = {
    // Only commits that wait for the write-ahead log write it: anything else that was confirmed is lost in
    // the next crash.
    wal_writer_delay: "10s",
    wal_writer_flush_after: "1GB",
  };

  private constructor(
    readonly dataDir: string,
    readonly clock: StepClock | null,
    readonly binaries: Binaries,
    readonly launcher: Launcher,
    readonly access: Access,
  ) {
    this.url = urlOf(access, DATABASE);
  }

  static async create(dataDir: string): Promise<StormServer> {
    mkdirSync(dataDir, { recursive: true });
    const { cluster } = clusterFiles(dataDir);
    const binaries = findBinaries();
    const real = chooseLauncher(binaries, dataDir, cluster);
    const access = await initialize(binaries, real, dataDir, true);
    const clock = StepClock.in(dataDir, "postgres", "one thread");
    const env = Object.entries(clock?.env ?? {}).map(([name, value]) => `${name}=${value}`);
    const launcher: Launcher = { ...real, command: (program, args) => real.command("env", [...env, program, ...args]) };
    const server = new StormServer(dataDir, clock, binaries, launcher, access);
    appendFileSync(join(cluster, "postgresql.conf"), "\ninclude_if_exists = 'storm.conf'\n");
    server.#write();
    await server.start();
    await server.asAdmin((sql) => sql.unsafe(`create database ${DATABASE}`));
    return server;
  }

  #write(): void {
    const lines = Object.entries(this.#settings).map(([name, value]) => `${name} = '${value}'\n`);
    writeFileSync(join(clusterFiles(this.dataDir).cluster, "storm.conf"), lines.join(""), { mode: 0o644 });
  }

  /** Applies to every connection within moments, like `alter system` and a reload. */
  set(name: string, value: string): void {
    this.#settings = { ...this.#settings, [name]: value };
    this.#write();
    const server = findPostmaster(this.dataDir);
    if (server) signal(server.pid, "SIGHUP");
  }

  /** Starts a server that is gone, the way its supervisor does; resolves once it responds, primary or not. */
  async start(): Promise<void> {
    for (;;) {
      for (let waitedMs = 0; findOrphans(this.dataDir).length > 0; waitedMs += 50) {
        if (waitedMs > 5_000) for (const pid of findOrphans(this.dataDir)) signal(pid, "SIGKILL");
        await wait(50);
      }
      const child = launch(this.binaries, this.launcher, this.dataDir, this.access.port, true);
      let hasEnded = false;
      child.once("exit", () => {
        hasEnded = true;
      });
      while (!hasEnded) {
        if (await this.answers()) return;
        await wait(20);
      }
      await wait(200);
    }
  }

  answers(): Promise<boolean> {
    return this.asAdmin((sql) => sql`select 1`).then(
      () => true,
      () => false,
    );
  }

  /** Runs on a connection to another database, so it doesn't count as a client of the service. */
  async asAdmin<T>(work: (sql: postgres.Sql) => Promise<T>, attempts = 1, database = "postgres"): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const sql = single(this.access, undefined, database);
      try {
        return await work(sql);
      } catch (error) {
        if (attempt === attempts) throw error;
        await wait(100);
      } finally {
        await sql.end({ timeout: 0 });
      }
    }
  }

  /** Resolves when it responds again. `afterMs`: delay before it is restarted. */
  async crash(crash: Crash | "kill the first", afterMs: number): Promise<void> {
    if (crash === "kill one") {
      const gone = crashPostgres(this.dataDir, crash);
      while (gone.some(isAlive) || !(await this.answers())) await wait(20);
      return;
    }
    if (crash === "kill the first") signal(processesOf(this.dataDir).postmaster, "SIGKILL");
    else crashPostgres(this.dataDir, crash);
    await this.#untilGone();
    await wait(afterMs);
    await this.start();
  }

  async #untilGone(): Promise<void> {
    while (findPostmaster(this.dataDir)) await wait(20);
  }

  /** Restarts as a standby without a primary, takes no writes for `ms`, and is then promoted. */
  async demote(ms: number): Promise<void> {
    const { cluster } = clusterFiles(this.dataDir);
    crashPostgres(this.dataDir, "immediate stop");
    await this.#untilGone();
    writeFileSync(join(cluster, "standby.signal"), "");
    await this.start();
    await wait(ms);
    writeFileSync(join(cluster, "promote"), "");
    signal(processesOf(this.dataDir).postmaster, "SIGUSR1");
    while (await this.asAdmin((sql) => sql`select pg_is_in_recovery() as standby`, 100).then(([row]) => row?.standby))
      await wait(50);
  }

  async readOnly(ms: number): Promise<void> {
    this.set("default_transaction_read_only", "on");
    await wait(ms);
    this.set("default_transaction_read_only", "off");
  }

  /** Pauses all its processes without ending them. */
  async fallSilent(ms: number): Promise<void> {
    const { postmaster } = processesOf(this.dataDir);
    signal(postmaster, "SIGSTOP");
    const all = [postmaster, ...processesOf(this.dataDir).children.map(({ pid }) => pid)];
    for (const pid of all) signal(pid, "SIGSTOP");
    await wait(ms);
    for (const pid of all) signal(pid, "SIGCONT");
  }

  async cutConnections(): Promise<number> {
    const cut = await this.asAdmin(
      (sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${DATABASE}`,
      100,
    );
    return cut.length;
  }

  /** Locks a table that every request needs. */
  async lock(table: string, ms: number): Promise<void> {
    await this.asAdmin(
      (sql) =>
        sql.begin(async (tx) => {
          await tx.unsafe(`lock table ${table} in access exclusive mode`);
          await wait(ms);
        }),
      5,
      DATABASE,
    );
  }

  /** Log lines that even a server in a storm must not produce. */
  panics(): string[] {
    return readFileSync(clusterFiles(this.dataDir).log, "utf8")
      .split("\n")
      .filter((line) => /PANIC|invalid page|could not read block|deadlock detected/.test(line));
  }

  stop(): Promise<void> {
    return shutDown(this.dataDir);
  }
}
