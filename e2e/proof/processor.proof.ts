import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { testDatabase } from "../fixtures/database";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { type Answer, Client, paymentBody } from "./client";
import { type ProofHost, startHost } from "./host";
import { runProcessor } from "./processors";
import { createTenant } from "./tenant";

/**
 * A processor that is the sandbox's opposite: its own ids, captures and refunds that are decided and reported
 * later, and no deadline for execution.
 */
const { db, url } = await testDatabase();

/** Its timeout exceeds the pauses of a stopped process. */
class PatientClient extends Client {
  protected override timeoutMs = 120_000;
}

async function host(processor: { env: Record<string, string> }): Promise<ProofHost> {
  const started = await startHost({ databaseUrl: url, env: processor.env });
  onTestFinished(() => started.stop());
  return started;
}

test.each([
  ["before the charge's id is kept", "other_processor.intents"],
  ["between that and the confirmation", "processor_objects"],
])("a process that stops %s, and resumes after the 402, charges nothing", async (_when, table) => {
  const hosts: ProofHost[] = [];
  const processor = await runProcessor(db, () => (hosts[1] as ProofHost).baseUrl, "other");
  onTestFinished(() => processor.stop());
  hosts.push(await host(processor), await host(processor));
  const [sleeper, other] = hosts as [ProofHost, ProofHost];
  const tenant = await createTenant(db);
  const request = { key: randomUUID(), path: "/v1/payments", body: paymentBody() };

  let first = Promise.resolve<Answer | null>(null);
  await db.sql.begin(async (tx) => {
    await tx.unsafe(`lock table ${table} in exclusive mode`);
    first = new PatientClient(tenant.apiKey, () => sleeper.baseUrl).post(request);
    const waits = () => db.sql`
      select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ilike ${`%insert into ${table}%`}`;
    await vi.waitFor(async () => expect(await waits()).not.toEqual([]), { timeout: 10_000, interval: 10 });
    void sleeper.kill("SIGSTOP");
  });
  const client = new Client(tenant.apiKey, () => other.baseUrl);
  await untilNothingIsOpen(db, 60_000);
  const failed = await client.until(request);
  expect([failed.status, failed.code]).toEqual([402, "payment_failed"]);
  void sleeper.kill("SIGCONT");
  const answered = await first;
  await sleeper.stop();
  const held = await db.sql`
    select status, amount_captured from other_processor.intents where account = ${tenant.environmentId}`;
  expect([...held]).toEqual([{ status: "canceled", amount_captured: 0 }]);
  expect([answered?.status, answered?.text]).toEqual([failed.status, failed.text]);
  await expectCleanBooks(db);
});
