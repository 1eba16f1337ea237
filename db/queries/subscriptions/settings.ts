import { eq } from "drizzle-orm";
import type { Orm, Sql, Transaction } from "@/db/client";
import { subscriptionSettings } from "@/db/schema/subscriptions";
import { DEFAULT_SUBSCRIPTION_SETTINGS, type SubscriptionSettings } from "@/lib/contract/subscriptions/settings";

/** An environment's settings; the defaults if it has none of its own. Index: the primary key. */
export async function readSubscriptionSettings(
  sql: Sql | Transaction,
  environmentId: string,
): Promise<SubscriptionSettings> {
  const [row] = await sql<SubscriptionSettings[]>`
    select to_jsonb(dunning_steps) as dunning_steps, after_last_attempt, mail_trial_ending, mail_receipt, mail_payment_failed, mail_card_expiring,
      mail_cancelled, portal_change_card, portal_cancel, portal_invoices
    from subscription_settings where environment_id = ${environmentId}::uuid`;
  return row ?? DEFAULT_SUBSCRIPTION_SETTINGS;
}

/** The settings, locked until the transaction ends: a row is written first if there is none. */
export async function lockSubscriptionSettings(tx: Orm, environmentId: string): Promise<SubscriptionSettings> {
  const defaults = {
    ...DEFAULT_SUBSCRIPTION_SETTINGS,
    dunning_steps: [...DEFAULT_SUBSCRIPTION_SETTINGS.dunning_steps],
  };
  await tx
    .insert(subscriptionSettings)
    .values({ environment_id: environmentId, ...defaults })
    .onConflictDoNothing();
  const [row] = await tx
    .select()
    .from(subscriptionSettings)
    .where(eq(subscriptionSettings.environment_id, environmentId))
    .for("update");
  if (!row) throw new Error("settings that were just written are there");
  const { environment_id: _, ...settings } = row;
  return settings;
}

/** Writes all of the locked settings. */
export async function updateSubscriptionSettings(
  tx: Orm,
  environmentId: string,
  settings: SubscriptionSettings,
): Promise<void> {
  await tx
    .update(subscriptionSettings)
    .set({ ...settings, dunning_steps: [...settings.dunning_steps] })
    .where(eq(subscriptionSettings.environment_id, environmentId));
}
