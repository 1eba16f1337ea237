import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { clusterFiles } from "@/db/embedded-cluster";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client } from "./client";
import { connectEmbedded } from "./embedded";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { expectMoneyOncePerKey, expectStableAnswers, Load } from "./load";
import { createTenant } from "./tenant";

const LANES = 8;
/** Seconds: shorter and longer than a call's timeout, a lease, and the response limit. */
const PAUSES = (process.env.PROOF_PAUSES ?? "5,20,40").split(",").map(Number);

/** Counts the responses that callers see before the final one. */
class CountingClient extends Client {
  readonly seen = new Map<string, number>();
  override async post(...args: Parameters<Client["post"]>) {
    const note = (what: string) => this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
    try {
      const answer = await super.post(...args);
      if (answer.status >= 402) note(`${answer.status} ${answer.code}`);
      return answer;
    } catch (error) {
      note((error as Error).name);
      throw error;
    }
  }
}

function postgresOf(dataDir: string): number[] {
  const file = join(clusterFiles(dataDir).cluster, "postmaster.pid");
  const postmaster = Number(readFileSync(file, "utf8").split("\n")[0]);
  const children = execFileSync("ps", ["--ppid", String(postmaster), "-o", "pid="], { encoding: "utf8" });
  return [postmaster, ...children.trim().split(/\s+/).map(Number)];
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has exited in the meantime.
    }
  }
}

const WHO = {
  "the service": async (host: ProofHost, _dataDir: string, ms: number) => {
    void host.kill("SIGSTOP");
    await wait(ms);
    void host.kill("SIGCONT");
  },
  PostgreSQL: async (_host: ProofHost, dataDir: string, ms: number) => {
    const pids = postgresOf(dataDir);
    signalAll(pids, "SIGSTOP");
    await wait(ms);
    signalAll(pids, "SIGCONT");
  },
  "the service, killed": async (host: ProofHost) => {
    await host.kill("SIGKILL");
  },
} as const;

test.each(Object.entries(WHO))(
  "pauses of %s under every kind of operation: each key has one response, and the books are clean",
  async (name, pause) => {
    mkdirSync(process.env.DATA_DIR ?? tmpdir(), { recursive: true });
    const dataDir = mkdtempSync(join(process.env.DATA_DIR ?? tmpdir(), "cardlane-proof-"));
    const env = { DATA_DIR: dataDir, PROCESSOR_TIMEOUT_MS: "8000" };
    const first = await startHost({ env });
    const hosts = [first];
    onTestFinished(async () => {
      for (const host of hosts) await host.stop();
      rmSync(dataDir, { recursive: true, force: true });
    });
    const db = connectEmbedded(dataDir);
    const tenant = await createTenant(db);
    const client = new CountingClient(tenant.apiKey, () => (hosts.at(-1) as ProofHost).baseUrl);
    const load = new Load(client, LANES);
    await wait(2_000);
    for (const seconds of PAUSES) {
      await pause(hosts.at(-1) as ProofHost, dataDir, seconds * 1_000);
      if (name.endsWith("killed")) hosts.push(await startHost({ env, port: first.port }));
      await wait(4_000);
    }
    await load.stop();
    await untilNothingIsOpen(db, 90_000);
    await expectStableAnswers(load);
    await expectMoneyOncePerKey(db, load, tenant.environmentId);
    await expectCleanBooks(db);
    await db.close();
    const lost = load.answered.filter(({ request, answer }) => {
      return answer.code === "payment_failed" && request.path === "/v1/payments" && isGood(request.body);
    });
    reportFigure(
      `${name}, ${PAUSES.join(", ")} s: ${load.answered.length} keys, ${lost.length} good cards ended in 402; ` +
        `seen on the way: ${JSON.stringify(Object.fromEntries(client.seen))}`,
    );
    expect(client.seen.get("500 internal_error")).toBeUndefined();
    expect(lost).toEqual([]);
  },
);

const isGood = (body: object) => "card" in body && (body.card as { number: string }).number === "4242424242424242";
