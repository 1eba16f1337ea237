import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { connect } from "@/db/client";
import { migrate } from "@/db/migrate";
import { insertManyTransactions } from "../fixtures/many-rows";
import { OwnServer } from "../fixtures/own-server";
import { paymentBody } from "./client";
import { reportFigure } from "./figures";
import { startHost } from "./host";
import { createTenant } from "./tenant";

const DATABASE = "cardlane";
const TRANSACTIONS = 50_000;
const LANES = 4;
const REQUESTS = 2_000;
/** One in this many requests is a payment; the others read. */
const READS_PER_PAYMENT = 9;

/** Processor time of a server and its backends, in ticks of 10 ms. Linux only. */
function cpuTicks(data: string): number {
  const postmaster = readFileSync(`${data}/postmaster.pid`, "utf8").split("\n")[0];
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      const [ppid, user, system, ofDeadUser, ofDeadSystem] = [1, 11, 12, 13, 14].map((i) => fields[i]);
      if (pid === postmaster) ticks += Number(ofDeadUser) + Number(ofDeadSystem);
      if (pid === postmaster || ppid === postmaster) ticks += Number(user) + Number(system);
    } catch {
      // The process has ended.
    }
  }
  return ticks;
}

test.skipIf(process.platform !== "linux")(
  "a replica takes more than half of the primary's work for a dashboard's mix of reads and payments",
  async () => {
    let tenant: Awaited<ReturnType<typeof createTenant>> | undefined;
    const [primary, standby] = await OwnServer.pair(DATABASE, {
      prepare: async (url) => {
        await migrate(url);
        const setUp = connect(url, { max: 2 });
        tenant = await createTenant(setUp);
        await insertManyTransactions(setUp, tenant.environmentId, TRANSACTIONS);
        await setUp.sql`analyze`;
        await setUp.close();
      },
    });
    const apiKey = tenant?.apiKey as string;
    const load = async (env: Record<string, string>) => {
      const host = await startHost({ databaseUrl: primary.url(DATABASE), env });
      const call = async (
        path: string,
        init: { method?: string; body?: string; headers?: Record<string, string> } = {},
      ) => {
        const headers = { "X-Api-Key": apiKey, "Content-Type": "application/json", ...init.headers };
        const response = await fetch(host.baseUrl + path, { ...init, headers });
        await response.text();
        expect(response.status).toBeLessThan(300);
      };
      const reads = [
        () => call("/v1/transactions?limit=50"),
        () => call("/v1/transactions?status=SETTLED&limit=50&offset=200"),
        () => call("/v1/payments?limit=20"),
        () =>
          call("/v1/transactions/search", {
            method: "POST",
            body: JSON.stringify({ filters: { amount: { gte: 5_000 } }, limit: 20 }),
          }),
      ];
      const pay = () =>
        call("/v1/payments", {
          method: "POST",
          headers: { "X-Idempotency-Key": randomUUID() },
          body: JSON.stringify(paymentBody()),
        });
      const lanes = async (requests: number) => {
        let next = 0;
        const lane = async () => {
          for (let i = next++; i < requests; i = next++) {
            await (i % (READS_PER_PAYMENT + 1) === 0 ? pay() : reads[i % reads.length]?.());
          }
        };
        await Promise.all(Array.from({ length: LANES }, lane));
      };
      try {
        // Connections, plans, and the first check of the replica.
        await lanes(REQUESTS / 5);
        const before = cpuTicks(primary.data);
        await lanes(REQUESTS);
        return cpuTicks(primary.data) - before;
      } finally {
        await host.stop();
      }
    };
    try {
      const alone = await load({});
      const helped = await load({ DATABASE_READ_URL: standby.url(DATABASE) });
      reportFigure(`the primary's processor time: ${alone * 10} ms alone, ${helped * 10} ms with a replica`);
      expect(helped).toBeLessThan(alone / 2);
    } finally {
      for (const server of [standby, primary]) {
        await server.stop();
        server.remove();
      }
    }
  },
);
