import { countRecoveryCodes } from "@/db/queries/recovery-codes";
import { findPendingEmail } from "@/db/queries/user-tokens";
import { findUser } from "@/db/queries/users";
import type { Context } from "../context";

export type OwnAccount = {
  email: string;
  name: string | null;
  /** The address that they want instead, while its proof is awaited. */
  pendingEmail: string | null;
  /** ISO 8601; null = off. */
  secondFactorSince: string | null;
  /** How many are not used yet. */
  recoveryCodesLeft: number;
};

/** What the person who is signed in has set up. */
export async function getOwnAccount(ctx: Context): Promise<OwnAccount> {
  const { orm } = ctx.service.db;
  const user = await findUser(orm, ctx.actor.id as string);
  if (user === null) throw new Error("a person who is signed in is there");
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
