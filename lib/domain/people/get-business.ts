import { findMerchant, type MerchantRow } from "@/db/queries/business-profile";
import type { Context } from "../context";

/** The merchant whose environment it is. */
export async function getBusiness(ctx: Context): Promise<MerchantRow> {
  const row = await findMerchant(ctx.service.db.orm, ctx.environment.merchantId);
  if (row === null) throw new Error("an environment has a merchant");
  return row;
}
