import { expect, test } from "vitest";
import { testDatabase } from "@/lib/testing/database";
import { killUnderLoad } from "./kills";

/**
 * Behind the connector to Adyen, with a double of its API over HTTP that outlives every kill: what it takes on it decides later,
 * and tells by webhooks alone. `npm run prove:processor` is the long form.
 */
const KILLS = 3;

test(`after ${KILLS} times kill -9 under load every key has one answer, and the double's books are ours to the cent`, async () => {
  const other = await testDatabase();
  const load = await killUnderLoad({ db: other.db, url: other.url, kills: KILLS, processor: "adyen" });
  expect(load.answered.length).toBeGreaterThan(KILLS);
});
