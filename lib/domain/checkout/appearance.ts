import {
  findCheckoutSettings,
  lockCheckoutSettings,
  updateCheckoutSettings,
} from "@/db/queries/checkout/client-sessions";
import { APPEARANCE_MEMBERS, type Appearance } from "@/lib/contract/checkout/appearance";
import { onlyChanged } from "../accounts/account";
import { accountActor, recordAccountAct } from "../accounts/activity";
import type { Context } from "../context";

/** Default appearance of sessions without one of their own; null means Cardlane's. */
export async function getCheckoutAppearance(ctx: Context): Promise<Appearance | null> {
  const row = await findCheckoutSettings(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id);
  if (row === null) throw new Error("a call has an environment");
  return row.checkout_appearance;
}

/**
 * Replaces the default appearance, also for open sessions without
 * one of their own. Null or an empty one means Cardlane's.
 */
export async function updateCheckoutAppearance(
  ctx: Context,
  input: { appearance: Appearance | null },
): Promise<Appearance | null> {
  const appearance = cleaned(input.appearance);
  const { id, mode } = ctx.environment;
  return ctx.service.db.orm.transaction(async (tx) => {
    const held = await lockCheckoutSettings(tx, id);
    if (held === null) throw new Error("a call has an environment");
    const before = held.checkout_appearance;
    const changes = onlyChanged(
      Object.fromEntries(
        APPEARANCE_MEMBERS.map((member) => [member, [before?.[member] ?? null, appearance?.[member] ?? null]]),
      ),
    );
    if (Object.keys(changes).length === 0) return before;
    await updateCheckoutSettings(tx, id, { checkout_appearance: appearance });
    await recordAccountAct(tx, accountActor(ctx), "settings.checkout_appearance_updated", id, { mode, changes });
    return appearance;
  });
}

/** Removes unset members, and sorts the others. */
function cleaned(appearance: Appearance | null): Appearance | null {
  const given = APPEARANCE_MEMBERS.flatMap((member) =>
    appearance?.[member] === undefined ? [] : [[member, appearance[member]] as const],
  );
  return given.length === 0 ? null : Object.fromEntries(given);
}
