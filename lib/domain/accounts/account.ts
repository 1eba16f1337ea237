import { countRecentTokens, findPendingEmail } from "@/db/queries/accounts/tokens";
import { countRecoveryCodes, findUser, lockUser, mergePreferences, updateName } from "@/db/queries/accounts/users";
import { AppError } from "@/lib/contract/errors";
import type { Preferences } from "@/lib/contract/permissions";
import type { Context } from "../context";
import { accountActor, recordAccountAct } from "./activity";
import { refuseField, verifyCurrentPassword } from "./reauthentication";
import { mailVerification } from "./sign-up";

type OwnAccount = {
  email: string;
  name: string | null;
  /** The new address, while it is not verified yet. */
  pendingEmail: string | null;
  /** ISO 8601; null = off. */
  secondFactorSince: string | null;
  /** Number of unused recovery codes. */
  recoveryCodesLeft: number;
};

export async function getOwnAccount(ctx: Context): Promise<OwnAccount> {
  const { orm } = ctx.service.db;
  const user = await findUser(orm, ctx.actor.id as string);
  if (user === null) throw new Error("a signed-in user is there");
  const recoveryCodesLeft = user.totp_enabled_at === null ? 0 : await countRecoveryCodes(orm, user.id);
  const pendingEmail = await findPendingEmail(orm, user.id);
  return {
    email: user.email,
    name: user.name,
    pendingEmail,
    secondFactorSince: user.totp_enabled_at,
    recoveryCodesLeft,
  };
}

type UpdateAccountInput = { name: string; email: string; currentPassword: string | null };

/** `pendingEmail`: the address they sign in with after opening the link that was mailed to it. */
type UpdatedAccount = { name: string; email: string; pendingEmail: string | null };

const MAX_ADDRESSES_PER_HOUR = 5;

/**
 * Changes the user's name. A new address requires the password, and takes effect once the link mailed to it
 * verifies it; until then the old one stays, so that no user holds someone else's address.
 */
export async function updateAccount(ctx: Context, input: UpdateAccountInput): Promise<UpdatedAccount> {
  const { orm } = ctx.service.db;
  const before = await findUser(orm, ctx.actor.id as string);
  if (before === null) throw new Error("a signed-in user is there");
  const isNewEmail = before.email !== input.email;
  if (isNewEmail) {
    if (!input.currentPassword) throw refuseField("current_password", "Enter your password to change the address.");
    await verifyCurrentPassword(ctx, input.currentPassword);
  }
  return orm.transaction(async (tx) => {
    if (isNewEmail) {
      if ((await countRecentTokens(tx, before.id, "verify_email")) >= MAX_ADDRESSES_PER_HOUR) {
        throw new AppError("rate_limited", "You've requested several address changes within an hour. Try again later.");
      }
      await mailVerification(tx, ctx.service, before, { newEmail: input.email });
    }
    const now = await lockUser(tx, before.id);
    // Check again under the lock: another window, or a password reset, may have changed the user since.
    if (now?.email !== before.email || (isNewEmail && now.password_hash !== before.password_hash)) throw outOfDate();
    await updateName(tx, before.id, input.name);
    if (before.name !== input.name) {
      const changes = { name: [before.name, input.name] };
      await recordAccountAct(tx, accountActor(ctx), "settings.account_updated", before.id, { changes });
    }
    const pendingEmail = isNewEmail ? input.email : await findPendingEmail(tx, before.id);
    return { name: input.name, email: before.email, pendingEmail };
  });
}

const outOfDate = () =>
  new AppError("invalid_state", "Your sign-in was just changed elsewhere. Reload the page and try again.");

/** Changes the given preferences of the user. They are not audited, because they affect no other user. */
export function updatePreferences(ctx: Context, changes: Preferences): Promise<Preferences> {
  return mergePreferences(ctx.service.db.orm, ctx.actor.id as string, changes);
}

/** The changes whose values differ, as name → [before, after], for the audit log. */
export function onlyChanged(changes: Record<string, [unknown, unknown]>): Record<string, [unknown, unknown]> {
  return Object.fromEntries(Object.entries(changes).filter(([, [from, to]]) => from !== to));
}
