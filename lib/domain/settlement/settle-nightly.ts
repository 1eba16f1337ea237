import { adoptServiceSetting, storeServiceSetting } from "@/db/queries/service-settings";
import { findLastNight } from "@/db/queries/settlement";
import type { Service } from "../context";
import { runSettlement } from "./run-settlement";

const LAST_NIGHT = "settled_through";
/** Hour of the day, UTC, after which the night's settlement runs. */
const SETTLEMENT_HOUR = 2;

/**
 * Runs the settlement once a night, by the database's clock. That instances may do it at the same time is harmless; the date
 * is written afterwards, so a run that is killed is run again. Answers the number of batches.
 */
export async function settleNightly(service: Service): Promise<number> {
  const night = await findLastNight(service.db.sql, SETTLEMENT_HOUR);
  // A later night than the last one was written while the clock was ahead: it says nothing about this one.
  if ((await adoptServiceSetting(service.db.orm, LAST_NIGHT, night)) === night) return 0;
  const batches = await runSettlement(service);
  await storeServiceSetting(service.db.orm, LAST_NIGHT, night);
  return batches.length;
}
