import type { Context } from "../context";
import { newRecoveryCodes } from "./new-recovery-codes";
import { proveSecondFactor } from "./prove-person";
import { accountActor, recordAccountAct } from "./record-account-act";

/** Ten new recovery codes, shown now and never again; the old ones stop working. */
export async function replaceRecoveryCodes(
  ctx: Context,
  input: { current_password: string; code: string },
): Promise<string[]> {
  const { user } = await proveSecondFactor(ctx, input);
  return ctx.service.db.orm.transaction(async (tx) => {
    await recordAccountAct(tx, accountActor(ctx), "settings.recovery_codes_replaced", user.id, { email: user.email });
    return newRecoveryCodes(tx, user.id);
  });
}
