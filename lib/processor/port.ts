import type { DeclineCode } from "@/lib/contract/errors";
import type { BillingAddress } from "@/lib/contract/fields";
import type { CardInput } from "@/lib/contract/payment";
import type { CardBrand } from "@/lib/contract/transaction-words";
import type { AvsResult, CvvResult } from "@/lib/contract/verification-words";

/**
 * What Cardlane asks of a card processor. Every call that moves money carries a `reference` (our operation id): the
 * processor does at most one thing per reference, however often it is asked. After `tokenize` nothing carries a card
 * number or CVV.
 */
export type Processor = {
  readonly name: string;
  /**
   * How long after the last call for a reference has ended "not found" proves that it never happened and never will
   * (every call also carries `notAfter`, past which the processor must refuse it).
   */
  readonly notFoundConclusiveAfterMs: number;
  /** Card data → a token that only this processor understands, for one account. Moves no money; safe to repeat. */
  tokenize(account: string, card: CardInput): Promise<TokenizedCard>;
  /** Throws when another process of ours could use a token and this one cannot: asked before the token is used up. */
  requireReadable(token: string): void;
  authorize(request: AuthorizeRequest): Promise<Outcome>;
  /** Goes on with an authorization that answered `action_required`, once the shopper passed or failed the challenge. */
  continueAuthorization(request: ContinueRequest): Promise<Outcome>;
  capture(request: FollowUpRequest): Promise<Outcome>;
  void(request: FollowUpRequest): Promise<Outcome>;
  refund(request: FollowUpRequest): Promise<Outcome>;
  /** What became of a reference. Never moves money. */
  inquire(reference: string): Promise<Inquiry>;
  /**
   * Sees to it that an authorization which was not executed never will be, whatever call for it is still under way and
   * whatever clocks say; answers `never` then, and otherwise what became of it. Never moves money.
   */
  close(request: CloseRequest): Promise<Inquiry>;
  /**
   * News about operations that were already accepted, which comes again until acknowledged: at most `limit` reports, of the
   * accounts after `after` in the order of their ids, and of each only some, the oldest first. So none waits for all of another's.
   */
  listReports(limit: number, after: string): Promise<Report[]>;
  acknowledgeReport(id: string): Promise<void>;
  /** Removes what it keeps of cards for longer than it needs it; answers how many rows. */
  forgetOldAttempts(): Promise<number>;
};

export type TokenizedCard = {
  /** The processor's own token; opaque here. */
  token: string;
  /** Null for a network that the contract does not name. */
  brand: CardBrand | null;
  bin: string;
  last4: string;
  exp_month: number;
  exp_year: number;
};

type Reference = {
  /** Our operation id, a UUID. */
  reference: string;
  /** The environment's id: the account this belongs to at the processor. */
  account: string;
  /** The processor must not execute the request after this time. */
  notAfter: Date;
};

export type AuthorizeRequest = Reference & {
  token: string;
  /** Minor units. */
  amount: number;
  currency: string;
  /** Capture at once. */
  capture: boolean;
  customerEmail: string | null;
  billingAddress: BillingAddress | null;
};

export type CloseRequest = Omit<Reference, "notAfter"> & {
  /** Minor units. */
  amount: number;
  currency: string;
};

export type ContinueRequest = Reference & {
  /** Reference of the authorization that answered `action_required`. */
  authorization: string;
  challenge: "passed" | "failed" | "abandoned";
};

export type FollowUpRequest = Reference & {
  /** Reference under which the charge was authorized. */
  authorization: string;
  /** Minor units. For a void: the whole authorized amount. */
  amount: number;
  currency: string;
};

export type Checks = {
  avs_result: AvsResult | null;
  cvv_result: CvvResult | null;
  /** 0–100. */
  fraud_score: number | null;
  /** Which rules made the score, in plain words. */
  fraud_reasons: string[];
};

export type Outcome =
  /** `captured: false`: authorized, but the capture that was asked for at once failed. */
  | { kind: "approved"; checks?: Checks; captured?: false }
  /** `decline_code` for authorizations; a capture, void or refund that is refused has none. */
  | { kind: "declined"; decline_code: DeclineCode | null; checks?: Checks }
  /** 3-D Secure: the shopper must pass a challenge before {@link Processor.continueAuthorization}. */
  | { kind: "action_required"; checks?: Checks }
  /** Accepted, but the processor itself does not know the end yet: ask again. */
  | { kind: "pending" }
  /** Provably not executed: nothing was sent, or it was refused before it was looked at. Safe to send again. */
  | { kind: "not_sent"; reason: string }
  /** Anything else: time-outs, broken answers, garbage. It may or may not have happened. */
  | { kind: "unknown"; reason: string };

/** `never`: it was closed before anything was executed. */
export type Inquiry = Outcome | { kind: "not_found" } | { kind: "never" };

/** A refund that was accepted and has failed since: the money came back. */
export type Report = { id: string; kind: "refund_failed"; reference: string; account: string };
