import { setTimeout as wait } from "node:timers/promises";
import { ConfigurationError } from "@/lib/env";
import { type Address, labelOf, parseAddress } from "./address";
import { connectSql, type Sql } from "./client";
import { TlsMismatch } from "./tls";
import { isDatabaseUnavailable } from "./unavailable";

/** Start-up time allowed for a database on the same machine, as after a reboot. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 500;

type Say = (what: string) => void;

/**
 * Resolves to the result of `check`, which runs once the server in `setting` is up and the connection is
 * known to stay on one server process. Throws ConfigurationError immediately if waiting won't help.
 */
export function reach<T>(
  url: string,
  setting: string,
  check: (sql: Sql, address: Address) => Promise<T>,
  say?: Say,
): Promise<T> {
  const address = parseAddress(url, setting);
  const work = async () => {
    const sql = connectSql(url, { max: 1, applicationName: "cardlane-start" });
    try {
      await refusePooledTransactions(sql, url, address, setting);
      return await check(sql, address);
    } catch (error) {
      if (error instanceof ConfigurationError || isDatabaseUnavailable(error)) throw error;
      throw new ConfigurationError(explain(error, address, setting), { cause: error });
    } finally {
      await sql.end({ timeout: 1 });
    }
  };
  return outlast(url, work, { setting, say });
}

type OutlastOptions = {
  setting?: string;
  say?: Say | undefined;
  /** Infinity once the service responds: later outages end nothing. */
  patienceMs?: number;
};

/**
 * Repeats a step of the start while the database at `url` is unavailable, which it may become between any two
 * steps. Throws ConfigurationError when it stays away, or waiting won't help. `work` must be safe to repeat.
 */
export async function outlast<T>(
  url: string,
  work: () => Promise<T>,
  { setting = "DATABASE_URL", say, patienceMs = PATIENCE_MS }: OutlastOptions = {},
): Promise<T> {
  const address = parseAddress(url, setting);
  let deadline = Number.POSITIVE_INFINITY;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ConfigurationError || !isDatabaseUnavailable(error)) throw error;
      deadline = Math.min(deadline, performance.now() + patienceMs);
      const sentence = explain(error, address, setting);
      if (!mayPass(causeOf(error)) || performance.now() > deadline) {
        const advice = adviceFor(causeOf(error), setting);
        throw new ConfigurationError(advice === null ? sentence : `${sentence} ${advice}`, { cause: error });
      }
      say?.(`waiting for it: ${sentence}`);
      await wait(RETRY_MS);
    }
  }
}

/**
 * Detects transaction pooling: two clients share a server process, or one client gets two. Runs first and
 * with simple statements, because such a pooler may not support others.
 */
async function refusePooledTransactions(sql: Sql, url: string, address: Address, setting: string): Promise<void> {
  const other = connectSql(url, { max: 1, applicationName: "cardlane-start" });
  const processOf = async (client: Sql) => (await client.unsafe("select pg_backend_pid() as pid"))[0]?.pid as number;
  try {
    for (let round = 0; round < 3; round++) {
      const [one, two, again] = [await processOf(sql), await processOf(other), await processOf(sql)];
      if (one === two || one !== again) {
        throw new ConfigurationError(
          `The pooler at ${labelOf(address)} in ${setting} shares connections between transactions: set pool_mode = session for "${address.database}" in PgBouncer.`,
        );
      }
    }
  } finally {
    await other.end({ timeout: 1 });
  }
}

type Cause = Error & { code?: string };

/** The innermost cause; the pool wraps it. */
function causeOf(error: unknown): Cause {
  let cause = error as Cause;
  while (cause.cause instanceof Error) cause = cause.cause as Cause;
  return cause;
}

/** Conditions that pass: no server yet, one that is starting, or a standby about to be promoted. */
const mayPass = (cause: Cause) =>
  (isDatabaseUnavailable(cause) || cause.code === "ENOENT") && !/^(?:28|3D)/.test(cause.code ?? "");

/** Advice on an outage that didn't end; null where the sentence of `explain` has it. */
function adviceFor({ code }: Cause, setting: string): string | null {
  switch (code) {
    case "ECONNREFUSED":
    case "ENOENT":
      return `Start PostgreSQL there, or correct ${setting}.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `Correct the host in ${setting}.`;
    case "CONNECT_TIMEOUT":
      return `Check the network, or correct ${setting}.`;
    case "53100":
      return "Free some space, then try again.";
    default:
      return null;
  }
}

/** One sentence on why the database at the address in `setting` cannot be used. */
function explain(problem: unknown, address: Address, setting: string): string {
  const error = causeOf(problem);
  const host = labelOf(address);
  if (error instanceof TlsMismatch) return `The database at ${host} cannot be used: ${error.message}.`;
  switch (error.code) {
    case "28000":
      if (/no encryption|SSL off/i.test(error.message)) {
        return `The database at ${host} wants TLS: add sslmode=require to ${setting}.`;
      }
      if (/client certificate/i.test(error.message)) {
        return `The database at ${host} wants a certificate of ours: name it with sslcert and sslkey in ${setting}.`;
      }
      return `The database at ${host} refuses the user or password in ${setting}.`;
    case "28P01":
      return `The database at ${host} refuses the user or password in ${setting}.`;
    case "3D000":
      return `There is no database "${address.database}" at ${host}: create it, or correct ${setting}.`;
    case "ECONNREFUSED":
    case "ENOENT":
      return `The database at ${host} cannot be reached: nothing listens there.`;
    case "53100":
      return `There is no space left on the disk of the database at ${host}.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `The database at ${host} cannot be reached: there is no host of that name.`;
    case "CONNECT_TIMEOUT":
      return `The database at ${host} cannot be reached: it did not respond in time.`;
    default:
      return `The database at ${host} cannot be used: ${error.message}.`;
  }
}
