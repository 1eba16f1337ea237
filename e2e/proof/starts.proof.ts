import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { clusterFiles } from "@/db/embedded-cluster";
import { testDatabase } from "../fixtures/database";
import { type RunningService, startService } from "../fixtures/service";
import { startTcpProxy } from "../fixtures/tcp-proxy";
import { crashPostgres, processesOf } from "./embedded";
import { reportFigure } from "./figures";

/** Starts of the built service, with its pages, under adverse conditions. */
const { url } = await testDatabase({ own: true });
const folder = mkdtempSync(join(tmpdir(), "cardlane-starts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const KILLS = Number(process.env.PROOF_KILLS ?? 5);
const AWAY_MS = 700;

const statusOf = (host: RunningService, path: string) =>
  fetch(host.baseUrl + path).then(
    (response) => response.text().then(() => response.status),
    () => 0,
  );

/** Stops the service and returns all its output, which must contain no stack trace. */
async function endOf(host: RunningService): Promise<string> {
  await host.stop();
  const output = host.output();
  expect(output).not.toContain("could not start");
  expect(output).not.toMatch(/^ {4}at /m);
  return output;
}

describe("a database that disappears", () => {
  const packets = [1, 9, 25, 49, 90, 120];
  test.each(packets)("with packet %i of a start is waited for", async (fatal) => {
    let seen = 0;
    const proxy = await startTcpProxy(url, 0, () => {
      if (++seen === fatal)
        void proxy
          .refuse()
          .then(() => wait(AWAY_MS))
          .then(() => proxy.accept());
    });
    onTestFinished(() => proxy.close());
    const env = { DATA_DIR: join(folder, "outside") };
    const host = await startService({ host: "built", databaseUrl: proxy.url, env });
    expect(seen).toBeGreaterThan(fatal);
    await expect.poll(() => statusOf(host, "/sign-in"), { timeout: 30_000 }).toBe(200);
    await endOf(host);
  });

  test("permanently is reported in one sentence, after half a minute", async () => {
    const proxy = await startTcpProxy(url, 0, () => void proxy.refuse());
    const starting = startService({
      host: "built",
      databaseUrl: proxy.url,
      env: { DATA_DIR: join(folder, "outside") },
    });
    await expect(starting).rejects.toThrow(
      /waiting for it: The database at .+ cannot be reached: nothing listens there/,
    );
  });

  test("because all of the embedded PostgreSQL is killed is restarted", async () => {
    const dataDir = join(folder, "embedded");
    const start = () => startService({ host: "built", env: { DATA_DIR: dataDir } });
    await (await start()).stop();
    for (const delayMs of [50, 300, 800]) {
      const starting = start();
      const { cluster } = clusterFiles(dataDir);
      await expect.poll(() => existsSync(join(cluster, "postmaster.pid")), { timeout: 20_000, interval: 5 }).toBe(true);
      await wait(delayMs);
      // A slow machine starts the server's processes later.
      await expect.poll(() => processesOf(dataDir).children.length, { interval: 5 }).toBeGreaterThan(3);
      crashPostgres(dataDir, "kill all");
      await endOf(await starting);
    }
  });
});

/** The page-rendering process: the only child that runs its file. */
function pagesOf({ pid }: RunningService): number | null {
  for (const name of readdirSync("/proc")) {
    try {
      const [, parent] = readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      if (Number(parent) === pid && readFileSync(`/proc/${name}/cmdline`, "utf8").includes("pages.mjs")) {
        return Number(name);
      }
    } catch {
      // Not a process, or one that has just exited.
    }
  }
  return null;
}

test.skipIf(process.platform !== "linux")("a killed pages process ends nothing else", async () => {
  const host = await startService({ host: "built", databaseUrl: url, env: { DATA_DIR: join(folder, "outside") } });
  onTestFinished(() => host.stop());
  const killed = new Set<number>();
  // First during the start, then once pages render.
  for (const path of ["/health/live", "/health/live", "/sign-in"]) {
    await expect.poll(() => statusOf(host, path), { timeout: 30_000 }).toBe(200);
    // A killed process can still be listed for some milliseconds.
    const pid = await vi.waitFor(
      () => {
        const found = pagesOf(host);
        if (found === null || killed.has(found)) throw new Error("there is no new pages process");
        return found;
      },
      { timeout: 20_000, interval: 5 },
    );
    killed.add(pid);
    process.kill(pid, "SIGKILL");
    expect(await statusOf(host, "/health/ready")).toBe(200);
  }
  await expect.poll(() => statusOf(host, "/sign-in"), { timeout: 30_000 }).toBe(200);
  expect(killed.has(pagesOf(host) as number)).toBe(false);
});

test(`after kill -9 the API responds before the pages do, ${KILLS} times`, async () => {
  const env = { DATA_DIR: join(folder, "killed") };
  let host = await startService({ host: "built", databaseUrl: url, env, until: "live" });
  const figures: { api: number; pages: number }[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await host.kill("SIGKILL");
    const startedMs = performance.now();
    host = await startService({ host: "built", databaseUrl: url, env, port: host.port, until: "live" });
    const api = performance.now() - startedMs;
    // A page requested before its process can render waits for it.
    expect(await statusOf(host, "/sign-in")).toBe(200);
    figures.push({ api, pages: performance.now() - startedMs });
  }
  await endOf(host);
  const median = (name: "api" | "pages") =>
    Math.round(figures.map((figure) => figure[name]).sort((a, b) => a - b)[Math.floor(KILLS / 2)] ?? 0);
  reportFigure(`after ${KILLS} kills the API answers in ${median("api")} ms`, `pages in ${median("pages")} ms`);
});
