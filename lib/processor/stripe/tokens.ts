import { declineCodeOf } from "./outcomes";

/** Format of Stripe's card tokens. Anything else is not sent to Stripe. */
export const TOKEN = /^pm_[A-Za-z0-9_]{1,200}$/;
/** Prefix of the token for a card that Stripe refused during tokenization; its code follows. */
const REFUSED = "refused:";
export const refusedToken = (code: string) => `${REFUSED}${code}`;

const NOT_A_TOKEN =
  "Stripe has no such card: the token is none of Stripe's. Use a pm_… that was created for this account.";

/**
 * The decline of a card that Stripe refused during tokenization, or of a token that isn't Stripe's; null for
 * others.
 */
export function unusable(token: string) {
  if (token.startsWith(REFUSED)) {
    const code = token.slice(REFUSED.length);
    const note = `${code}, when the card was tokenized`;
    return { kind: "declined", decline_code: declineCodeOf(code, null), note } as const;
  }
  return TOKEN.test(token) ? null : ({ kind: "declined", decline_code: null, refusal: NOT_A_TOKEN } as const);
}
