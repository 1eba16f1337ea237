import { revokeSessions } from "@/db/queries/session-list";
import { setPassword } from "@/db/queries/user-changes";
import { voidTokens } from "@/db/queries/user-tokens";
import { hashPassword } from "@/lib/auth/password";
import type { Context } from "../context";
import { mailPasswordChanged } from "./mail-password-changed";
import { provePassword } from "./prove-person";
import { accountActor, recordAccountAct } from "./record-account-act";
import { refuseEasyPassword, refuseField } from "./refuse-field";

/** Changes the person's password and ends all their sessions but `sessionId` (UUID). Answers how many ended. */
export async function changePassword(
  ctx: Context,
  input: { currentPassword: string; newPassword: string; sessionId: string },
): Promise<number> {
  const { id, email, name, password_hash: provenHash } = await provePassword(ctx, input.currentPassword);
  await refuseEasyPassword("new_password", input.newPassword, [email, name ?? ""]);
  const passwordHash = await hashPassword(input.newPassword);
  return ctx.service.db.orm.transaction(async (tx) => {
    const user = await setPassword(tx, id, passwordHash, { provenHash });
    if (user === null) {
      throw refuseField("current_password", "Your password was changed a moment ago, elsewhere. Enter the new one.");
    }
    await voidTokens(tx, id);
    const ended = await revokeSessions(tx, id, input.sessionId);
    await mailPasswordChanged(tx, ctx.service, user);
    await recordAccountAct(tx, accountActor(ctx), "settings.password_changed", id, { email: user.email });
    return ended;
  });
}
