import { existsSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { connect, type Database, ROLES, type Sql } from "@/db/client";
import { TABLE_RIGHTS } from "@/db/rights";
import { quantile } from "./load";
import type { Route } from "./routes";
import { fill, type Script } from "./script";

export type WallResult = {
  name: string;
  /** PostgreSQL's time for a request's statements in µs: with row-level security, and without policies. */
  walled_us: number;
  open_us: number;
  /** Ratio of the two; the median of the rounds. */
  ratio: number;
};

export type WallPace = { rounds: number; requests: number };

/** A role with the app's table rights and without policies. */
const OPEN = "bench_open";
/** A backend's CPU time is accounted once it sleeps. */
const SETTLE_MS = 3;

async function createOpenRole(sql: Sql): Promise<void> {
  await sql.unsafe(`create role ${OPEN} nologin bypassrls`);
  await sql.unsafe(`grant usage on schema public to ${OPEN}`);
  await sql.unsafe(`grant usage on all sequences in schema public to ${OPEN}`);
  for (const [table, { app }] of Object.entries(TABLE_RIGHTS)) {
    if (app) await sql.unsafe(`grant ${app.join(", ")} on ${table} to ${OPEN}`);
  }
}

/** Reads a backend's CPU time in nanoseconds, which excludes other work on the machine. */
async function clockOf(sql: Sql): Promise<() => number> {
  const [row] = await sql`select pg_backend_pid() as pid`;
  const path = `/proc/${row?.pid}/schedstat`;
  // Fall back to elapsed time if the system doesn't report it.
  if (!existsSync(path)) return () => performance.now() * 1e6;
  return () => Number.parseInt(readFileSync(path, "utf8"), 10);
}

/** Sends only the app's statements of a request: the processor's have no row-level security. */
async function send(sql: Sql, script: Script, given: string[]): Promise<void> {
  const parameters = fill(script, given);
  for (const [index, { pool, text, prepare }] of script.statements.entries()) {
    if (pool === "main") await sql.unsafe(text, parameters[index] as never[], { prepare });
  }
}

/**
 * Cost of row-level security in PostgreSQL: the same statements in turns on two connections, one in the app's
 * role with its policies, one in a role with the same rights and no policies.
 */
export async function measureWall(
  owner: Database,
  options: { url: string; environmentId: string; routes: readonly Route[] },
  { rounds, requests }: WallPace,
): Promise<WallResult[]> {
  const { url, environmentId, routes } = options;
  await createOpenRole(owner.sql);
  const db = connect({ app: { url, role: ROLES.app }, jobs: { url, role: OPEN } }, { max: 2, maxOrm: 2 });
  try {
    const roles = { walled: db.within(environmentId).sql, open: db.sql };
    const clocks = { walled: await clockOf(roles.walled), open: await clockOf(roles.open) };
    const results: WallResult[] = [];
    for (const route of routes) {
      await route.prepare?.();
      const turn = async (who: "walled" | "open"): Promise<number> => {
        const from = clocks[who]();
        for (let sent = 0; sent < requests; sent++) {
          const [name = "", ...given] = route.floor() ?? [];
          const script = route.scripts[name];
          if (!script) throw new Error(`${route.name}: nothing is left to measure the wall with`);
          await send(roles[who], script, given);
        }
        await wait(SETTLE_MS);
        return (clocks[who]() - from) / 1_000 / requests;
      };
      results.push({ name: route.name, ...(await alternate(turn, rounds)) });
    }
    return results;
  } finally {
    await db.close();
  }
}

async function alternate(turn: (who: "walled" | "open") => Promise<number>, rounds: number) {
  // The first runs make the plans, which connections keep.
  for (const who of ["walled", "open", "walled", "open"] as const) await turn(who);
  const walled: number[] = [];
  const open: number[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) walled.push(await turn("walled"));
    open.push(await turn("open"));
    if (round % 2 === 1) walled.push(await turn("walled"));
  }
  const median = (values: readonly number[]) => quantile(values, 0.5);
  return {
    walled_us: Math.round(median(walled)),
    open_us: Math.round(median(open)),
    ratio: Number(median(walled.map((time, round) => time / (open[round] as number))).toFixed(3)),
  };
}
