import { eq } from "drizzle-orm";
import type { Orm } from "../client";
import { serviceSettings } from "../schema/service-settings";

/** The value all instances share under a name: the stored one, or this one when it is the first. */
export async function adoptServiceSetting(orm: Orm, key: string, value: string): Promise<string> {
  await orm.insert(serviceSettings).values({ key, value }).onConflictDoNothing();
  const rows = await orm.select().from(serviceSettings).where(eq(serviceSettings.key, key));
  return rows[0]?.value ?? value;
}

export async function storeServiceSetting(orm: Orm, key: string, value: string): Promise<void> {
  await orm
    .insert(serviceSettings)
    .values({ key, value })
    .onConflictDoUpdate({ target: serviceSettings.key, set: { value } });
}
