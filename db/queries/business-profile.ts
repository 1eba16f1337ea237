import { eq, sql } from "drizzle-orm";
import type { Orm } from "../client";
import { merchants } from "../schema/merchants";

export type MerchantRow = typeof merchants.$inferSelect;
export type BusinessProfile = Pick<
  MerchantRow,
  "name" | "website" | "support_email" | "time_zone" | "refund_limit_usd"
>;

export async function findMerchant(orm: Orm, id: string): Promise<MerchantRow | null> {
  const rows = await orm.select().from(merchants).where(eq(merchants.id, id));
  return rows[0] ?? null;
}

/** The merchant as it is, and as it stays until the transaction ends. */
export async function lockMerchant(tx: Orm, id: string): Promise<MerchantRow | null> {
  const rows = await tx.select().from(merchants).where(eq(merchants.id, id)).for("no key update");
  return rows[0] ?? null;
}

export async function updateBusinessProfile(tx: Orm, id: string, profile: Partial<BusinessProfile>): Promise<void> {
  await tx.update(merchants).set(profile).where(eq(merchants.id, id));
}

/** Whether the database can count in a zone: its list is not the browser's. */
export async function isTimeZoneKnown(orm: Orm, timeZone: string): Promise<boolean> {
  const rows = await orm.execute(sql`select from pg_timezone_names where name = ${timeZone}`);
  return rows.length > 0;
}
