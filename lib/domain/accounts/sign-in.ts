import type { Orm } from "@/db/client";
import { findEnvironmentId } from "@/db/queries/accounts/merchants";
import { takeToken } from "@/db/queries/accounts/tokens";
import {
  acceptAttempt,
  findUserByEmail,
  forgetFailedCodes,
  lockUser,
  releaseAttempt,
  reserveAttempt,
  reserveCode,
  stampSignIn,
  type UserKind,
  writeNothing,
} from "@/db/queries/accounts/users";
import type { UserRow } from "@/db/schema/accounts";
import { verifyPassword } from "@/lib/auth/password";
import { countDecoyFailure, findDecoyLock, takeAttempt } from "@/lib/auth/sign-in-limits";
import { mailableAddress } from "@/lib/contract/emails";
import { newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import type { Service } from "../context";
import { recordAccountAct } from "./activity";
import {
  type CheckedCode,
  checkCode,
  isMistimedCode,
  LOCK_RULE,
  lockAfterFailure,
  useRecoveryCode,
} from "./reauthentication";
import { openSession, recordSignIn } from "./sessions";

export type SignInInput = {
  kind: UserKind;
  email: string;
  password: string;
  /** Six digits of the authenticator app, or a recovery code; null = not entered yet. */
  code: string | null;
  address: string;
  userAgent: string | null;
};

export type SignInResult =
  /** `mfa`: whether a second factor was given; `sessionId`: UUID, goes into the cookie. */
  | { result: "ok"; user: UserRow; mfa: boolean; sessionId: string }
  | { result: "wrong" }
  /** `until` is ISO 8601. */
  | { result: "locked"; until: string }
  | { result: "code_required" }
  | { result: "code_wrong" }
  /** The code is valid at another time: the phone's clock is wrong. */
  | { result: "code_clock" }
  /** Codes are refused until the lock ends, even with the right password. */
  | { result: "codes_locked" }
  | { result: "too_many"; retryAfterSeconds: number };

/** Signs in the browser that has just opened an account, with the ticket from the sign-up's response. */
export async function signInWithTicket(
  service: Service,
  input: { ticket: string; address: string; userAgent: string | null },
): Promise<SignInResult> {
  const { ticket, address, userAgent } = input;
  const retryAfterSeconds = takeAttempt("sign-in", address);
  if (retryAfterSeconds > 0) return { result: "too_many", retryAfterSeconds };
  return service.db.orm.transaction(async (tx) => {
    const taken = await takeToken(tx, sha256(ticket), ["first_sign_in"]);
    const user = taken && (await lockUser(tx, taken.user_id));
    if (!user) return { result: "wrong" } as const;
    const sessionId = await openSession(tx, { user, hasSecondFactor: false, address, userAgent });
    await stampSignIn(tx, user.id);
    await recordSignIn(tx, user, "signed_in", { second_factor: false });
    return { result: "ok", user, mfa: false, sessionId } as const;
  });
}

/**
 * Checks a sign-in and opens the session. Ten failures lock an account for 30 minutes, during which no
 * password is checked. An unknown address is reported as locked after the same number of failures, so that
 * locks do not reveal which addresses exist.
 */
export async function signIn(service: Service, input: SignInInput): Promise<SignInResult> {
  const retryAfterSeconds = takeAttempt("sign-in", input.address);
  if (retryAfterSeconds > 0) return { result: "too_many", retryAfterSeconds };
  const email = mailableAddress(input.email.trim()) ?? input.email.trim();
  const user = await reserveAttempt(service.db.orm, input.kind, email, LOCK_RULE);
  if (user === null) return refuseUnknownOrLocked(service, { ...input, email });
  if (!(await verifyPassword(user.password_hash, input.password))) return recordFailure(service, user, "wrong");
  if (user.totp_enabled_at === null) {
    // Staff can read every merchant's data, so they cannot sign in without a second factor.
    return input.kind === "staff" ? recordFailure(service, user, "wrong") : completeSignIn(service, input, user, null);
  }
  if (input.code === null || input.code.trim() === "") {
    await releaseAttempt(service.db.orm, user.id, LOCK_RULE, "sign_in");
    return { result: "code_required" };
  }
  if ((await reserveCode(service.db.orm, user.id, LOCK_RULE)) === null) {
    await releaseAttempt(service.db.orm, user.id, LOCK_RULE, "sign_in");
    return { result: "codes_locked" };
  }
  const code = checkCode(service, user, input.code);
  if (code !== null) return completeSignIn(service, input, user, code);
  return recordFailure(service, user, isMistimedCode(service, user, input.code) ? "code_clock" : "code_wrong");
}

async function refuseUnknownOrLocked(service: Service, input: SignInInput): Promise<SignInResult> {
  const user = await findUserByEmail(service.db.orm, input.kind, input.email);
  if (user?.locked_until) return { result: "locked", until: user.locked_until };
  // The lock ended between the two statements: treat it as a wrong guess.
  if (user) return { result: "wrong" };
  const now = service.clock.now();
  const locked = findDecoyLock(input, now);
  if (locked !== null) return { result: "locked", until: locked };
  // The same steps, of the same duration, as a wrong guess for an account: count, password check, and the
  // writes of `fail`.
  await writeNothing(service.db.orm);
  await verifyPassword(null, input.password);
  await service.db.orm.transaction(async (tx) => {
    await findEnvironmentId(tx, newId(), "live");
    await writeNothing(tx);
  });
  const until = countDecoyFailure(input, now, LOCK_RULE);
  return until === null ? { result: "wrong" } : { result: "locked", until };
}

/** Records a failed sign-in. The try stays counted. */
async function recordFailure(
  service: Service,
  user: UserRow,
  result: "wrong" | "code_wrong" | "code_clock",
): Promise<SignInResult> {
  await service.db.orm.transaction((tx) => recordSignIn(tx, user, "sign_in_failed", { because: result }));
  const until = await lockAfterFailure(service, user, "sign_in");
  return until === null ? { result } : { result: "locked", until };
}

/** Thrown inside the transaction to roll it back, which makes the recovery code usable again. */
class SignInRejected extends Error {}

async function completeSignIn(
  service: Service,
  { address, userAgent }: SignInInput,
  user: UserRow,
  code: CheckedCode | null,
): Promise<SignInResult> {
  const mfa = code !== null;
  try {
    return await service.db.orm.transaction(async (tx) => {
      if (code?.kind === "recovery") await spendRecoveryCode(tx, user, code);
      const accepted = await acceptAttempt(tx, user, code?.kind === "totp" ? code.step : null);
      if (accepted === null) throw new SignInRejected();
      if (code !== null) await forgetFailedCodes(tx, user.id);
      const sessionId = await openSession(tx, { user: accepted, hasSecondFactor: mfa, address, userAgent });
      await recordSignIn(tx, accepted, "signed_in", { second_factor: mfa });
      return { result: "ok", user: accepted, mfa, sessionId } as const;
    });
  } catch (error) {
    if (error instanceof SignInRejected) return recordFailure(service, user, mfa ? "code_wrong" : "wrong");
    throw error;
  }
}

async function spendRecoveryCode(tx: Orm, user: UserRow, code: { digest: Buffer }): Promise<void> {
  if (!(await useRecoveryCode(tx, user, code))) throw new SignInRejected();
  if (user.merchant_id === null) return;
  const by = { merchantId: user.merchant_id, actor: { type: "user", id: user.id }, requestId: null } as const;
  await recordAccountAct(tx, by, "settings.recovery_code_used", user.id, { email: user.email });
}
