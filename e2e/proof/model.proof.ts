import { afterAll, beforeAll, test } from "vitest";
import { testDatabase } from "../fixtures/database";
import { expectCleanBooks } from "./books";
import { Client } from "./client";
import { Act, Create, type Model, proveModel, type Real, Replay } from "./commands";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { type RunningProcessor, runProcessor } from "./processors";
import { createTenant } from "./tenant";

const RUNS = Number(process.env.PROOF_RUNS ?? 50);

const { db, url } = await testDatabase();
let host: ProofHost;
let processor: RunningProcessor;

beforeAll(async () => {
  processor = await runProcessor(db, () => host.baseUrl);
  host = await startHost({ databaseUrl: url, env: processor.env });
});
afterAll(async () => {
  await processor.stop();
  await host.stop();
});

async function start(): Promise<{ model: Model; real: Real }> {
  const tenant = await createTenant(db);
  const client = new Client(tenant.apiKey, () => host.baseUrl);
  return {
    model: { payments: [], sent: [] },
    real: { client, db, environmentId: tenant.environmentId, processor },
  };
}

test(`the service matches the contract's model in ${RUNS} random histories`, async () => {
  await proveModel(start, RUNS);
  await expectCleanBooks(db);
  reportFigure(`${RUNS} histories`);
});

test("a garbage response fits the model, too", async () => {
  const { model, real } = await start();
  await new Create("garbage", false, 5).run(model, real);
  await new Act("refund", 0, false, null).run(model, real);
  await new Replay(0).run(model, real);
  await expectCleanBooks(db);
});
