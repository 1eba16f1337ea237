import { adoptServiceSetting, storeServiceSetting } from "@/db/queries/service-settings";
import type { Service } from "../context";
import { runSettlement } from "./run-settlement";

const LAST_NIGHT = "settled_through";
/** Hour of the day, UTC, after which the night's settlement runs. */
const SETTLEMENT_HOUR = 2;

/**
 * Runs the settlement once a night. That instances may do it at the same time is harmless; the date is written afterwards,
 * so a run that is killed is run again. Answers the number of batches.
 */
export async function settleNightly(service: Service): Promise<number> {
  const now = service.clock.now();
  const night = new Date(now.getTime() - SETTLEMENT_HOUR * 3_600_000).toISOString().slice(0, 10);
  const settled = await adoptServiceSetting(service.db.orm, LAST_NIGHT, night);
  if (settled >= night) return 0;
  const batches = await runSettlement(service);
  await storeServiceSetting(service.db.orm, LAST_NIGHT, night);
  return batches.length;
}
