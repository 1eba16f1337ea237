import { renderSVG } from "uqr";
import type { Orm } from "@/db/client";
import { markReauthenticated, revokeSessions } from "@/db/queries/accounts/sessions";
import {
  disableTotp,
  enableTotp,
  keepTotpSecret,
  releaseAttempt,
  replaceRecoveryCodes as writeRecoveryCodes,
} from "@/db/queries/accounts/users";
import { newRecoveryCode, newTotpSecret, recoveryCodeDigest, totpStep, totpUri } from "@/lib/auth/one-time-codes";
import { AppError } from "@/lib/contract/errors";
import type { Context } from "../context";
import { accountActor, recordAccountAct } from "./activity";
import { notify } from "./mail";
import {
  failedTry,
  LOCK_RULE,
  refuseField,
  reserveTry,
  verifyCurrentPassword,
  verifyPasswordAndCode,
} from "./reauthentication";

type NewSecondFactor = {
  /** Base32, for typing into an app. */
  secret: string;
  uri: string;
  /** `uri` as a QR code. */
  qrSvg: string;
};

/**
 * Creates a secret for an authenticator app, shown only once. It takes effect when a code from it is
 * confirmed.
 */
export async function beginSecondFactor(ctx: Context, input: { currentPassword: string }): Promise<NewSecondFactor> {
  const { service } = ctx;
  const user = await verifyCurrentPassword(ctx, input.currentPassword);
  const secret = newTotpSecret();
  if (!(await keepTotpSecret(service.db.orm, user.id, service.secret.seal(secret)))) {
    throw new AppError("invalid_state", "Two-factor authentication is already on. Turn it off first.");
  }
  const uri = totpUri(secret, user.email);
  return { secret, uri, qrSvg: renderSVG(uri, { border: 2 }) };
}

/**
 * Turns the second factor on with a first code, and ends all other sessions, which were opened without it.
 * Returns the recovery codes, which are shown only once.
 */
export async function confirmSecondFactor(ctx: Context, input: { code: string; sessionId: string }): Promise<string[]> {
  const { service } = ctx;
  const user = await reserveTry(ctx);
  const sealed = user.totp_enabled_at === null ? user.totp_secret : null;
  const code = input.code.replace(/\s/g, "");
  const step = sealed === null ? null : totpStep(service.secret.unseal(sealed), code, service.clock.now());
  if (sealed !== null && step === null) {
    throw await failedTry(
      service,
      user,
      refuseField("code", "That code is wrong. Check that your phone's clock is correct."),
    );
  }
  await releaseAttempt(service.db.orm, user.id, LOCK_RULE, "reauthentication");
  if (sealed === null || step === null) throw outOfDate();
  return service.db.orm.transaction(async (tx) => {
    if ((await enableTotp(tx, user.id, sealed, step)) === null) throw outOfDate();
    const codes = await newRecoveryCodes(tx, user.id);
    await markReauthenticated(tx, input.sessionId, { mfa: true });
    await revokeSessions(tx, user.id, input.sessionId);
    await notify(tx, user, {
      subject: "Two-factor authentication turned on for Cardlane",
      paragraphs: [
        `Signing in as ${user.email} now also requires a code from your authenticator app. Other browsers were signed out.`,
        "If this wasn't you, choose a new password right away:",
        `${service.baseUrl}/forgot-password`,
      ],
    });
    await recordAccountAct(tx, accountActor(ctx), "settings.second_factor_enabled", user.id, { email: user.email });
    return codes;
  });
}

const outOfDate = () => new AppError("invalid_state", "Start again: a newer secret was created since.");

/** Turns the second factor off and deletes the recovery codes. */
export async function disableSecondFactor(
  ctx: Context,
  input: { current_password: string; code: string },
): Promise<void> {
  const { user } = await verifyPasswordAndCode(ctx, input);
  await ctx.service.db.orm.transaction(async (tx) => {
    if (!(await disableTotp(tx, user.id)))
      throw new AppError("invalid_state", "Two-factor authentication is already off.");
    await writeRecoveryCodes(tx, user.id, []);
    await notify(tx, user, {
      subject: "Two-factor authentication turned off for Cardlane",
      paragraphs: [
        `Signing in as ${user.email} now requires only your password.`,
        "If this wasn't you, choose a new password right away:",
        `${ctx.service.baseUrl}/forgot-password`,
      ],
    });
    await recordAccountAct(tx, accountActor(ctx), "settings.second_factor_disabled", user.id, { email: user.email });
  });
}

const RECOVERY_CODE_COUNT = 10;

/** Replaces all recovery codes by ten new ones; only their digests are stored. */
async function newRecoveryCodes(tx: Orm, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, newRecoveryCode);
  await writeRecoveryCodes(
    tx,
    userId,
    codes.map((code) => recoveryCodeDigest(code) as Buffer),
  );
  return codes;
}

/** Ten new recovery codes, shown only once; the old ones stop working. */
export async function replaceRecoveryCodes(
  ctx: Context,
  input: { current_password: string; code: string },
): Promise<string[]> {
  const { user } = await verifyPasswordAndCode(ctx, input);
  return ctx.service.db.orm.transaction(async (tx) => {
    await recordAccountAct(tx, accountActor(ctx), "settings.recovery_codes_replaced", user.id, { email: user.email });
    return newRecoveryCodes(tx, user.id);
  });
}
