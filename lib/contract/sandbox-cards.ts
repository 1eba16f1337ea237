import type { DisputeReason } from "./disputes/statuses";
import type { DeclineCode } from "./errors";
import type { AvsResult } from "./payments/words";
import type { CardBrand } from "./transactions/words";

/** Behavior of a sandbox card. Unlisted numbers are declined as `generic_decline`. */
export type SandboxBehavior =
  | "approve"
  | `decline:${DeclineCode}`
  | "challenge"
  /** Charges of the stored card by the merchant are declined; the rest is approved. */
  | `merchant_decline:${DeclineCode}`
  /** The first charges of the stored card by the merchant are approved, later ones are declined. */
  | "merchant_declines_later"
  | "avs_no_match"
  | "cvv_no_match"
  /** The cardholder's bank disputes each capture a second later, for this reason. */
  | `dispute:${DisputeReason}`
  | "capture_fails"
  | "refund_fails_later"
  | "lost_answer"
  | "refuse_once"
  | "garbage"
  | "slow";

export type SandboxCard = {
  /** The industry's public test number, which belongs to no real account. */
  number: string;
  brand: CardBrand;
  group: "approved" | "declined" | "verification" | "recurring" | "dispute" | "fault";
  behavior: SandboxBehavior;
  /** Description of the effect for the docs. */
  effect: string;
};

/** Charges by the merchant that `merchant_declines_later` approves. */
export const APPROVED_MERCHANT_CHARGES = 2;

/** Response time of the slow card. */
export const SLOW_RESPONSE_MS = 5_000;

const visa = (number: string, group: SandboxCard["group"], behavior: SandboxBehavior, effect: string): SandboxCard => ({
  number,
  brand: "visa",
  group,
  behavior,
  effect,
});

/**
 * Every test card: any future expiry, any security code (4 digits for American Express, 3 for all others).
 */
export const SANDBOX_CARDS: readonly SandboxCard[] = [
  visa("4242424242424242", "approved", "approve", "Approved."),
  visa("4111111111111111", "approved", "approve", "Approved."),
  { number: "5555555555554444", brand: "mastercard", group: "approved", behavior: "approve", effect: "Approved." },
  { number: "378282246310005", brand: "amex", group: "approved", behavior: "approve", effect: "Approved." },
  { number: "6011111111111117", brand: "discover", group: "approved", behavior: "approve", effect: "Approved." },

  visa("4000000000000002", "declined", "decline:generic_decline", "Declined: generic_decline."),
  visa("4000000000009995", "declined", "decline:insufficient_funds", "Declined: insufficient_funds."),
  visa("4000000000009987", "declined", "decline:lost_card", "Declined: lost_card."),
  visa("4000000000009979", "declined", "decline:stolen_card", "Declined: stolen_card."),
  visa("4000000000000069", "declined", "decline:expired_card", "Declined: expired_card."),
  visa("4000000000000127", "declined", "decline:incorrect_cvv", "Declined: incorrect_cvv, with CVV result N."),
  visa(
    "4000000000004954",
    "declined",
    "decline:fraud_suspected",
    "Declined: fraud_suspected, with a fraud score of 95.",
  ),

  visa("4000000000003220", "verification", "challenge", "3-D Secure: the shopper must pass a challenge first."),
  visa("4000000000003063", "verification", "decline:authentication_failed", "3-D Secure fails: authentication_failed."),
  visa("4000000000000044", "verification", "avs_no_match", "Approved, but the address does not match: AVS result N."),
  visa(
    "4000000000000101",
    "verification",
    "cvv_no_match",
    "Approved, but the security code does not match: CVV result N.",
  ),

  visa(
    "4000000000007106",
    "recurring",
    "merchant_decline:insufficient_funds",
    "Approved; each charge by the merchant is then declined: insufficient_funds.",
  ),
  visa(
    "4000000000007205",
    "recurring",
    "merchant_declines_later",
    "Approved; so are the first two charges by the merchant, and later ones are declined: insufficient_funds.",
  ),
  visa(
    "4000000000007304",
    "recurring",
    "merchant_decline:stolen_card",
    "Approved; each charge by the merchant is then declined: stolen_card.",
  ),
  visa(
    "4000000000007403",
    "recurring",
    "merchant_decline:authentication_failed",
    "Approved; each charge by the merchant is then declined: authentication_failed.",
  ),

  visa(
    "4000000000000259",
    "dispute",
    "dispute:FRAUDULENT",
    "Approved; the cardholder’s bank disputes each capture a second later: FRAUDULENT.",
  ),
  visa(
    "4000000000002685",
    "dispute",
    "dispute:NOT_RECEIVED",
    "Approved; the cardholder’s bank disputes each capture a second later: NOT_RECEIVED.",
  ),

  visa(
    "4000000000000341",
    "fault",
    "capture_fails",
    "Authorizes; every capture then fails and the payment stays AUTHORIZED.",
  ),
  visa(
    "4000000000005126",
    "fault",
    "refund_fails_later",
    "Approved; a refund is accepted and fails about 5 seconds later.",
  ),
  visa("4000000000001976", "fault", "lost_answer", "The processor charges the card, then its response is lost."),
  visa(
    "4000000000001984",
    "fault",
    "refuse_once",
    "The first attempt is refused before it is executed; the next one works.",
  ),
  visa("4000000000001968", "fault", "garbage", "The processor returns garbage and never executes the payment."),
  visa("4000000000001992", "fault", "slow", "Approved; the processor responds after 5 seconds."),
];

/** The sandbox's address verification: the first matching row. Nothing is looked up; it reads the request. */
export const SANDBOX_AVS: readonly { sent: string; result: AvsResult }[] = [
  { sent: "Any address, with card 4000 0000 0000 0044", result: "N" },
  { sent: "No address, or neither line1 nor postal_code", result: "U" },
  { sent: "A country other than US, CA or GB", result: "G" },
  { sent: "line1 and postal_code", result: "Y" },
  { sent: "postal_code alone", result: "Z" },
  { sent: "line1 alone", result: "A" },
];

/** Countries whose issuers verify addresses. */
export const AVS_COUNTRIES: ReadonlySet<string> = new Set(["US", "CA", "GB"]);

/** Input of the fraud rules. Counts are of earlier attempts in the last ten minutes, up to ten. */
export type FraudSignals = {
  card_attempts: number;
  email_attempts: number;
  address_attempts: number;
  avs_result: AvsResult;
  /** `P`: a stored card, charged without its security code. */
  cvv_result: "M" | "N" | "P";
  /** Minor units. */
  amount: number;
  /**
   * Average of the account's last 20 approved charges in the currency, in minor units; null if fewer than 5.
   */
  average_amount: number | null;
  known_fraud: boolean;
};

type FraudRule = {
  id: string;
  /** Only the strongest rule of a group counts. */
  group: string;
  points: number;
  /** Shown to merchants as the reason, and in the docs. */
  reason: string;
  applies(signals: FraudSignals): boolean;
};

/** Cap of all rules except `known_fraud`, so that traffic alone never declines a card. */
export const FRAUD_RULES_CAP = 85;
/** Scores from here on are declined with `fraud_suspected`. */
export const FRAUD_DECLINE_SCORE = 90;

/** Rules of the fraud score from 0 to 100: the points of matching rules are added up. */
export const FRAUD_RULES: readonly FraudRule[] = [
  {
    id: "known_fraud",
    group: "known_fraud",
    points: 95,
    reason: "The card is on the issuer's list of cards used for fraud",
    applies: (signals) => signals.known_fraud,
  },
  {
    id: "card_velocity_high",
    group: "card_velocity",
    points: 30,
    reason: "10 or more earlier attempts with this card within 10 minutes",
    applies: (signals) => signals.card_attempts >= 10,
  },
  {
    id: "card_velocity",
    group: "card_velocity",
    points: 15,
    reason: "5 or more earlier attempts with this card within 10 minutes",
    applies: (signals) => signals.card_attempts >= 5,
  },
  {
    id: "email_velocity_high",
    group: "email_velocity",
    points: 20,
    reason: "10 or more earlier attempts with this e-mail address within 10 minutes",
    applies: (signals) => signals.email_attempts >= 10,
  },
  {
    id: "email_velocity",
    group: "email_velocity",
    points: 10,
    reason: "5 or more earlier attempts with this e-mail address within 10 minutes",
    applies: (signals) => signals.email_attempts >= 5,
  },
  {
    id: "address_velocity_high",
    group: "address_velocity",
    points: 15,
    reason: "10 or more earlier attempts with this billing address within 10 minutes",
    applies: (signals) => signals.address_attempts >= 10,
  },
  {
    id: "address_velocity",
    group: "address_velocity",
    points: 10,
    reason: "5 or more earlier attempts with this billing address within 10 minutes",
    applies: (signals) => signals.address_attempts >= 5,
  },
  {
    id: "avs_mismatch",
    group: "avs",
    points: 20,
    reason: "The billing address does not match (AVS N)",
    applies: (signals) => signals.avs_result === "N",
  },
  {
    id: "cvv_mismatch",
    group: "cvv",
    points: 25,
    reason: "The security code does not match (CVV N)",
    applies: (signals) => signals.cvv_result === "N",
  },
  {
    id: "unusual_amount",
    group: "amount",
    points: 20,
    reason: "The amount is more than 5 times the average of the last 20 approved charges in this currency",
    applies: (signals) => signals.average_amount !== null && signals.amount > 5 * signals.average_amount,
  },
];
