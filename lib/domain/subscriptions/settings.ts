import {
  lockSubscriptionSettings,
  readSubscriptionSettings,
  updateSubscriptionSettings as writeSettings,
} from "@/db/queries/subscriptions/settings";
import type { SubscriptionSettings } from "@/lib/contract/subscriptions/settings";
import { onlyChanged } from "../accounts/account";
import { accountActor, recordAccountAct } from "../accounts/activity";
import type { Context } from "../context";

/** Changes the given settings; `undefined` leaves a setting as it is. */
export type SubscriptionSettingsChange = {
  readonly [Name in keyof SubscriptionSettings]?: SubscriptionSettings[Name] | undefined;
};

export const getSubscriptionSettings = ({ service, environment }: Context): Promise<SubscriptionSettings> =>
  readSubscriptionSettings(service.db.within(environment.id).sql, environment.id);

/**
 * Changes settings of the environment. A new dunning schedule applies from the next failed attempt; mails
 * that are switched off are not sent for what happens from now on.
 */
export async function updateSubscriptionSettings(
  ctx: Context,
  input: SubscriptionSettingsChange,
): Promise<SubscriptionSettings> {
  const { id, mode } = ctx.environment;
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  return ctx.service.db.orm.transaction(async (tx) => {
    const before = await lockSubscriptionSettings(tx, id);
    const after: SubscriptionSettings = { ...before, ...given };
    const changes = onlyChanged(
      Object.fromEntries(
        Object.keys(before).map((name) => {
          const key = name as keyof SubscriptionSettings;
          return [name, [recorded(before[key]), recorded(after[key])]];
        }),
      ),
    );
    if (Object.keys(changes).length === 0) return before;
    await writeSettings(tx, id, after);
    await recordAccountAct(tx, accountActor(ctx), "settings.subscriptions_updated", id, { mode, changes });
    return after;
  });
}

/** A setting as the account's history shows it. */
function recorded(value: SubscriptionSettings[keyof SubscriptionSettings]): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  return typeof value === "string" ? value : value.join(", ");
}
