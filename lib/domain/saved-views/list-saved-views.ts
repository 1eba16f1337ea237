import { listSavedViews as findViews } from "@/db/queries/saved-views";
import { MAX_SAVED_VIEWS, type SavedView } from "@/lib/contract/transactions/saved-views";
import type { Context } from "../context";
import { presentSavedView } from "./present-saved-view";

/** A person's own views, then what the team shares: as many of these again as one person may have. */
export async function listSavedViews(ctx: Context, input: { userId: string }): Promise<SavedView[]> {
  const rows = await findViews(
    ctx.service.db.within(ctx.environment.id).orm,
    ctx.environment.id,
    input.userId,
    2 * MAX_SAVED_VIEWS,
  );
  return rows.map((row) => presentSavedView(row, input.userId));
}
