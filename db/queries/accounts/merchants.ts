import { eq, sql } from "drizzle-orm";
import type { Orm } from "@/db/client";
import { environments, merchants, users } from "@/db/schema/accounts";
import type { Mode } from "@/lib/contract/transactions/words";
import { type ClockSetting, clockSettingOf } from "../clock";

type NewMerchantRows = {
  id: string;
  name: string;
  /** IANA name; UTC by default. */
  time_zone?: string;
  environments: Record<Mode, string>;
  owner: {
    id: string;
    email: string;
    name?: string;
    password_hash: string;
    /** True if an operator vouches for the address; a user who signs up must verify it. */
    verified: boolean;
  };
};

/**
 * Inserts a merchant, an environment per mode, and the owner. Returns false if the owner's e-mail address is
 * taken; the caller must then roll back, because the merchant is already inserted.
 */
export async function insertMerchant(tx: Orm, merchant: NewMerchantRows): Promise<boolean> {
  const { id, name, time_zone } = merchant;
  await tx.insert(merchants).values({ id, name, ...(time_zone && { time_zone }) });
  await tx.insert(environments).values([
    { id: merchant.environments.test, merchant_id: merchant.id, mode: "test" },
    { id: merchant.environments.live, merchant_id: merchant.id, mode: "live" },
  ]);
  const { verified, ...user } = merchant.owner;
  const owner = await tx
    .insert(users)
    .values({
      ...user,
      merchant_id: merchant.id,
      role: "owner",
      ...(verified && { owns_email: true, email_verified_at: sql`now()` }),
    })
    .onConflictDoNothing()
    .returning({ id: users.id });
  return owner.length === 1;
}

export async function findMerchantName(orm: Orm, id: string): Promise<string | null> {
  const rows = await orm.select({ name: merchants.name }).from(merchants).where(eq(merchants.id, id));
  return rows[0]?.name ?? null;
}

/** The merchant's IANA time zone. */
export async function getMerchantTimeZone(orm: Orm, id: string): Promise<string> {
  const rows = await orm.select({ zone: merchants.time_zone }).from(merchants).where(eq(merchants.id, id));
  if (!rows[0]) throw new Error(`there is no merchant ${id}`);
  return rows[0].zone;
}

/** The merchant's environment in a mode; null if there is no such merchant. */
export async function findEnvironmentId(orm: Orm, merchantId: string, mode: Mode): Promise<string | null> {
  const rows = await orm
    .select({ id: environments.id })
    .from(environments)
    .where(sql`${environments.merchant_id} = ${merchantId} and ${environments.mode} = ${mode}`);
  return rows[0]?.id ?? null;
}

export async function hasMerchants(orm: Orm): Promise<boolean> {
  const rows = await orm.select({ id: merchants.id }).from(merchants).limit(1);
  return rows.length > 0;
}

/** An environment with its merchant's name; null if it does not exist. */
export async function findEnvironment(
  orm: Orm,
  id: string,
): Promise<{ mode: Mode; merchant_name: string; suspended: boolean } | null> {
  const rows = await orm
    .select({
      mode: environments.mode,
      merchant_name: merchants.name,
      suspended: sql<boolean>`${merchants.suspended_at} is not null`,
    })
    .from(environments)
    .innerJoin(merchants, eq(merchants.id, environments.merchant_id))
    .where(eq(environments.id, id));
  return rows[0] ?? null;
}

/** An environment's merchant and mode; null if it does not exist. */
export async function findEnvironmentById(
  orm: Orm,
  id: string,
): Promise<{ id: string; mode: Mode; merchantId: string; clock: ClockSetting } | null> {
  const { merchant_id: merchantId, mode, clock_offset_ms, clock_frozen_at } = environments;
  const rows = await orm
    .select({ id: environments.id, mode, merchantId, clock_offset_ms, clock_frozen_at })
    .from(environments)
    .where(eq(environments.id, id));
  const [row] = rows;
  return row ? { id: row.id, mode: row.mode, merchantId: row.merchantId, clock: clockSettingOf(row) } : null;
}

export type MerchantRow = typeof merchants.$inferSelect;
export type BusinessProfile = Pick<
  MerchantRow,
  "name" | "website" | "support_email" | "business_address" | "tax_number" | "time_zone" | "refund_limit_usd"
>;

export async function findMerchant(orm: Orm, id: string): Promise<MerchantRow | null> {
  const rows = await orm.select().from(merchants).where(eq(merchants.id, id));
  return rows[0] ?? null;
}

/** Locks the merchant until the transaction ends. */
export async function lockMerchant(tx: Orm, id: string): Promise<MerchantRow | null> {
  const rows = await tx.select().from(merchants).where(eq(merchants.id, id)).for("no key update");
  return rows[0] ?? null;
}

export async function updateBusinessProfile(tx: Orm, id: string, profile: Partial<BusinessProfile>): Promise<void> {
  await tx.update(merchants).set(profile).where(eq(merchants.id, id));
}

/** True if the database knows the time zone; its list differs from the browser's. */
export async function isTimeZoneKnown(orm: Orm, timeZone: string): Promise<boolean> {
  const rows = await orm.execute(sql`select from pg_timezone_names where name = ${timeZone}`);
  return rows.length > 0;
}
