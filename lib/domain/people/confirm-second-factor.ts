import { markSecondFactor } from "@/db/queries/session-list";
import { enableTotp } from "@/db/queries/user-changes";
import { findUser } from "@/db/queries/users";
import { totpStep } from "@/lib/auth/totp";
import { AppError } from "@/lib/contract/errors";
import type { Context } from "../context";
import { newRecoveryCodes } from "./new-recovery-codes";
import { accountActor, recordAccountAct } from "./record-account-act";
import { refuseField } from "./refuse-field";
import { writeMail } from "./write-mail";

/** Turns the second factor on with a first code. Answers the recovery codes, which are shown now and never again. */
export async function confirmSecondFactor(ctx: Context, input: { code: string; sessionId: string }): Promise<string[]> {
  const { service } = ctx;
  const user = await findUser(service.db.orm, ctx.actor.id as string);
  const sealed = user?.totp_secret ?? null;
  if (user === null || sealed === null || user.totp_enabled_at !== null) throw outOfDate();
  const code = input.code.replace(/\s/g, "");
  const step = totpStep(service.secret.unseal(sealed), code, service.clock.now());
  if (step === null) throw refuseField("code", "That code is wrong. Is the clock of your phone right?");
  return service.db.orm.transaction(async (tx) => {
    if ((await enableTotp(tx, user.id, sealed, step)) === null) throw outOfDate();
    const codes = await newRecoveryCodes(tx, user.id);
    await markSecondFactor(tx, input.sessionId);
    await writeMail(tx, {
      recipient: user.email,
      subject: "Second factor switched on for Cardlane",
      paragraphs: [
        `Signing in as ${user.email} now takes a code of your authenticator app as well.`,
        "If it was not you, choose a new password at once:",
        `${service.baseUrl}/forgot-password`,
      ],
    });
    await recordAccountAct(tx, accountActor(ctx), "settings.second_factor_enabled", user.id, { email: user.email });
    return codes;
  });
}

const outOfDate = () => new AppError("invalid_state", "Begin again: this secret is not the latest one.");
