import type { DeclineCode } from "@/lib/contract/errors";
import type { BillingAddress } from "@/lib/contract/fields";
import type { CardBrand } from "@/lib/contract/transactions/words";

/** The cardholder, as far as the shopper or merchant gave it. */
export type CardHolder = { readonly name: string | null; readonly address: BillingAddress | null };

export type TokenizedCard = {
  /** The processor's own token; opaque here. */
  token: string;
  /** Null for a network that is not in the contract. */
  brand: CardBrand | null;
  bin: string;
  last4: string;
  exp_month: number;
  exp_year: number;
  /** The same as in an outcome; omitted if it is known only after a charge or a check. */
  fingerprint?: string;
};

/**
 * A card behind the processor's own token. Fields that are not known yet are null and come with the outcome.
 */
export type AcceptedCard = { token: string } & KnownCard;

export type KnownCard = {
  brand: CardBrand | null;
  bin: string | null;
  last4: string | null;
  exp_month: number | null;
  exp_year: number | null;
};

/**
 * A stored card. `customer`: our permanent, opaque id of its owner, at most 64 characters, without
 * personal data. The processor charges a card for its own customer only.
 */
export type StoredCard = { readonly token: string; readonly customer: string };

export type StoreCardRequest = {
  /** A UUID of its own for each check. */
  reference: string;
  account: string;
  customer: string;
  /** From `tokenize` or `acceptToken`. */
  token: string;
  holder: CardHolder;
  /** Page on which the shopper passes a challenge, or to which they return from one. */
  challengePage: string;
  /** The same as for an authorization. */
  now?: Date;
};

/** `reference`: the check's. */
export type ContinueStoringRequest = Omit<StoreCardRequest, "token" | "holder"> & {
  /** From the outcome that required action. */
  pending: string;
  challenge: "passed" | "failed" | "abandoned";
  /** Query parameters with which the shopper returned from the processor's page. */
  returned?: Readonly<Record<string, string>>;
};

export type StoreCardOutcome =
  | { kind: "stored"; token: string; card?: KnownCard; fingerprint?: string }
  /** Nothing is stored. `refusal`: as in `Outcome`. */
  | { kind: "declined"; decline_code: DeclineCode | null; note?: string; refusal?: string }
  /** `pending` identifies the check in `Processor.continueStoring`. */
  | { kind: "action_required"; challenge: { url: string }; pending: string }
  /** Provably nothing is stored. */
  | { kind: "not_sent"; reason: string }
  /**
   * The same reference may be sent again. If it isn't, the processor may keep a card that is never charged.
   */
  | { kind: "unknown"; reason: string };

/**
 * A stored card was renewed by its network (`card` has its new data), or is gone. Can be late or repeated.
 */
export type StoredCardReport = {
  readonly id: string;
  /** Token of the stored card. */
  readonly storedCard: string;
} & ({ readonly change: "updated"; readonly card: KnownCard } | { readonly change: "removed" });

/** A payment has stored its card, which its response did not say. Can be late or repeated. */
export type LateCardReport = {
  readonly id: string;
  /** Token of the stored card. */
  readonly storedCard: string;
  readonly change: "stored";
  readonly account: string;
  /** Reference of the payment. */
  readonly reference: string;
};
