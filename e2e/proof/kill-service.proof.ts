import { expect, test } from "vitest";
import { testDatabase } from "../fixtures/database";
import { killUnderLoad } from "./kills";

const KILLS = Number(process.env.PROOF_KILLS ?? 20);
const STOPS = Number(process.env.PROOF_STOPS ?? 0);

const { db, url } = await testDatabase();

test(`after ${KILLS} kills (-9) of a service under load every key has one response and the books are clean`, async () => {
  const load = await killUnderLoad({ db, url, kills: KILLS, stops: STOPS });
  expect(load.answered.length).toBeGreaterThan(KILLS);
});
