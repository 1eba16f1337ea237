import { setTimeout as wait } from "node:timers/promises";
import { isInvited } from "@/db/queries/team";
import { countRecentTokens } from "@/db/queries/user-tokens";
import { findUserByEmail, lockUser } from "@/db/queries/users";
import { takeAttempt } from "@/lib/auth/attempt-limits";
import type { Service } from "../context";
import { LINK_HOURS, sendLink } from "./send-link";
import { tooManyAttempts } from "./too-many-attempts";

/** Longer than writing a mail takes, so that the time of the answer does not tell whether one was written. */
const ANSWER_MS = 250;
/** Nobody's mailbox is to be filled by a stranger. */
const MAX_LINKS_PER_HOUR = 5;

/**
 * Mails a link to choose a new password, if the address is somebody's; the links before it stop working. Answers the same if
 * not. For merchants' people only.
 */
export async function requestPasswordReset(service: Service, input: { email: string; address: string }): Promise<void> {
  const waitSeconds = takeAttempt("forgot-password", input.address);
  if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
  await Promise.all([mailLink(service, input.email.trim()), wait(ANSWER_MS)]);
}

async function mailLink(service: Service, email: string): Promise<void> {
  const user = await findUserByEmail(service.db.orm, "merchant", email);
  if (user === null) return;
  await service.db.orm.transaction(async (tx) => {
    await lockUser(tx, user.id);
    // An invitation that is too old stays so: it is the team that invites again.
    if (await isInvited(tx, user.id)) return;
    if ((await countRecentTokens(tx, user.id, "reset_password")) >= MAX_LINKS_PER_HOUR) return;
    await sendLink(tx, service, {
      userId: user.id,
      email: user.email,
      purpose: "reset_password",
      subject: "Choose a new Cardlane password",
      before: [`Somebody asked for a new password for ${user.email}. Choose one here:`],
      after: [
        `The link works once, for ${LINK_HOURS.reset_password} hour. If it was not you, do nothing: your password stays as it is.`,
      ],
    });
  });
}
