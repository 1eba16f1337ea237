import { updateSavedView as changeView } from "@/db/queries/saved-views";
import { decodeId } from "@/lib/contract/ids";
import type { UserRole } from "@/lib/contract/permissions";
import type { SavedView, UpdateSavedViewBody } from "@/lib/contract/transactions/saved-views";
import type { Context } from "../context";
import { resourceNotFound } from "../resource-not-found";
import { getSavedView } from "./get-saved-view";
import { requireSharing, viewNameTaken } from "./present-saved-view";

/** Changes a person's own view; another's is not found, shared or not. */
export async function updateSavedView(
  ctx: Context,
  input: UpdateSavedViewBody & { userId: string; role: UserRole; id: string },
): Promise<SavedView> {
  const { userId, role, id: publicId, ...changes } = input;
  const id = decodeId("savedView", publicId);
  if (id === null) throw resourceNotFound("saved view", publicId);
  // Somebody who has become a viewer may still stop sharing what they shared.
  requireSharing(role, changes.shared ?? (await getSavedView(ctx, { userId, id: publicId })).shared);
  const updated_at = ctx.service.clock.now().toISOString();
  const done = await changeView(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, userId, id, {
    ...changes,
    updated_at,
  });
  if (done === "missing") throw resourceNotFound("saved view", publicId);
  if (done === "taken") throw viewNameTaken(input.name ?? "");
  return getSavedView(ctx, { userId, id: publicId });
}
