import type { Orm } from "@/db/client";
import { findRefundable, type RefundTarget, renewAllowances, spendAllowance } from "@/db/queries/accounts/refund-limit";
import { markReauthenticated } from "@/db/queries/accounts/sessions";
import {
  confirmLock,
  findUser,
  forgetFailedCodes,
  type LockRule,
  releaseAttempt,
  reserveCode,
  reserveReauthentication,
  type Tries,
  takeRecoveryCode,
  takeTotpStep,
} from "@/db/queries/accounts/users";
import type { UserRow } from "@/db/schema/accounts";
import type { ActorRecord } from "@/db/schema/operations";
import { isMistimedTotp, recoveryCodeDigest, totpStep } from "@/lib/auth/one-time-codes";
import { isEasyPassword, verifyPassword } from "@/lib/auth/password";
import { takeAttempt } from "@/lib/auth/sign-in-limits";
import { refundUsdCents } from "@/lib/contract/accounts/refund-limit";
import { REAUTHENTICATION_MINUTES, type ReauthenticationKind } from "@/lib/contract/accounts/sessions";
import { AppError } from "@/lib/contract/errors";
import { LIMITS } from "@/lib/rate-limits";
import type { Service } from "../context";
import { recordAccountAct } from "./activity";
import { notify } from "./mail";
import { recordSignIn, type SignedInUser } from "./sessions";

/** A call by a signed-in user: a merchant's member or a member of staff. */
type SignedInCall = { readonly service: Service; readonly actor: ActorRecord };

/**
 * Verifies the signed-in user's password again. Failures lock as at sign-in, but have their own count, so
 * that an unattended browser does not allow guessing. Throws at the field `current_password`.
 */
export async function verifyCurrentPassword(ctx: SignedInCall, password: string): Promise<UserRow> {
  const { service } = ctx;
  const user = await reserveTry(ctx);
  if (await verifyPassword(user.password_hash, password)) {
    await releaseAttempt(service.db.orm, user.id, LOCK_RULE, "reauthentication");
    return user;
  }
  throw await failedTry(service, user, refuseField("current_password", "That isn't your current password."));
}

/**
 * Verifies password and second factor, for changes that weaken the sign-in. Throws at `current_password` or
 * `code`.
 */
export async function verifyPasswordAndCode(
  ctx: SignedInCall,
  input: { current_password: string; code: string },
): Promise<{ user: UserRow; code: CheckedCode }> {
  await verifyCurrentPassword(ctx, input.current_password);
  return verifyCode(ctx, input.code);
}

/** Verifies the second factor alone and uses up the code. Throws at `code`. */
async function verifyCode(ctx: SignedInCall, text: string): Promise<{ user: UserRow; code: CheckedCode }> {
  const { service } = ctx;
  const { orm } = service.db;
  const user = await reserveTry(ctx);
  if (user.totp_enabled_at === null) {
    await releaseAttempt(orm, user.id, LOCK_RULE, "reauthentication");
    throw new AppError("invalid_state", "Two-factor authentication is off. Reload the page.");
  }
  if ((await reserveCode(orm, user.id, LOCK_RULE)) === null) {
    await releaseAttempt(orm, user.id, LOCK_RULE, "reauthentication");
    throw locked();
  }
  const code = checkCode(service, user, text);
  if (code && (await takeCode(service, user, code))) return { user, code };
  const sentence =
    code === null && isMistimedCode(service, user, text)
      ? "That code belongs to another time. Check your phone's clock, then enter the code that your app shows now."
      : "That code is wrong, expired or already used.";
  throw await failedTry(service, user, refuseField("code", sentence));
}

const takeCode = (service: Service, user: UserRow, code: CheckedCode): Promise<boolean> =>
  service.db.orm.transaction(async (tx) => {
    const taken =
      code.kind === "totp" ? await takeTotpStep(tx, user.id, code.step) : await useRecoveryCode(tx, user, code);
    if (!taken) return false;
    await releaseAttempt(tx, user.id, LOCK_RULE, "reauthentication");
    await forgetFailedCodes(tx, user.id);
    return true;
  });

/**
 * Reserves one of the user's remaining tries before anything is checked. `releaseAttempt` releases it after a
 * success; {@link failedTry} keeps it counted.
 */
export async function reserveTry(ctx: SignedInCall): Promise<UserRow> {
  const { orm } = ctx.service.db;
  const signedIn = ctx.actor.id === null ? null : await findUser(orm, ctx.actor.id);
  if (signedIn === null || ctx.actor.type === "api_key") {
    throw new AppError("permission_denied", "Only a signed-in user can do this.");
  }
  const user = await reserveReauthentication(orm, signedIn.id, LOCK_RULE);
  if (user === null) throw locked();
  return user;
}

/** Records a failed try and returns the error to throw: `refusal`, or the lock when the limit is reached. */
export async function failedTry(service: Service, user: UserRow, refusal: AppError): Promise<AppError> {
  await service.db.orm.transaction((tx) => recordSignIn(tx, user, "proof_failed", {}));
  return (await lockAfterFailure(service, user, "reauthentication")) === null ? refusal : locked();
}

export const locked = () =>
  new AppError(
    "rate_limited",
    `Too many wrong passwords or codes. Try again in ${LOCK_RULE.minutes} minutes; you stay signed in.`,
    { retryAfterSeconds: LOCK_RULE.minutes * 60 },
  );

type StepUpState = Pick<SignedInUser, "mfaEnabled" | "reauthenticatedRecently">;

const reauthenticationKind = ({ mfaEnabled }: StepUpState): ReauthenticationKind => (mfaEnabled ? "code" : "password");

/** Throws unless the user re-authenticated within the last minutes, because a browser may be unattended. */
export function requireReauthentication(user: StepUpState): void {
  if (user.reauthenticatedRecently) return;
  const proof_required = reauthenticationKind(user);
  const factor = proof_required === "code" ? "a code from your authenticator app" : "your password";
  // Only our own pages can receive this error, so `proof_required` is not part of the public contract.
  throw new AppError("permission_denied", `Confirm your identity with ${factor}, then try again.`, {
    extra: { proof_required },
  });
}

/** Throws unless the user's address is verified: until then an account is only for trying things out. */
export function requireVerifiedEmail(user: Pick<SignedInUser, "email" | "emailVerified">): void {
  if (user.emailVerified) return;
  throw new AppError(
    "permission_denied",
    `Confirm your e-mail address first: open the link that we sent to ${user.email}, or request a new one.`,
    { extra: { verification_required: true } },
  );
}

/**
 * Re-authenticates the user in this session for the next ten minutes, by the second factor, or by the
 * password if there is none. Failures lock as at sign-in.
 */
export async function reauthenticate(
  by: SignedInCall,
  input: {
    user: StepUpState & Pick<SignedInUser, "sessionId" | "userId" | "merchantId">;
    code?: string | undefined;
    password?: string | undefined;
  },
): Promise<{ minutes: number }> {
  const { user, code, password } = input;
  if (user.mfaEnabled) {
    if (code === undefined) throw refuseField("code", "Enter a code from your authenticator app.");
    await verifyCode(by, code);
  } else {
    if (password === undefined) throw refuseField("current_password", "Enter your password.");
    await verifyCurrentPassword(by, password);
  }
  await by.service.db.orm.transaction(async (tx) => {
    await markReauthenticated(tx, user.sessionId, { mfa: user.mfaEnabled });
    await renewAllowances(tx, user.userId);
    const signedIn = { id: user.userId, merchant_id: user.merchantId };
    await recordSignIn(tx, signedIn, "identity_proved", { second_factor: user.mfaEnabled });
  });
  return { minutes: REAUTHENTICATION_MINUTES };
}

/**
 * Throws when a refund from the dashboard needs a re-authentication: the user's refunds in all currencies
 * since the last one, or within a day, exceed the merchant's limit. `amount` null refunds all that is left.
 * An unknown payment passes.
 */
export async function requireRefundReauthentication(
  service: Pick<Service, "db">,
  user: RefundingUser,
  refund: { environmentId: string; target: RefundTarget; amount: number | null },
): Promise<void> {
  if (user.reauthenticatedRecently) return;
  const within = service.db.within(refund.environmentId).orm;
  const found = await findRefundable(within, refund.environmentId, refund.target);
  if (found === null) return;
  const { currency, maxRefund } = found;
  await requireAllowance(service, user, { currency, amount: Math.min(refund.amount ?? maxRefund, maxRefund) });
}

type RefundingUser = StepUpState & Pick<SignedInUser, "userId" | "refundLimitUsd">;

/** The same for an amount that will be refunded, whichever payments it comes from. */
export async function requireAllowance(
  service: Pick<Service, "db">,
  user: RefundingUser,
  { amount, currency }: { amount: number; currency: string },
): Promise<void> {
  if (user.reauthenticatedRecently || amount <= 0) return;
  const usdCents = refundUsdCents(amount, currency);
  const spending = { userId: user.userId, usdCents, limitUsdCents: user.refundLimitUsd * 100 };
  if (!(await spendAllowance(service.db.orm, spending))) requireReauthentication(user);
}

/** A code that matches but is not used up yet; only a guarded UPDATE uses it up. */
export type CheckedCode = { kind: "totp"; step: number } | { kind: "recovery"; digest: Buffer };

const stripSeparators = (text: string): string => text.replace(/[\s-]/g, "");

/** True if a refused code is valid at another time, which means that the phone's clock is wrong. */
export const isMistimedCode = (service: Service, user: UserRow, text: string): boolean =>
  user.totp_secret !== null &&
  isMistimedTotp(service.secret.unseal(user.totp_secret), stripSeparators(text), service.clock.now());

/**
 * Checks a code; null when it is neither one of the user's authenticator app nor in the form of a recovery
 * code.
 */
export function checkCode(service: Service, user: UserRow, text: string): CheckedCode | null {
  const digits = stripSeparators(text);
  if (/^\d{6}$/.test(digits)) {
    if (user.totp_secret === null) return null;
    const step = totpStep(service.secret.unseal(user.totp_secret), digits, service.clock.now());
    return step === null ? null : { kind: "totp", step };
  }
  const digest = recoveryCodeDigest(text);
  return digest === null ? null : { kind: "recovery", digest };
}

/**
 * False when the user has no such code, or it was used. Rolling back the transaction makes it usable again.
 */
export const useRecoveryCode = (tx: Orm, user: UserRow, code: { digest: Buffer }): Promise<boolean> =>
  takeRecoveryCode(tx, user.id, code.digest);

/** Failures that lock an account's sign-in, or its re-authentication, and the length of the lock. */
export const LOCK_RULE: LockRule = { failures: 10, minutes: 30 };

/**
 * Call after a counted try failed. The failure that reaches the limit starts the lock and notifies the user.
 * Returns the end of the lock, or null without one.
 */
export function lockAfterFailure(service: Service, user: UserRow, tries: Tries): Promise<string | null> {
  const failures = tries === "sign_in" ? user.failed_sign_ins : user.failed_proofs;
  if (failures < LOCK_RULE.failures) return Promise.resolve(null);
  return service.db.orm.transaction(async (tx) => {
    const locked = await confirmLock(tx, user.id, LOCK_RULE, tries);
    if (locked === null) return null;
    if (tries === "reauthentication") {
      await mailReauthenticationLocked(tx, locked);
      return locked.proofs_locked_until;
    }
    await mailLocked(tx, service, locked);
    if (locked.merchant_id !== null) {
      const by = { merchantId: locked.merchant_id, actor: { type: "system", id: null }, requestId: null } as const;
      await recordAccountAct(tx, by, "settings.sign_in_locked", locked.id, { email: locked.email });
    }
    return locked.locked_until;
  });
}

function mailLocked(tx: Orm, service: Service, user: UserRow): Promise<void> {
  return notify(tx, user, {
    subject: `Your Cardlane account is locked for ${LOCK_RULE.minutes} minutes`,
    paragraphs: [
      `A wrong password or code was entered for ${user.email} ${LOCK_RULE.failures} times, so we have locked sign-in for ${LOCK_RULE.minutes} minutes. Browsers that are already signed in stay signed in.`,
      // Staff have no page for a forgotten password: a command creates their accounts.
      ...(user.merchant_id === null
        ? [
            "If this wasn't you, tell your security team. If you can't wait, the service's operator can unlock your account.",
          ]
        : ["If this was you and you can't wait, choose a new password:", `${service.baseUrl}/forgot-password`]),
    ],
  });
}

function mailReauthenticationLocked(tx: Orm, user: UserRow): Promise<void> {
  return notify(tx, user, {
    subject: "Someone entered wrong passwords in your Cardlane session",
    paragraphs: [
      `A wrong password or code was entered ${LOCK_RULE.failures} times in a browser that is signed in as ${user.email}. Nothing changed, and we accept no further attempts for ${LOCK_RULE.minutes} minutes.`,
      "If this wasn't you, sign out the sessions you don't recognize and choose a new password.",
    ],
  });
}

const rateLimited = (detail: string, waitSeconds: number) =>
  new AppError("rate_limited", detail, { retryAfterSeconds: waitSeconds });

/** Counts an attempt; throws `rate_limited` when there were too many. */
export function limitAttempts(kind: Parameters<typeof takeAttempt>[0], address: string): void {
  const waitSeconds = takeAttempt(kind, address);
  if (waitSeconds > 0) throw rateLimited(LIMITS.signInAttempts.refusal(waitSeconds), waitSeconds);
}

export const tooManyAccounts = (waitSeconds: number) => rateLimited(LIMITS.accounts.refusal(waitSeconds), waitSeconds);

/** A refusal that a form shows at one of its fields. */
export const refuseField = (param: string, message: string) =>
  new AppError("invalid_parameter", message, { errors: [{ param, code: "invalid_parameter", message }] });

/**
 * Throws at the form's field when a new password is easy to guess; `about`: facts about the user, such as the
 * name.
 */
export async function refuseEasyPassword(param: string, password: string, about: readonly string[]): Promise<void> {
  if (!(await isEasyPassword(password, about))) return;
  throw refuseField(
    param,
    "This password is easy to guess. Use several words that nobody would put together, or let a password manager create one.",
  );
}
