import type { Orm } from "@/db/client";
import { findUser, releaseAttempt, reserveAttempt, takeTotpStep } from "@/db/queries/users";
import type { UserRow } from "@/db/schema/users";
import { verifyPassword } from "@/lib/auth/password";
import { AppError } from "@/lib/contract/errors";
import type { Context, Service } from "../context";
import { checkCode, type GivenCode, useRecoveryCode } from "./check-code";
import { LOCK_RULE, lockAfterFailure } from "./lock-rule";
import { refuseField } from "./refuse-field";

/**
 * Asks the person who is signed in for the password again. Wrong ones count like those of a sign-in, so that a browser
 * left open is no place to guess at. Throws at the field `current_password`.
 */
export async function provePassword(ctx: Context, password: string): Promise<UserRow> {
  const { service } = ctx;
  const user = await reserveTry(ctx);
  if (await verifyPassword(user.password_hash, password)) {
    await releaseAttempt(service.db.orm, user.id, LOCK_RULE);
    return user;
  }
  throw await failedTry(service, user, refuseField("current_password", "That is not your current password."));
}

/** Password and second factor again, for what would weaken the sign-in. Throws at `current_password` or `code`. */
export async function proveSecondFactor(
  ctx: Context,
  input: { current_password: string; code: string },
): Promise<{ user: UserRow; code: GivenCode }> {
  const { service } = ctx;
  await provePassword(ctx, input.current_password);
  const user = await reserveTry(ctx);
  if (user.totp_enabled_at === null) {
    await releaseAttempt(service.db.orm, user.id, LOCK_RULE);
    throw new AppError("invalid_state", "The second factor is off. Reload the page.");
  }
  const code = checkCode(service, user, input.code);
  if (code && (await service.db.orm.transaction((tx) => takeCode(tx, user, code)))) {
    await releaseAttempt(service.db.orm, user.id, LOCK_RULE);
    return { user, code };
  }
  throw await failedTry(service, user, refuseField("code", "That code is wrong, too old or was used already."));
}

const takeCode = (tx: Orm, user: UserRow, code: GivenCode) =>
  code.kind === "totp" ? takeTotpStep(tx, user.id, code.step) : useRecoveryCode(tx, user, code);

/**
 * Takes one of the tries that the person has, before anything is looked at: given back with `releaseAttempt`, or lost with
 * {@link failedTry}.
 */
export async function reserveTry(ctx: Context): Promise<UserRow> {
  const { orm } = ctx.service.db;
  const person = ctx.actor.id === null ? null : await findUser(orm, ctx.actor.id);
  if (person === null || ctx.actor.type === "api_key") {
    throw new AppError("permission_denied", "Only a person who is signed in can do this.");
  }
  const kind = person.merchant_id === null ? "staff" : "merchant";
  const user = await reserveAttempt(orm, kind, person.email, LOCK_RULE);
  if (user === null) throw locked();
  return user;
}

/** What to throw after a try that was wrong: `refusal`, or that it was one too many. */
export async function failedTry(service: Service, user: UserRow, refusal: AppError): Promise<AppError> {
  return (await lockAfterFailure(service, user)) === null ? refusal : locked();
}

const locked = () =>
  new AppError(
    "rate_limited",
    `Too many wrong passwords or codes. Try again in ${LOCK_RULE.minutes} minutes; you stay signed in.`,
    { headers: { "Retry-After": String(LOCK_RULE.minutes * 60) } },
  );
