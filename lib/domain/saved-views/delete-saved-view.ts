import { deleteSavedView as removeView } from "@/db/queries/saved-views";
import { decodeId } from "@/lib/contract/ids";
import type { Context } from "../context";
import { resourceNotFound } from "../resource-not-found";

/** Deletes a person's own view, for everyone it was shared with. */
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
