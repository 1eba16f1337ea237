import {
  findUser,
  forgetFailedCodes,
  releaseAttempt,
  reserveCode,
  reserveProof,
  takeTotpStep,
} from "@/db/queries/users";
import type { ActorRecord } from "@/db/schema/operations";
import type { UserRow } from "@/db/schema/users";
import { verifyPassword } from "@/lib/auth/password";
import { AppError } from "@/lib/contract/errors";
import type { Service } from "../context";
import { checkCode, type GivenCode, useRecoveryCode } from "./check-code";
import { LOCK_RULE, lockAfterFailure } from "./lock-rule";
import { recordSignIn } from "./open-session";
import { refuseField } from "./refuse-field";

/** The person who is signed in, whoever's pages they are on. */
export type Asker = { readonly service: Service; readonly actor: ActorRecord };

/**
 * Asks the person who is signed in for the password again. Wrong ones are counted as at the sign-in, and apart from it, so
 * that a browser left open is no place to guess at. Throws at the field `current_password`.
 */
export async function provePassword(ctx: Asker, password: string): Promise<UserRow> {
  const { service } = ctx;
  const user = await reserveTry(ctx);
  if (await verifyPassword(user.password_hash, password)) {
    await releaseAttempt(service.db.orm, user.id, LOCK_RULE, "proof");
    return user;
  }
  throw await failedTry(service, user, refuseField("current_password", "That is not your current password."));
}

/** Password and second factor again, for what would weaken the sign-in. Throws at `current_password` or `code`. */
export async function proveSecondFactor(
  ctx: Asker,
  input: { current_password: string; code: string },
): Promise<{ user: UserRow; code: GivenCode }> {
  await provePassword(ctx, input.current_password);
  return proveCode(ctx, input.code);
}

/** The second factor alone, for a person who is signed in with the password. Throws at `code`. Uses the code up. */
export async function proveCode(ctx: Asker, text: string): Promise<{ user: UserRow; code: GivenCode }> {
  const { service } = ctx;
  const { orm } = service.db;
  const user = await reserveTry(ctx);
  if (user.totp_enabled_at === null) {
    await releaseAttempt(orm, user.id, LOCK_RULE, "proof");
    throw new AppError("invalid_state", "The second factor is off. Reload the page.");
  }
  if ((await reserveCode(orm, user.id, LOCK_RULE)) === null) {
    await releaseAttempt(orm, user.id, LOCK_RULE, "proof");
    throw locked();
  }
  const code = checkCode(service, user, text);
  if (code && (await takeCode(service, user, code))) return { user, code };
  throw await failedTry(service, user, refuseField("code", "That code is wrong, too old or was used already."));
}

const takeCode = (service: Service, user: UserRow, code: GivenCode): Promise<boolean> =>
  service.db.orm.transaction(async (tx) => {
    const taken =
      code.kind === "totp" ? await takeTotpStep(tx, user.id, code.step) : await useRecoveryCode(tx, user, code);
    if (!taken) return false;
    await releaseAttempt(tx, user.id, LOCK_RULE, "proof");
    await forgetFailedCodes(tx, user.id);
    return true;
  });

/**
 * Takes one of the tries that the person has, before anything is looked at: given back with `releaseAttempt`, or lost with
 * {@link failedTry}.
 */
export async function reserveTry(ctx: Asker): Promise<UserRow> {
  const { orm } = ctx.service.db;
  const person = ctx.actor.id === null ? null : await findUser(orm, ctx.actor.id);
  if (person === null || ctx.actor.type === "api_key") {
    throw new AppError("permission_denied", "Only a person who is signed in can do this.");
  }
  const user = await reserveProof(orm, person.id, LOCK_RULE);
  if (user === null) throw locked();
  return user;
}

/** Writes down a try that was wrong, and says what to throw: `refusal`, or that it was one too many. */
export async function failedTry(service: Service, user: UserRow, refusal: AppError): Promise<AppError> {
  await service.db.orm.transaction((tx) => recordSignIn(tx, user, "proof_failed", {}));
  return (await lockAfterFailure(service, user, "proof")) === null ? refusal : locked();
}

export const locked = () =>
  new AppError(
    "rate_limited",
    `Too many wrong passwords or codes. Try again in ${LOCK_RULE.minutes} minutes; you stay signed in.`,
    { headers: { "Retry-After": String(LOCK_RULE.minutes * 60) } },
  );
