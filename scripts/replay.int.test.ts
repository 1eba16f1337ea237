import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { startHost } from "@/e2e/proof/host";
import { createMerchant } from "@/lib/domain/accounts/business";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { newId } from "@/lib/ids";
import { main } from "./replay";

const { db, url } = await testDatabase({ own: true });
const service = testService(db);
vi.stubEnv("DATABASE_URL", url);

const SAMPLE = "scripts/sample-orders.csv";
const SAMPLE_PAYMENTS = 42;

/** `npm run replay` in its own process. */
function spawnReplay(...options: string[]) {
  const args = ["--import", "tsx", "scripts/replay.ts", SAMPLE, ...options];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return once(child, "exit").then(([code]) => ({
    code: code as number,
    output: Buffer.concat(chunks).toString("utf8"),
  }));
}

/** Runs a replay in this process. */
async function replay(...options: string[]) {
  let output = "";
  const write = (text: string) => (output += text);
  const code = await main([SAMPLE, ...options], { stdout: { write }, stderr: { write } });
  return { code, output };
}

const newTestKey = async () =>
  (await createMerchant(service, { name: "Shop", email: `${newId()}@shop.example` })).test_key;

const countCharges = async (): Promise<number> => {
  const [row] = await db.sql<
    { count: number }[]
  >`select count(*) as count from transactions where type = 'CHARGE' and status <> 'FAILED'`;
  return row?.count ?? 0;
};

const brokenChecks = async () => (await verifyBooks(db)).checks.filter((check) => check.count > 0);

it("replays the sample with duplicates, dropped answers and a killed service, and ends reconciled, twice", async () => {
  const key = await newTestKey();
  const first = await startHost({ databaseUrl: url });
  const options = ["--key", key, "--url", first.baseUrl, "--duplicates", "0.5", "--drops", "0.5", "--concurrency", "4"];
  const run = spawnReplay(...options, "--seed", "11");
  await expect.poll(countCharges, { timeout: 30_000, interval: 20 }).toBeGreaterThan(5);
  await first.kill("SIGKILL");
  const second = await startHost({ databaseUrl: url, port: first.port });
  try {
    const { code, output } = await run;
    expect(output).toContain(`✓ Reconciled: file, API and ledger agree to the cent (${SAMPLE_PAYMENTS} payments).`);
    expect(code).toBe(0);
    expect(await brokenChecks()).toEqual([]);

    await runSettlement(service);
    const again = await replay(...options, "--seed", "12");
    expect(again.output).toContain("✓ Reconciled");
    expect(await countCharges()).toBe(SAMPLE_PAYMENTS);
    expect(await brokenChecks()).toEqual([]);

    await db.sql`update payments set amount_captured = amount_captured - 1
      where id = (select payment_id from operations where kind = 'capture' order by id limit 1)`;
    const broken = await replay(...options);
    expect(broken.output).toMatch(/captured is \d+ in the file and \d+ in the API/);
    expect([broken.code, broken.output.includes("✗ Not reconciled: 1 difference ")]).toEqual([1, true]);
  } finally {
    await second.stop();
  }
}, 120_000);
