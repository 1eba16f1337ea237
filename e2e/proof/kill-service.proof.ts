import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "@/lib/testing/database";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client } from "./client";
import { type ProofHost, startHost } from "./host";
import { expectMoneyOncePerKey, expectStableAnswers, Load } from "./load";
import { createTenant } from "./tenant";

const KILLS = Number(process.env.PROOF_KILLS ?? 20);
const LANES = 8;

const { db, url } = await testDatabase();

test(`after ${KILLS} times kill -9 of a service under load every key has one answer and the books are clean`, async () => {
  const hosts = await Promise.all([startHost({ databaseUrl: url }), startHost({ databaseUrl: url })]);
  onTestFinished(async () => {
    await Promise.all(hosts.map((host) => host.stop()));
  });
  const tenant = await createTenant(db);
  let turn = 0;
  // A request goes to either process, whether it lives or not: as through a load balancer that has not noticed yet.
  const client = new Client(tenant.apiKey, () => (hosts[turn++ % 2] as ProofHost).baseUrl);
  const load = new Load(client, LANES);
  for (let kill = 0; kill < KILLS; kill++) {
    const victim = hosts[kill % 2] as ProofHost;
    await wait(Math.random() * 400);
    await victim.kill("SIGKILL");
    hosts[kill % 2] = await startHost({ databaseUrl: url, port: victim.port });
  }
  await load.stop();
  await untilNothingIsOpen(db);
  await expectStableAnswers(load);
  await expectMoneyOncePerKey(db, load, tenant.environmentId);
  await expectCleanBooks(db);
  expect(load.answered.length).toBeGreaterThan(KILLS);
  process.stdout.write(`  ${KILLS} kills, ${load.answered.length} keys, each with one answer\n`);
});
