import { replaceRecoveryCodes } from "@/db/queries/recovery-codes";
import { disableTotp } from "@/db/queries/user-changes";
import { AppError } from "@/lib/contract/errors";
import type { Context } from "../context";
import { proveSecondFactor } from "./prove-person";
import { accountActor, recordAccountAct } from "./record-account-act";
import { notify } from "./write-mail";

/** Switches the second factor off. The recovery codes go with it. */
export async function disableSecondFactor(
  ctx: Context,
  input: { current_password: string; code: string },
): Promise<void> {
  const { user } = await proveSecondFactor(ctx, input);
  await ctx.service.db.orm.transaction(async (tx) => {
    if (!(await disableTotp(tx, user.id))) throw new AppError("invalid_state", "The second factor is off already.");
    await replaceRecoveryCodes(tx, user.id, []);
    await notify(tx, user, {
      subject: "Second factor switched off for Cardlane",
      paragraphs: [
        `Signing in as ${user.email} takes only the password from now on.`,
        "If it was not you, choose a new password at once:",
        `${ctx.service.baseUrl}/forgot-password`,
      ],
    });
    await recordAccountAct(tx, accountActor(ctx), "settings.second_factor_disabled", user.id, { email: user.email });
  });
}
