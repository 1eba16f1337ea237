import { wasRecordedLately } from "@/db/queries/account-history";
import { findEnvironmentId } from "@/db/queries/merchants";
import { keepableText } from "@/lib/contract/card-numbers";
import { AppError } from "@/lib/contract/errors";
import type { KeyDetail } from "@/lib/contract/idempotency/idempotency-key";
import { firstIdAt } from "@/lib/ids";
import type { Context } from "../context";
import { accountActor, recordAccountAct } from "../people/record-account-act";
import { findIdempotencyKey } from "./find-idempotency-key";

/** An open page looks again every few seconds; that is the same look. */
const SAME_LOOK_MS = 10 * 60_000;

/**
 * The same as `findIdempotencyKey`, once it is written down that the person looked; the look-ups of support staff are in their
 * own log. What was looked for may be anything that they pasted.
 */
export async function lookUpIdempotencyKey(ctx: Context, input: { key: string }): Promise<KeyDetail | null> {
  if (ctx.actor.type === "user") await recordLook(ctx, keepableText(input.key, 255));
  return findIdempotencyKey(ctx, input);
}

/** The same; throws `resource_not_found` when the environment has no such key. */
export async function getIdempotencyKey(ctx: Context, input: { key: string }): Promise<KeyDetail> {
  const found = await lookUpIdempotencyKey(ctx, input);
  if (found) return found;
  throw new AppError(
    "resource_not_found",
    "There is no such idempotency key in this environment. Keys are kept for a day.",
  );
}

async function recordLook(ctx: Context, key: string): Promise<void> {
  const { orm } = ctx.service.db;
  const { id, mode, merchantId } = ctx.environment;
  const environmentId = await findEnvironmentId(orm, merchantId, "live");
  const look = { action: "settings.idempotency_key_viewed", actorId: ctx.actor.id, objectId: id, key } as const;
  const since = firstIdAt(new Date(ctx.service.clock.now().getTime() - SAME_LOOK_MS));
  if (environmentId !== null && (await wasRecordedLately(orm, environmentId, look, since))) return;
  await recordAccountAct(orm, accountActor(ctx), look.action, id, { mode, key });
}
