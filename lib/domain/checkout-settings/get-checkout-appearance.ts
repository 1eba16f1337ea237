import { findCheckoutSettings } from "@/db/queries/checkout-settings";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import type { Context } from "../context";

/** How the payment form looks for sessions that bring no appearance of their own; null is Cardlane's own look. */
export async function getCheckoutAppearance(ctx: Context): Promise<Appearance | null> {
  const row = await findCheckoutSettings(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id);
  if (row === null) throw new Error("a call has an environment");
  return row.checkout_appearance;
}
