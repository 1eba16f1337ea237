import { findRecentKeys } from "@/db/queries/idempotency-inspection";
import type { KeyPage } from "@/lib/contract/idempotency/idempotency-key";
import type { Context } from "../context";
import { presentKey } from "./present-key";

/** The environment's keys, newest first. `after`: the last key of the page before. `limit`: at most 100. */
export async function listIdempotencyKeys(
  ctx: Context,
  input: { limit: number; after: string | null },
): Promise<KeyPage> {
  const limit = Math.min(input.limit, 100);
  const page = { limit: limit + 1, after: input.after };
  const rows = await findRecentKeys(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, page);
  return { keys: rows.slice(0, limit).map(presentKey), has_more: rows.length > limit };
}
