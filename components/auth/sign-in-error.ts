import type { SignInError } from "@/lib/contract/proof";

/** Why a sign-in was refused, in words. An address that nobody has gets the same ones. */
export const SIGN_IN_ERROR_TEXTS: Record<Exclude<SignInError, "code_required">, string> = {
  wrong:
    "The e-mail address or the password is wrong. If you have just opened the account, confirm the address first: the link is in your mail.",
  locked:
    "Too many failed sign-ins: this account is locked for up to 30 minutes. Try again later, or choose a new password to unlock it now.",
  code_wrong: "That code is wrong, too old or was used already. Enter the one that your app shows now.",
  codes_locked:
    "Too many wrong codes: codes are refused for up to 30 minutes. A new password does not change that; wait, then try again.",
  too_many: "Too many sign-ins. Wait a minute and try again.",
  unavailable: "We could not be reached. Check your connection and try again.",
};
