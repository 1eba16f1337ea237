import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../fixtures/database";
import { expectCleanBooks } from "./books";
import { Client } from "./client";
import { proveModel } from "./commands";
import { reportFigure } from "./figures";
import { startHost } from "./host";
import { killUnderLoad } from "./kills";
import { runProcessor } from "./processors";
import { createTenant } from "./tenant";

/**
 * The Stripe connector against a double of its HTTP API that survives every kill. `npm run prove:processor`
 * is the long form.
 */
const HISTORIES = 4;
const KILLS = 3;

const { db, url } = await testDatabase();

test(`the service does what the contract's model does, in ${HISTORIES} random histories`, async () => {
  let address = "";
  const processor = await runProcessor(db, () => address, "stripe");
  onTestFinished(() => processor.stop());
  const host = await startHost({ databaseUrl: url, env: processor.env });
  onTestFinished(() => host.stop());
  address = host.baseUrl;
  await proveModel(async () => {
    const { apiKey, environmentId } = await createTenant(db);
    const client = new Client(apiKey, () => host.baseUrl);
    return { model: { payments: [], sent: [] }, real: { client, db, environmentId, processor } };
  }, HISTORIES);
  await expectCleanBooks(db);
  reportFigure(`${HISTORIES} histories`);
});

test(`after ${KILLS} times kill -9 under load every key has one answer, and the double's books are ours to the cent`, async () => {
  const other = await testDatabase();
  const load = await killUnderLoad({ db: other.db, url: other.url, kills: KILLS, processor: "stripe" });
  expect(load.answered.length).toBeGreaterThan(KILLS);
});
