import { countApiKeys, findReplacements, listApiKeys } from "@/db/queries/api-keys";
import type { ApiKey } from "@/lib/contract/api-keys/api-keys";
import type { Context } from "../context";
import { type ListAnswer, listAnswer } from "../list-answer";
import { presentApiKey } from "./present-api-key";

/** One page of an environment's keys, newest first, of every status. */
export async function listKeyPage(ctx: Context, input: { limit: number; offset: number }): Promise<ListAnswer<ApiKey>> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const environmentId = ctx.environment.id;
  const [found, total] = await Promise.all([
    listApiKeys(orm, environmentId, input.limit + 1, input.offset),
    countApiKeys(orm, environmentId),
  ]);
  const rows = found.slice(0, input.limit);
  const replacements = await findReplacements(
    orm,
    environmentId,
    rows.map((row) => row.id),
  );
  const now = ctx.service.clock.now();
  const keys = rows.map((row) => presentApiKey(row, now, replacements.get(row.id) ?? null));
  return listAnswer(keys, { hasMore: found.length > rows.length, total }, input.limit, input.offset);
}
