import type { Orm } from "@/db/client";
import {
  type BusinessProfile,
  isTimeZoneKnown,
  lockMerchant,
  updateBusinessProfile,
} from "@/db/queries/business-profile";
import { findEnvironmentId } from "@/db/queries/merchants";
import { MODES } from "@/lib/contract/transactions/words";
import type { Context } from "../context";
import { rebuildDailyTotals } from "../metrics/rebuild-daily-totals";
import { onlyChanged } from "./only-changed";
import { accountActor, recordAccountAct } from "./record-account-act";
import { refuseField } from "./refuse-field";

/** Changes the members that are given; `undefined` keeps. */
export type UpdateBusinessInput = { [Name in keyof BusinessProfile]?: BusinessProfile[Name] | undefined };

/** Changes the business profile. Another time zone moves the edges of every day, so the daily figures are counted anew. */
export async function updateBusiness(ctx: Context, input: UpdateBusinessInput): Promise<void> {
  const { merchantId } = ctx.environment;
  const given = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  ) as Partial<BusinessProfile>;
  await ctx.service.db.orm.transaction(async (tx) => {
    const before = await lockMerchant(tx, merchantId);
    if (before === null) throw new Error("an environment has a merchant");
    const changes = onlyChanged(
      Object.fromEntries(
        Object.entries(given).map(([name, value]) => [name, [before[name as keyof BusinessProfile], value]]),
      ),
    );
    if (Object.keys(changes).length === 0) return;
    await updateBusinessProfile(tx, merchantId, given);
    if (given.time_zone !== undefined && given.time_zone !== before.time_zone) {
      await changeTimeZone(tx, merchantId, given.time_zone);
    }
    await recordAccountAct(tx, accountActor(ctx), "settings.business_updated", merchantId, { changes });
  });
}

async function changeTimeZone(tx: Orm, merchantId: string, timeZone: string): Promise<void> {
  if (!(await isTimeZoneKnown(tx, timeZone))) {
    throw refuseField("time_zone", "We do not know this time zone. Choose a city near you.");
  }
  for (const mode of MODES) {
    const environmentId = await findEnvironmentId(tx, merchantId, mode);
    if (environmentId !== null) await rebuildDailyTotals(tx, environmentId, timeZone);
  }
}
