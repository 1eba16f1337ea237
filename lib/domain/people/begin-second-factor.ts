import { renderSVG } from "uqr";
import { keepTotpSecret } from "@/db/queries/user-changes";
import { newTotpSecret, totpUri } from "@/lib/auth/totp";
import { AppError } from "@/lib/contract/errors";
import type { Context } from "../context";
import { provePassword } from "./prove-person";

export type NewSecondFactor = {
  /** Base32, for typing into an app. */
  secret: string;
  uri: string;
  /** The same as an image. */
  qrSvg: string;
};

/** A new secret for an authenticator app, shown now and never again. It counts once a code of it was given. */
export async function beginSecondFactor(ctx: Context, input: { currentPassword: string }): Promise<NewSecondFactor> {
  const { service } = ctx;
  const user = await provePassword(ctx, input.currentPassword);
  const secret = newTotpSecret();
  if (!(await keepTotpSecret(service.db.orm, user.id, service.secret.seal(secret)))) {
    throw new AppError("invalid_state", "The second factor is on already. Switch it off first.");
  }
  const uri = totpUri(secret, user.email);
  return { secret, uri, qrSvg: renderSVG(uri, { border: 2 }) };
}
