import type { Orm } from "@/db/client";
import { countRecentInvitations } from "@/db/queries/account-history";
import { findEnvironmentId } from "@/db/queries/merchants";
import { AppError } from "@/lib/contract/errors";

const MAX_PER_HOUR = 30;

/**
 * Throws when a merchant has sent as many invitations as it may: they go to anybody's mailbox. Under `lockTeam`, so that
 * those sent at once are counted. By the account's history, which removing the invited person does not shorten.
 */
export async function limitInvitations(tx: Orm, merchantId: string): Promise<void> {
  const environmentId = await findEnvironmentId(tx, merchantId, "live");
  if (environmentId === null) throw new Error("a merchant has a live environment");
  if ((await countRecentInvitations(tx, environmentId)) < MAX_PER_HOUR) return;
  throw new AppError("rate_limited", `Your team sent ${MAX_PER_HOUR} invitations within an hour. Try again later.`);
}
