import { countSavedViews, insertSavedView, lockViewsOf } from "@/db/queries/saved-views";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { UserRole } from "@/lib/contract/permissions";
import { type CreateSavedViewBody, MAX_SAVED_VIEWS, type SavedView } from "@/lib/contract/transactions/saved-views";
import { idTime, newId } from "@/lib/ids";
import type { Context } from "../context";
import { getSavedView } from "./get-saved-view";
import { requireSharing, viewNameTaken } from "./present-saved-view";

/** Keeps a view for a person. Refuses a name they have already, and more views than anybody can oversee. */
export async function createSavedView(
  ctx: Context,
  input: CreateSavedViewBody & { userId: string; role: UserRole },
): Promise<SavedView> {
  const { userId, name, query, columns, shared } = input;
  requireSharing(input.role, shared);
  const id = newId();
  const created_at = idTime(id);
  const view = { id, user_id: userId, name, query, columns, shared, created_at, updated_at: created_at };
  await ctx.service.db.within(ctx.environment.id).orm.transaction(async (tx) => {
    await lockViewsOf(tx, userId);
    if ((await countSavedViews(tx, ctx.environment.id, userId)) >= MAX_SAVED_VIEWS) {
      throw new AppError("invalid_parameter", `You have ${MAX_SAVED_VIEWS} views. Delete one before you save another.`);
    }
    if (!(await insertSavedView(tx, ctx.environment.id, view))) throw viewNameTaken(name);
  });
  return getSavedView(ctx, { userId, id: encodeId("savedView", id) });
}
