import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pickPort } from "@/db/embedded-cluster";

/** Debian's; null on a machine without it, where what needs it is left out. */
export const PGBOUNCER = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find((path) => existsSync(path)) ?? null;

export type PgBouncer = {
  /** The same database, by way of the pooler. */
  readonly url: string;
  readonly pid: number;
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** In the place of the one that was killed. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** PgBouncer at its defaults but for the pool mode, in front of the PostgreSQL at `url`; listening. */
export async function startPgBouncer(url: string, mode: "session" | "transaction"): Promise<PgBouncer> {
  if (PGBOUNCER === null) throw new Error("there is no PgBouncer on this machine");
  const program = PGBOUNCER;
  const folder = mkdtempSync(join(tmpdir(), "pgbouncer-"));
  const { hostname, port, username, password } = new URL(url);
  const own = await pickPort();
  const settings = join(folder, "pgbouncer.ini");
  const users = join(folder, "users.txt");
  writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`, { mode: 0o644 });
  writeFileSync(
    settings,
    `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${own}\n` +
      `auth_type = plain\nauth_file = ${users}\nunix_socket_dir =\npool_mode = ${mode}\n`,
  );
  chmodSync(folder, 0o755);
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  let child: ChildProcess;
  let ended: Promise<unknown>;
  const killAtExit = () => child.kill("SIGKILL");
  process.on("exit", killAtExit);
  const start = async () => {
    child = spawn(program, [settings], { ...asUser, stdio: "ignore" });
    ended = once(child, "exit");
    while (!(await listens(own))) {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`);
      await wait(20);
    }
  };
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  await start();
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String(own);
  return {
    url: through.href,
    get pid() {
      return child.pid as number;
    },
    kill,
    start,
    async stop() {
      await kill("SIGKILL");
      process.off("exit", killAtExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
