import { markProved, revokeSessions } from "@/db/queries/session-list";
import { enableTotp } from "@/db/queries/user-changes";
import { releaseAttempt } from "@/db/queries/users";
import { totpStep } from "@/lib/auth/totp";
import { AppError } from "@/lib/contract/errors";
import type { Context } from "../context";
import { LOCK_RULE } from "./lock-rule";
import { newRecoveryCodes } from "./new-recovery-codes";
import { failedTry, reserveTry } from "./prove-person";
import { accountActor, recordAccountAct } from "./record-account-act";
import { refuseField } from "./refuse-field";
import { notify } from "./write-mail";

/**
 * Turns the second factor on with a first code, and ends all other sessions, which were opened without it. Answers the
 * recovery codes, which are shown now and never again.
 */
export async function confirmSecondFactor(ctx: Context, input: { code: string; sessionId: string }): Promise<string[]> {
  const { service } = ctx;
  const user = await reserveTry(ctx);
  const sealed = user.totp_enabled_at === null ? user.totp_secret : null;
  const code = input.code.replace(/\s/g, "");
  const step = sealed === null ? null : totpStep(service.secret.unseal(sealed), code, service.clock.now());
  if (sealed !== null && step === null) {
    throw await failedTry(service, user, refuseField("code", "That code is wrong. Is the clock of your phone right?"));
  }
  await releaseAttempt(service.db.orm, user.id, LOCK_RULE, "proof");
  if (sealed === null || step === null) throw outOfDate();
  return service.db.orm.transaction(async (tx) => {
    if ((await enableTotp(tx, user.id, sealed, step)) === null) throw outOfDate();
    const codes = await newRecoveryCodes(tx, user.id);
    await markProved(tx, input.sessionId, { mfa: true });
    await revokeSessions(tx, user.id, input.sessionId);
    await notify(tx, user, {
      subject: "Second factor switched on for Cardlane",
      paragraphs: [
        `Signing in as ${user.email} now takes a code of your authenticator app as well. Other browsers that were signed in are not any more.`,
        "If it was not you, choose a new password at once:",
        `${service.baseUrl}/forgot-password`,
      ],
    });
    await recordAccountAct(tx, accountActor(ctx), "settings.second_factor_enabled", user.id, { email: user.email });
    return codes;
  });
}

const outOfDate = () => new AppError("invalid_state", "Begin again: this secret is not the latest one.");
