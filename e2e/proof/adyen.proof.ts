import { expect, test } from "vitest";
import { testDatabase } from "@/lib/testing/database";
import { killUnderLoad } from "./kills";

/** Behind the connector to Adyen, at its double. */
const KILLS = 2;

const { db, url } = await testDatabase();

test(`after ${KILLS} times kill -9 under load behind Adyen every key has one answer, and both books agree`, async () => {
  const load = await killUnderLoad({ db, url, kills: KILLS, processor: "adyen" });
  expect(load.answered.length).toBeGreaterThan(KILLS);
});
