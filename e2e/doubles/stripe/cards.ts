import { SANDBOX_CARDS, type SandboxBehavior } from "@/lib/contract/sandbox-cards";

/** A card's behavior: that of the sandbox card with the same number, or one that only this processor has. */
export type Behavior = SandboxBehavior | "refund_pending" | "processing" | "disputed";

/** Stripe test cards that have no equivalent in the sandbox, and one of our own that stays in processing. */
const MORE: readonly (readonly [string, Behavior])[] = [
  ["4000000000007726", "refund_pending"],
  ["4000000000000259", "disputed"],
  ["4000000000000119", "decline:processing_error"],
  ["4000000000006009", "processing"],
];

const BEHAVIORS: ReadonlyMap<string, Behavior> = new Map([
  ...SANDBOX_CARDS.map((card) => [card.number, card.behavior] as const),
  ...MORE,
]);

/** Tokens that exist in Stripe's test mode without a card being submitted. */
export const TEST_TOKENS: ReadonlyMap<string, string> = new Map([
  ["pm_card_visa", "4242424242424242"],
  ["pm_card_mastercard", "5555555555554444"],
  ["pm_card_amex", "378282246310005"],
  ["pm_card_chargeDeclined", "4000000000000002"],
  ["pm_card_chargeDeclinedInsufficientFunds", "4000000000009995"],
  ["pm_card_threeDSecure2Required", "4000000000003220"],
  ["pm_card_createDispute", "4000000000000259"],
  ["pm_card_refundFail", "4000000000005126"],
  ["pm_card_pendingRefund", "4000000000007726"],
]);

export const behaviorOf = (number: string): Behavior => BEHAVIORS.get(number) ?? "decline:generic_decline";

export type Decline = {
  readonly code: string;
  readonly decline_code: string;
  readonly network_decline_code: string;
  readonly message: string;
  /** Blocked by fraud rules before the issuer was contacted. */
  readonly blocked?: true;
};

const declines = {
  generic_decline: ["card_declined", "generic_decline", "05", "Your card was declined."],
  insufficient_funds: ["card_declined", "insufficient_funds", "51", "Your card has insufficient funds."],
  lost_card: ["card_declined", "lost_card", "41", "Your card was declined."],
  stolen_card: ["card_declined", "stolen_card", "43", "Your card was declined."],
  expired_card: ["expired_card", "expired_card", "54", "Your card has expired."],
  incorrect_cvv: ["incorrect_cvc", "incorrect_cvc", "N7", "Your card's security code is incorrect."],
  incorrect_number: ["incorrect_number", "incorrect_number", "14", "Your card number is incorrect."],
  authentication_failed: [
    "authentication_required",
    "authentication_required",
    "1A",
    "Your card was declined. This transaction requires authentication.",
  ],
  fraud_suspected: ["card_declined", "fraudulent", "59", "Your card was declined."],
  processing_error: ["processing_error", "processing_error", "96", "An error occurred while processing your card."],
} as const;

/** Null if a charge to the card isn't declined. */
export function declineOf(behavior: Behavior): Decline | null {
  if (!behavior.startsWith("decline:")) return null;
  const name = behavior.slice("decline:".length) as keyof typeof declines;
  const [code, decline_code, network_decline_code, message] = declines[name];
  return { code, decline_code, network_decline_code, message, ...(name === "fraud_suspected" && { blocked: true }) };
}
