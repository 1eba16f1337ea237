import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import postgres from "postgres";
import { chooseLauncher, findBinaries } from "@/db/embedded-binaries";
import { clusterFiles, initialize, pickPort, SUPERUSER } from "@/db/embedded-cluster";

const READY_TIMEOUT_MS = 60_000;
const living = new Set<OwnServer>();
process.on("exit", () => {
  for (const server of living) server.remove();
});

type Settings = Readonly<Record<string, string>>;

/** A PostgreSQL of a test's own, with settings and rules of its own, which can be killed, copied and promoted. */
export class OwnServer {
  #child: ChildProcess | null = null;

  private constructor(
    readonly folder: string,
    readonly port: number,
    readonly password: string,
    public settings: Settings,
  ) {
    living.add(this);
  }

  /** Not started yet. In `parent`, or where temporary files are. */
  static async create(settings: Settings = {}, parent = process.env.DATA_DIR ?? tmpdir()): Promise<OwnServer> {
    mkdirSync(parent, { recursive: true });
    const folder = mkdtempSync(join(parent, "cardlane-server-"));
    const binaries = findBinaries();
    const launcher = chooseLauncher(binaries, folder, clusterFiles(folder).cluster);
    launcher.own(folder);
    const { port, password } = await initialize(binaries, launcher, folder, false);
    return new OwnServer(folder, port, password, settings);
  }

  /** A copy of the data of a server that is stopped, with other settings. */
  async copy(settings: Settings): Promise<OwnServer> {
    const folder = mkdtempSync(join(this.folder, "..", "cardlane-server-"));
    cpSync(this.folder, folder, { recursive: true });
    return new OwnServer(folder, await pickPort(), this.password, settings);
  }

  get data(): string {
    return clusterFiles(this.folder).cluster;
  }

  /** `user:password`, for addresses that are not the usual one. */
  get credentials(): string {
    return `${SUPERUSER}:${this.password}`;
  }

  url(database: string): string {
    return `postgres://${this.credentials}@127.0.0.1:${this.port}/${database}`;
  }

  /** Who may come in, and how: the lines of pg_hba.conf. Read at the next start. */
  rules(...lines: string[]): void {
    writeFileSync(join(this.data, "pg_hba.conf"), `${lines.join("\n")}\n`);
  }

  output(): string {
    return readFileSync(join(this.folder, "output"), "utf8");
  }

  /** Waits until it answers: on its socket where it has one, as rules may keep everything else out. */
  async start(): Promise<void> {
    const binaries = findBinaries();
    const launcher = chooseLauncher(binaries, this.folder, this.data);
    launcher.own(this.folder);
    const all = {
      ...{ listen_addresses: "127.0.0.1", unix_socket_directories: this.folder, port: String(this.port) },
      ...{ shared_buffers: "32MB", max_connections: "80", timezone: "UTC", jit: "off" },
      ...this.settings,
    };
    const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const { file, args, options } = launcher.command(binaries.postgres, ["-D", this.data, ...flags]);
    const output = openSync(join(this.folder, "output"), "a");
    this.#child = spawn(file, args, { ...options, stdio: ["ignore", output, output] });
    const deadline = Date.now() + READY_TIMEOUT_MS;
    while (!(await this.#answers())) {
      if (this.#child.exitCode !== null || Date.now() > deadline) throw new Error(`no server: ${this.output()}`);
      await wait(20);
    }
  }

  /** After it ended by itself. False: it runs. */
  async startAgain(): Promise<boolean> {
    if (this.#child?.exitCode === null) return false;
    await this.start();
    return true;
  }

  async restart(settings: Settings): Promise<void> {
    await this.stop();
    this.settings = settings;
    await this.start();
  }

  async #answers(): Promise<boolean> {
    const sql = this.sql("postgres");
    try {
      await sql`select 1`;
      return true;
    } catch {
      return false;
    } finally {
      await sql.end({ timeout: 0 });
    }
  }

  /** A client of its own by the socket. Whoever takes it ends it. */
  sql(database: string): postgres.Sql {
    const path = join(this.folder, `.s.PGSQL.${this.port}`);
    return postgres({ path, user: SUPERUSER, password: this.password, database, max: 1, onnotice: () => {} } as never);
  }

  /** SIGINT lets it end in order; SIGKILL does not. */
  async stop(signal: "SIGINT" | "SIGKILL" = "SIGINT"): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  remove(): void {
    this.#child?.kill("SIGKILL");
    living.delete(this);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
