/** Merchants' users and support staff sign in separately, each with their own cookie. */
export type Audience = "merchant" | "staff";

/** Lifetime of a sign-in. Staff see every merchant, so theirs ends with the working day. */
export const SESSION_HOURS = { merchant: 14 * 24, staff: 12 } as const;

/** A session that is not used for this long has ended. */
export const SESSION_IDLE_HOURS = 12;

/** Validity of a re-authentication. */
export const REAUTHENTICATION_MINUTES = 10;

/** Means of re-authentication: a code of the second factor, or the password for users without one. */
export type ReauthenticationKind = "code" | "password";

/** Reasons for a refused sign-in, as shown on its page. `unavailable`: it couldn't be checked; try again. */
export const SIGN_IN_ERRORS = [
  "wrong",
  "locked",
  "code_required",
  "code_wrong",
  "code_clock",
  "codes_locked",
  "too_many",
  "unavailable",
] as const;
export type SignInError = (typeof SIGN_IN_ERRORS)[number];
