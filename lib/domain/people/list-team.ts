import { listMembers, type MemberRow } from "@/db/queries/team";
import type { Context } from "../context";

/** The merchant's people, those with an open invitation included, in the order they came. */
export function listTeam(ctx: Context): Promise<MemberRow[]> {
  return listMembers(ctx.service.db.orm, ctx.environment.merchantId, 500);
}
