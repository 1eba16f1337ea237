import { type Audience, SIGN_IN_ERRORS, type SignInError } from "@/lib/contract/accounts/sessions";
import { postAuth } from "./sign-out";

/** `ticket` comes from the response to a sign-up and replaces address and password. */
type SignInInput = { audience?: Audience } & ({ email: string; password: string; code?: string } | { ticket: string });

/** Signs in; the response sets the cookie. Never throws. */
export async function signIn(input: SignInInput): Promise<{ ok: true } | { ok: false; error: SignInError }> {
  try {
    const { audience = "merchant", ...credentials } = input;
    const response = await postAuth(audience, "/callback/credentials", credentials);
    const { url } = (await response.json()) as { url: string };
    const error = new URL(url, window.location.href).searchParams.get("error");
    if (response.ok && error === null) return { ok: true };
    return { ok: false, error: SIGN_IN_ERRORS.find((known) => known === error) ?? "unavailable" };
  } catch {
    return { ok: false, error: "unavailable" };
  }
}

/** Messages for refused sign-ins. An unknown address gets the same ones. */
export const SIGN_IN_ERROR_TEXTS: Record<Exclude<SignInError, "code_required">, string> = {
  wrong:
    "The e-mail address or the password is wrong. If you’ve just created the account, confirm the address first: the link is in your inbox.",
  locked:
    "Too many failed sign-ins: this account is locked for up to 30 minutes. Try again later, or choose a new password to unlock it now.",
  code_wrong: "That code is wrong, expired or already used. Enter the one your app shows now.",
  code_clock:
    "That code belongs to another time. Check your phone’s clock: set it automatically, then enter the code your app shows now.",
  codes_locked:
    "Too many wrong codes: codes are refused for up to 30 minutes. A new password doesn’t change that. Wait, then try again.",
  too_many: "Too many sign-ins. Wait a minute and try again.",
  unavailable: "We couldn’t be reached. Check your connection and try again.",
};
