import type { Orm } from "@/db/client";
import { countRecentInvitations } from "@/db/queries/account-history";
import { countMails } from "@/db/queries/mail-outbox";
import { findEnvironmentId } from "@/db/queries/merchants";
import { AppError } from "@/lib/contract/errors";

const MAX_PER_HOUR = 30;
/** What one mailbox gets within a day: from one team, and from all of them. */
const MAX_OF_TEAM_PER_DAY = 5;
const MAX_PER_ADDRESS_PER_DAY = 20;

/**
 * Throws when a merchant has sent as many invitations as it may, in all or to this address: they go to anybody's mailbox.
 * Under `lockTeam` and `lockAddress`, so that those sent at once are counted. By the account's history, which removing the
 * invited person does not shorten.
 */
export async function limitInvitations(tx: Orm, merchantId: string, email: string): Promise<void> {
  const environmentId = await findEnvironmentId(tx, merchantId, "live");
  if (environmentId === null) throw new Error("a merchant has a live environment");
  if ((await countRecentInvitations(tx, environmentId, { hours: 1 })) >= MAX_PER_HOUR) {
    throw new AppError("rate_limited", `Your team sent ${MAX_PER_HOUR} invitations within an hour. Try again later.`);
  }
  const sent = await countRecentInvitations(tx, environmentId, { hours: 24, email });
  if (sent >= MAX_OF_TEAM_PER_DAY || (await countMails(tx, email, "invite", 24)) >= MAX_PER_ADDRESS_PER_DAY) {
    throw new AppError("rate_limited", "This address was sent enough invitations for a day. Try again tomorrow.");
  }
}
