import { isEasyPassword } from "@/lib/auth/password";
import { AppError } from "@/lib/contract/errors";

/** A refusal that a form shows at one of its fields. */
export const refuseField = (param: string, message: string) =>
  new AppError("invalid_parameter", message, { errors: [{ param, code: "invalid_parameter", message }] });

/** Throws at the form's field when a new password is easy to guess; `about`: what is known of the person. */
export async function refuseEasyPassword(param: string, password: string, about: readonly string[]): Promise<void> {
  if (!(await isEasyPassword(password, about))) return;
  throw refuseField(
    param,
    "This password is easy to guess. Use several words that nobody would put together, or let a password manager make one.",
  );
}
