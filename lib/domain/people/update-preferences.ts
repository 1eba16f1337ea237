import { mergePreferences } from "@/db/queries/user-changes";
import type { Preferences } from "@/lib/contract/permissions";
import type { Context } from "../context";

/** Changes what is given of the person's own preferences. Not audited: it changes nothing for anybody else. */
export function updatePreferences(ctx: Context, changes: Preferences): Promise<Preferences> {
  return mergePreferences(ctx.service.db.orm, ctx.actor.id as string, changes);
}
