import { revokeSessions } from "@/db/queries/session-list";
import { setPassword } from "@/db/queries/user-changes";
import { voidTokens } from "@/db/queries/user-tokens";
import { hashPassword } from "@/lib/auth/password";
import type { Context } from "../context";
import { mailPasswordChanged } from "./mail-password-changed";
import { provePassword } from "./prove-person";
import { accountActor, recordAccountAct } from "./record-account-act";

/** Changes the person's password and ends all their sessions but `sessionId` (UUID). Answers how many ended. */
export async function changePassword(
  ctx: Context,
  input: { currentPassword: string; newPassword: string; sessionId: string },
): Promise<number> {
  const { id } = await provePassword(ctx, input.currentPassword);
  const passwordHash = await hashPassword(input.newPassword);
  return ctx.service.db.orm.transaction(async (tx) => {
    const user = await setPassword(tx, id, passwordHash);
    if (user === null) throw new Error("a person who proved their password is there");
    await voidTokens(tx, id);
    const ended = await revokeSessions(tx, id, input.sessionId);
    await mailPasswordChanged(tx, ctx.service, user);
    await recordAccountAct(tx, accountActor(ctx), "settings.password_changed", id, { email: user.email });
    return ended;
  });
}
