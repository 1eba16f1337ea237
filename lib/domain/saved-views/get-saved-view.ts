import { findSavedView } from "@/db/queries/saved-views";
import { decodeId } from "@/lib/contract/ids";
import type { SavedView } from "@/lib/contract/transactions/saved-views";
import type { Context } from "../context";
import { resourceNotFound } from "../resource-not-found";
import { presentSavedView } from "./present-saved-view";

/** A person's own view. Throws `resource_not_found` for anybody else's. */
export async function getSavedView(ctx: Context, input: { userId: string; id: string }): Promise<SavedView> {
  const id = decodeId("savedView", input.id);
  const row =
    id && (await findSavedView(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, input.userId, id));
  if (!row) throw resourceNotFound("saved view", input.id);
  return presentSavedView(row, input.userId);
}
