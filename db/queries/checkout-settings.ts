import { eq } from "drizzle-orm";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import type { Orm } from "../client";
import { environments } from "../schema/merchants";

type Held = { checkout_appearance: Appearance | null };

const columns = { checkout_appearance: environments.checkout_appearance };

/** What an environment keeps for its payment form; null when there is no such environment. */
export async function findCheckoutSettings(orm: Orm, environmentId: string): Promise<Held | null> {
  const rows = await orm.select(columns).from(environments).where(eq(environments.id, environmentId));
  return rows[0] ?? null;
}

/** The same, as it stays until the transaction ends. */
export async function lockCheckoutSettings(tx: Orm, environmentId: string): Promise<Held | null> {
  const rows = await tx
    .select(columns)
    .from(environments)
    .where(eq(environments.id, environmentId))
    .for("no key update");
  return rows[0] ?? null;
}

export async function updateCheckoutSettings(tx: Orm, environmentId: string, settings: Held): Promise<void> {
  await tx.update(environments).set(settings).where(eq(environments.id, environmentId));
}
