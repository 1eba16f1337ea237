import { setTimeout as wait } from "node:timers/promises";
import type { Orm } from "@/db/client";
import { revokeSessions } from "@/db/queries/accounts/sessions";
import {
  countRecentTokens,
  findTokenHolder,
  lockTokenHolder,
  type TokenPurpose,
  takeToken,
  voidTokens,
} from "@/db/queries/accounts/tokens";
import { findUserByEmail, lockAddress, lockUser, ownEmail, setPassword } from "@/db/queries/accounts/users";
import { isInvited } from "@/db/queries/team";
import type { UserRow } from "@/db/schema/accounts";
import { hashPassword } from "@/lib/auth/password";
import { sha256 } from "@/lib/secret";
import type { Context, Service } from "../context";
import { accountActor, recordAccountAct } from "./activity";
import { LINK_HOURS, notify, sendLink } from "./mail";
import { limitAttempts, refuseEasyPassword, refuseField, verifyCurrentPassword } from "./reauthentication";
import { emailOwned, linkExpired } from "./sign-up";

type ChoosePasswordInput = {
  /** The token in the mailed link. */
  token: string;
  password: string;
  /** The name that an invited member chose; null for a reset. */
  name: string | null;
  address: string;
  requestId: string | null;
};

const PURPOSES: readonly TokenPurpose[] = ["reset_password", "invite"];

/**
 * Sets the password of the user a link was mailed to. Uses up the link, voids all others, ends every session
 * and releases a lock; the second factor and the count of wrong codes stay. The link verifies the address.
 */
export async function choosePassword(service: Service, input: ChoosePasswordInput): Promise<{ email: string }> {
  limitAttempts("reset-password", input.address);
  const digest = sha256(input.token);
  const holder = await findTokenHolder(service.db.orm, digest);
  if (holder === null || !PURPOSES.includes(holder.purpose)) throw linkExpired();
  const about = [holder.email, input.name ?? holder.name ?? "", holder.merchant_name ?? ""];
  await refuseEasyPassword("password", input.password, about);
  const passwordHash = await hashPassword(input.password);
  return service.db.orm.transaction(async (tx) => {
    await lockAddress(tx, holder.email);
    await lockTokenHolder(tx, digest);
    const taken = await takeToken(tx, digest, PURPOSES);
    if (!taken) throw linkExpired();
    // The link came from the mailbox, so the address is verified.
    if ((await ownEmail(tx, taken.user_id, holder.email)) === null) throw emailOwned(holder.email);
    const user = await setPassword(tx, taken.user_id, passwordHash, { name: input.name });
    if (!user) throw linkExpired();
    await voidTokens(tx, user.id);
    await revokeSessions(tx, user.id, null);
    if (taken.purpose === "reset_password") await mailPasswordChanged(tx, service, user);
    await recordPasswordChoice(tx, user, taken.purpose, input.requestId);
    return { email: user.email };
  });
}

async function recordPasswordChoice(
  tx: Orm,
  user: UserRow,
  purpose: TokenPurpose,
  requestId: string | null,
): Promise<void> {
  if (user.merchant_id === null) return;
  const by = { merchantId: user.merchant_id, actor: { type: "user", id: user.id }, requestId } as const;
  const action = purpose === "invite" ? "team.invitation_accepted" : "settings.password_reset";
  await recordAccountAct(tx, by, action, user.id, { email: user.email });
}

/**
 * Changes the user's password and ends all their sessions but `sessionId` (UUID). Returns the number ended.
 */
export async function changePassword(
  ctx: Context,
  input: { currentPassword: string; newPassword: string; sessionId: string },
): Promise<number> {
  const { id, email, name, password_hash: provenHash } = await verifyCurrentPassword(ctx, input.currentPassword);
  await refuseEasyPassword("new_password", input.newPassword, [email, name ?? ""]);
  const passwordHash = await hashPassword(input.newPassword);
  return ctx.service.db.orm.transaction(async (tx) => {
    const user = await setPassword(tx, id, passwordHash, { provenHash });
    if (user === null) {
      throw refuseField("current_password", "Your password was just changed elsewhere. Enter the new one.");
    }
    await voidTokens(tx, id);
    const ended = await revokeSessions(tx, id, input.sessionId);
    await mailPasswordChanged(tx, ctx.service, user);
    await recordAccountAct(tx, accountActor(ctx), "settings.password_changed", id, { email: user.email });
    return ended;
  });
}

/** Longer than writing a mail takes, so that the response time does not reveal if one was written. */
const MIN_RESPONSE_MS = 250;
/** Prevents mailbox flooding. */
const MAX_LINKS_PER_HOUR = 5;

/**
 * Mails a link to choose a new password if the address belongs to a member; earlier links stop working. The
 * response is the same if it doesn't.
 */
export async function requestPasswordReset(service: Service, input: { email: string; address: string }): Promise<void> {
  limitAttempts("forgot-password", input.address);
  await Promise.all([mailLink(service, input.email.trim()), wait(MIN_RESPONSE_MS)]);
}

async function mailLink(service: Service, email: string): Promise<void> {
  const user = await findUserByEmail(service.db.orm, "merchant", email);
  if (user === null) return;
  await service.db.orm.transaction(async (tx) => {
    await lockUser(tx, user.id);
    // An expired invitation stays expired: only the team can renew it.
    if (await isInvited(tx, user.id)) return;
    if ((await countRecentTokens(tx, user.id, "reset_password")) >= MAX_LINKS_PER_HOUR) return;
    await sendLink(tx, service, {
      userId: user.id,
      email: user.email,
      purpose: "reset_password",
      subject: "Choose a new Cardlane password",
      before: [`A new password was requested for ${user.email}. Choose one here:`],
      after: [
        `The link works once, for ${LINK_HOURS.reset_password} hour. If this wasn't you, ignore this e-mail. Your password stays the same.`,
      ],
    });
  });
}

function mailPasswordChanged(tx: Orm, service: { baseUrl: string }, user: UserRow): Promise<void> {
  return notify(tx, user, {
    subject: "Your Cardlane password was changed",
    paragraphs: [
      `The password for ${user.email} was changed. Other browsers were signed out.`,
      "If this wasn't you, choose a new password right away:",
      `${service.baseUrl}/forgot-password`,
    ],
  });
}
