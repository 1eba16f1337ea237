import {
  updateSavedView as changeView,
  countSavedViews,
  findSavedView,
  listSavedViews as findViews,
  insertSavedView,
  lockViewsOf,
  deleteSavedView as removeView,
  type ShownSavedView,
  type ViewsOf,
} from "@/db/queries/transactions/saved-views";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import {
  type CreateSavedViewBody,
  MAX_SAVED_VIEWS,
  type SavedView,
  type UpdateSavedViewBody,
} from "@/lib/contract/lists/saved-views";
import { idTime, newId } from "@/lib/ids";
import { type Context, resourceNotFound } from "../context";

/** The user's own views, then up to as many shared by the team. */
export async function listSavedViews(ctx: Context, input: ViewsOf): Promise<SavedView[]> {
  const rows = await findViews(
    ctx.service.db.within(ctx.environment.id).orm,
    ctx.environment.id,
    input,
    2 * MAX_SAVED_VIEWS,
  );
  return rows.map((row) => presentSavedView(row, input.userId));
}

/** A user's own view. Throws `resource_not_found` for other users' views. */
async function getSavedView(ctx: Context, input: { userId: string; id: string }): Promise<SavedView> {
  const id = decodeId("savedView", input.id);
  const row =
    id && (await findSavedView(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, input.userId, id));
  if (!row) throw resourceNotFound("saved view", input.id);
  return presentSavedView(row, input.userId);
}

/** Saves a view for a user. Refuses a name the user already has, and more views than fit the page. */
export async function createSavedView(
  ctx: Context,
  input: CreateSavedViewBody & { userId: string; canShare: boolean },
): Promise<SavedView> {
  const { userId, list, name, query, columns, shared } = input;
  requireSharing(input.canShare, shared);
  const id = newId();
  const created_at = idTime(id);
  const view = { id, user_id: userId, list, name, query, columns, shared, created_at, updated_at: created_at };
  await ctx.service.db.within(ctx.environment.id).orm.transaction(async (tx) => {
    await lockViewsOf(tx, userId);
    if ((await countSavedViews(tx, ctx.environment.id, { userId, list })) >= MAX_SAVED_VIEWS) {
      throw new AppError("invalid_parameter", `You have ${MAX_SAVED_VIEWS} views. Delete one before you save another.`);
    }
    if (!(await insertSavedView(tx, ctx.environment.id, view))) throw viewNameTaken(name);
  });
  return getSavedView(ctx, { userId, id: encodeId("savedView", id) });
}

/** Changes a user's own view; others' views are not found, shared or not. */
export async function updateSavedView(
  ctx: Context,
  input: UpdateSavedViewBody & { userId: string; canShare: boolean; id: string },
): Promise<SavedView> {
  const { userId, canShare, id: publicId, ...changes } = input;
  const id = decodeId("savedView", publicId);
  if (id === null) throw resourceNotFound("saved view", publicId);
  // A member who may no longer share may still stop sharing their own views.
  requireSharing(canShare, changes.shared ?? (await getSavedView(ctx, { userId, id: publicId })).shared);
  const updated_at = ctx.service.clock.now().toISOString();
  const done = await changeView(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, userId, id, {
    ...changes,
    updated_at,
  });
  if (done === "missing") throw resourceNotFound("saved view", publicId);
  if (done === "taken") throw viewNameTaken(input.name ?? "");
  return getSavedView(ctx, { userId, id: publicId });
}

/** Deletes a user's own view, also for everyone it was shared with. */
export async function deleteSavedView(
  ctx: Context,
  input: { userId: string; id: string },
): Promise<{ id: string; deleted: true }> {
  const id = decodeId("savedView", input.id);
  const done =
    id !== null &&
    (await removeView(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, input.userId, id));
  if (!done) throw resourceNotFound("saved view", input.id);
  return { id: input.id, deleted: true };
}

/** Converts the row for display to a user. */
function presentSavedView(row: ShownSavedView, userId: string): SavedView {
  return {
    id: encodeId("savedView", row.id),
    object: "saved_view",
    list: row.list,
    name: row.name,
    query: row.query,
    columns: row.columns,
    shared: row.shared,
    mine: row.user_id === userId,
    owner: row.owner,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** Members who may change nothing can't change what the team sees either. */
function requireSharing(canShare: boolean, shared: boolean): void {
  if (!shared || canShare) return;
  throw new AppError("permission_denied", "Your role cannot share views. Ask an owner to share one with the team.");
}

function viewNameTaken(name: string): AppError {
  const message = `You already have a view named '${name}'. Choose another name.`;
  return new AppError("invalid_parameter", message, {
    errors: [{ param: "name", code: "invalid_parameter", message }],
  });
}
