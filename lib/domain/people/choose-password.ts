import type { Orm } from "@/db/client";
import { revokeSessions } from "@/db/queries/session-list";
import { lockAddress, ownEmail, setPassword } from "@/db/queries/user-changes";
import { findTokenHolder, lockTokenHolder, type TokenPurpose, takeToken, voidTokens } from "@/db/queries/user-tokens";
import type { UserRow } from "@/db/schema/users";
import { takeAttempt } from "@/lib/auth/attempt-limits";
import { hashPassword } from "@/lib/auth/password";
import { AppError } from "@/lib/contract/errors";
import { sha256 } from "@/lib/secret";
import type { Service } from "../context";
import { mailPasswordChanged } from "./mail-password-changed";
import { recordAccountAct } from "./record-account-act";
import { refuseEasyPassword } from "./refuse-field";
import { tooManyAttempts } from "./too-many-attempts";
import { ownedBySomebody } from "./verify-email";

export type ChoosePasswordInput = {
  /** As it stood in the mailed link. */
  token: string;
  password: string;
  /** Of a new member of a team. */
  name: string | null;
  address: string;
  requestId: string | null;
};

const PURPOSES: readonly TokenPurpose[] = ["reset_password", "invite"];

/**
 * Sets the password of the person a link was mailed to. The link is used up, every other one is void, every session ends,
 * and a lock is opened; a second factor stays on, and so do the wrong codes that were counted. The link proves the address.
 */
export async function choosePassword(service: Service, input: ChoosePasswordInput): Promise<{ email: string }> {
  const waitSeconds = takeAttempt("reset-password", input.address);
  if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
  const digest = sha256(input.token);
  const holder = await findTokenHolder(service.db.orm, digest);
  if (holder === null || !PURPOSES.includes(holder.purpose)) throw linkIsOver();
  const about = [holder.email, input.name ?? holder.name ?? "", holder.merchant_name ?? ""];
  await refuseEasyPassword("password", input.password, about);
  const passwordHash = await hashPassword(input.password);
  return service.db.orm.transaction(async (tx) => {
    await lockAddress(tx, holder.email);
    await lockTokenHolder(tx, digest);
    const taken = await takeToken(tx, digest, PURPOSES);
    if (!taken) throw linkIsOver();
    // The mailbox got the link: the address is theirs.
    if ((await ownEmail(tx, taken.user_id, holder.email)) === null) throw ownedBySomebody(holder.email);
    const user = await setPassword(tx, taken.user_id, passwordHash, { name: input.name });
    if (!user) throw linkIsOver();
    await voidTokens(tx, user.id);
    await revokeSessions(tx, user.id, null);
    if (taken.purpose === "reset_password") await mailPasswordChanged(tx, service, user);
    await record(tx, user, taken.purpose, input.requestId);
    return { email: user.email };
  });
}

async function record(tx: Orm, user: UserRow, purpose: TokenPurpose, requestId: string | null): Promise<void> {
  if (user.merchant_id === null) return;
  const by = { merchantId: user.merchant_id, actor: { type: "user", id: user.id }, requestId } as const;
  const action = purpose === "invite" ? "team.invitation_accepted" : "settings.password_reset";
  await recordAccountAct(tx, by, action, user.id, { email: user.email });
}

const linkIsOver = () =>
  new AppError("resource_not_found", "This link was used already or is too old. Ask for a new one.");
