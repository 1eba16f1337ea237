import { setTimeout as wait } from "node:timers/promises";
import type postgres from "postgres";
import { prepareDataFolder } from "./data-folder";
import { type ClusterOptions, DATABASE, ensureRunning, shutDown, single, urlOf } from "./embedded-server";

/**
 * Shared advisory lock of every process that uses the server; a process that gets it exclusively may stop the
 * server.
 */
const LEASE = "4846023521";
/** A server that does not respond by then is left running; the next start handles it. */
const LEASE_TIMEOUT_MS = 5_000;

export type EmbeddedOptions = ClusterOptions & {
  dataDir: string;
  /** Called with null after the server was lost and restarted, or with the reason a restart failed. */
  onRecovery?: (problem: unknown) => void;
};

export type Embedded = {
  readonly url: string;
  readonly pid: number;
  /** Releases the server, and stops it unless another process uses it. */
  stop(): Promise<void>;
};

/**
 * PostgreSQL on `dataDir`, shared by all processes that use the folder: joins the running server or starts
 * one, and restarts it when it dies. Throws a one-sentence ConfigurationError if it cannot.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const dataDir = prepareDataFolder(options.dataDir);
  const stopping = new AbortController();
  let server = await ensureRunning(dataDir, options, stopping.signal, "may move");
  let lease = await takeLease();
  const url = urlOf(server.access, DATABASE);
  let recovery: Promise<void> | null = null;

  async function takeLease(): Promise<postgres.Sql> {
    for (let attempt = 1; ; attempt++) {
      let held = false;
      const sql = single(server.access, () => held && onLost());
      try {
        await sql`select pg_advisory_lock_shared(${LEASE}::bigint)`;
        held = true;
        return sql;
      } catch (error) {
        // The last user was stopping the server while we joined it.
        await sql.end({ timeout: 0 });
        if (attempt === 5) throw error;
        server = await ensureRunning(dataDir, options, stopping.signal, attempt === 1 ? "may move" : "keeps its port");
      }
    }
  }

  function onLost(): void {
    if (stopping.signal.aborted || recovery) return;
    recovery = recover().finally(() => {
      recovery = null;
    });
  }

  async function recover(): Promise<void> {
    for (let delayMs = 50; !stopping.signal.aborted; delayMs = Math.min(delayMs * 2, 2_000)) {
      try {
        server = await ensureRunning(dataDir, options, stopping.signal, "keeps its port");
        lease = await takeLease();
        options.onRecovery?.(null);
        return;
      } catch (error) {
        if (!stopping.signal.aborted) options.onRecovery?.(error);
        await wait(delayMs);
      }
    }
  }

  return {
    url,
    get pid() {
      return server.pid;
    },
    async stop() {
      if (stopping.signal.aborted) return;
      stopping.abort();
      await recovery;
      const alone = await endLease(lease);
      if (alone) await shutDown(dataDir);
    },
  };
}

/** Releases our lease; true if no other process holds one (and from then on none can). */
async function endLease(lease: postgres.Sql): Promise<boolean> {
  const tryLock = async () => {
    await lease`select pg_advisory_unlock_shared(${LEASE}::bigint)`;
    const [row] = await lease`select pg_try_advisory_lock(${LEASE}::bigint) as alone`;
    return row?.alone === true;
  };
  const timer = new AbortController();
  try {
    const alone = await Promise.race([tryLock(), wait(LEASE_TIMEOUT_MS, false, { signal: timer.signal })]);
    if (!alone) await lease.end({ timeout: 1 });
    return alone;
  } catch {
    // The server is already gone; the next start handles what it left.
    return false;
  } finally {
    timer.abort();
  }
}
