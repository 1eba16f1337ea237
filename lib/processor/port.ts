import type { DeclineCode } from "@/lib/contract/errors";
import type { BillingAddress } from "@/lib/contract/fields";
import type { CardInput } from "@/lib/contract/payments/payment";
import type { AvsResult, CvvResult } from "@/lib/contract/payments/words";
import type { CardBrand, RefundReason } from "@/lib/contract/transactions/words";

/**
 * Requirements of a card processor. Every call that moves money carries a `reference` (our operation id):
 * the processor acts at most once per reference. After `tokenize` nothing carries a card number or CVV.
 * `e2e/port-suite` tests every processor.
 */
export type Processor = {
  /** Tells it from every other: `sandbox`, or the id of a connection. The ids that it gives are kept under this name. */
  readonly name: string;
  readonly capabilities: Capabilities;
  /**
   * How long after the last call for a reference has ended "not found" is worth believing. It only decides when to look: what
   * was never executed may still be, until {@link Processor.close} confirms otherwise. At most two seconds: it is waited for
   * while the operation is held, and by then no other process may have it.
   */
  readonly notFoundConclusiveAfterMs: number;
  /**
   * Card data → a token that only this processor understands, for one account. Moves no money; safe to repeat. `holder`: what
   * the bank compares, where the processor takes it with the card and not with the payment.
   */
  tokenize(account: string, card: CardInput, holder?: CardHolder): Promise<TokenizedCard>;
  /**
   * A card as a token that the processor's own script made on the merchant's page; null when it made no such token. Moves no
   * money. Left out where `capabilities.ownTokens` is false.
   */
  acceptToken?(account: string, token: string): Promise<AcceptedCard | null>;
  /** Why it takes no such amount, in a sentence for the caller; null: it may. Left out where it takes every amount. */
  refusesAmount?(amount: number, currency: string): string | null;
  /** Throws when another of our processes could use a token and this one cannot: checked before the token is used up. */
  requireReadable(token: string): void;
  authorize(request: AuthorizeRequest): Promise<Outcome>;
  /**
   * The query parameter with which shoppers come back from its own page, and without which `continueAuthorization` finds out
   * nothing. Left out where it needs none.
   */
  readonly returnParameter?: string;
  /** Continues an authorization that answered `action_required`, once the shopper passed or failed the challenge. */
  continueAuthorization(request: ContinueRequest): Promise<Outcome>;
  capture(request: FollowUpRequest): Promise<Outcome>;
  void(request: VoidRequest): Promise<Outcome>;
  refund(request: FollowUpRequest): Promise<Outcome>;
  /** The status of a reference. Never moves money. */
  inquire(request: InquireRequest): Promise<Inquiry>;
  /**
   * Sees to it that an authorization which was not executed never will be, whatever call for it is still under way and
   * whatever clocks show: closes its reference, or cancels what a late call would confirm. Answers `never` then, and otherwise
   * its status. Never moves money. Nothing else proves that an authorization did not happen.
   */
  close(request: CloseRequest): Promise<Inquiry>;
  /** How reports on operations that were already accepted come: pulled, or pushed. */
  readonly reports: PulledReports | PushedReports;
  /** A dispute as it stands now; null for one that is not this account's. Left out where disputes do not exist. */
  readDispute?(id: string): Promise<Dispute | null>;
  /**
   * Refunds of a payment that nobody here asked for: in the processor's own dashboard, say. Left out where there can be none, or
   * where it does not tell. Moves nothing.
   */
  listOutsideRefunds?(request: OutsideRequest): Promise<OutsideRefund[]>;
  /** Its own list of payments and refunds, for reconciliation. Left out where it has none to ask for. */
  readonly statement?: (range: StatementRange) => AsyncIterable<StatementEntry>;
  /**
   * The same from files of its report of payments, which people download. Left out where `statement` is there, or no such report.
   * Throws UnreadableStatementError.
   */
  readonly readStatement?: (files: readonly StatementFile[]) => FiledStatement;
  /** Whether it takes our credentials, in words for whoever pasted them. Moves nothing. Left out where there are none. */
  checkConnection?(): Promise<ConnectionCheck>;
  /** Where people look at an object in the processor's own dashboard; null where it cannot be shown. */
  dashboardUrl?(object: ProcessorObject): string | null;
  /**
   * Removes what it keeps of cards for longer than it needs it; returns how many rows. A limited number in one turn, which takes
   * about as long as one call may; called during a turn it begins no other. Throws when some could not be removed.
   */
  forgetOldAttempts(): Promise<number>;
};

/** What not every processor can do. */
type Capabilities = {
  /** Less than was authorized can be captured. */
  readonly partialCapture: boolean;
  /** `tokenize` takes card numbers; else cards reach it only through its own fields in the shopper's browser. */
  readonly rawCards: boolean;
  /**
   * It names what it makes by ids of its own, which are kept (`keep`) and come with later calls: before money can move, or
   * `answered`, when it tells them only with what it did. Then it must find everything by our reference, too.
   */
  readonly ownIds: boolean | "answered";
  /** `acceptToken` takes tokens that its own script made. */
  readonly ownTokens: boolean;
};

export type PulledReports = {
  readonly kind: "pulled";
  /**
   * Reports that were not acknowledged: at most `limit`, of the accounts after `after` in the order of their ids, and of each
   * only some, the oldest first. So none waits for all of another's.
   */
  list(limit: number, after: string): Promise<PulledReport[]>;
  acknowledge(id: string): Promise<void>;
};

export type PushedReports = {
  readonly kind: "pushed";
  /**
   * What a message to our address reports. Throws UnreadableReportError when the processor cannot have sent it. Whoever cannot
   * ask the processor later keeps what it says before this resolves; only then is the message answered.
   */
  read(message: ReportMessage): Report[] | Promise<Report[]>;
  /**
   * `inquire` answers from what was kept of messages: the same message tells nothing new when it comes again, and holds up others
   * until it is accepted. Left out where the processor itself is asked.
   */
  readonly kept?: true;
  /** Whether the processor has sent what was read, rather than anybody. Left out where nothing else is read. */
  readonly proves?: (message: ReportMessage) => boolean;
  /**
   * What was reported after a place in its list of reports, for messages that never arrived; null = since an hour ago. Left out
   * where it keeps no such list. At most 100, oldest first; `place` is where to go on.
   */
  readonly catchUp?: (place: string | null) => Promise<{ reports: Report[]; place: string | null; more: boolean }>;
};

export type ReportMessage = { readonly headers: Headers; readonly body: string };

/** A message that is not the processor's, or is no report. */
export class UnreadableReportError extends Error {
  override readonly name = "UnreadableReportError";
  /** What the rest of it reports, which is taken in all the same. */
  readonly reports: readonly Report[];

  constructor(message: string, { reports = [], ...options }: ErrorOptions & { reports?: readonly Report[] } = {}) {
    super(message, options);
    this.reports = reports;
  }

  /** Next bundles this module once more: the connector's copy throws it, and a route's looks for it. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "UnreadableReportError";
  }
}

/**
 * Something has become of an operation since it was accepted: a refund came back, a capture went through. It may come late,
 * twice or out of order, so it only decides where to look; the status is checked. `outside`: of the payment something was refunded
 * that nobody here asked for, or such a refund has failed.
 */
export type Report = { readonly id: string } /**
 * `insists`, only of reports that are `kept`: it changes an end that others may have read before, so it has to come again until
 * nobody works on its operation.
 */ & (
  | { readonly account: string; readonly reference: string; readonly insists?: true; readonly outside?: true }
  /** Known by an id that was kept. `dispute`: the id of a dispute about it, which is read anew. */
  | { readonly object: string; readonly dispute?: string; readonly outside?: true }
);
export type PulledReport = Extract<Report, { account: string }>;

/** Who a card was made out to, as far as that was typed or sent beside it. */
export type CardHolder = { readonly name: string | null; readonly address: BillingAddress | null };

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

/** A card as an own token shows it: what the processor does not tell yet is null, and comes with the outcome. */
export type AcceptedCard = { token: string } & KnownCard;

export type KnownCard = {
  brand: CardBrand | null;
  bin: string | null;
  last4: string | null;
  exp_month: number | null;
  exp_year: number | null;
};

/** A cardholder's bank took money back, or asks about it. */
export type Dispute = {
  /** The processor's own id. */
  id: string;
  /** Minor units. */
  amount: number;
  currency: string;
  /** In the processor's word, such as `fraudulent`. */
  reason: string;
  status: "needs_response" | "under_review" | "won" | "lost" | "accepted";
  respond_before: Date | null;
  created_at: Date;
};

export type OutsideRefund = {
  /** The processor's own id. */
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** It came to nothing, perhaps after it was made. */
  readonly failed: boolean;
};

export type StatementRange = { readonly since: Date; readonly until: Date };

/** A payment or refund in the processor's own list. Amounts in minor units. */
export type StatementEntry = {
  /** The processor's own id, and our reference where it has one. */
  readonly object: ProcessorObject;
  readonly reference: string | null;
  readonly created_at: Date;
  readonly amount: number;
  readonly currency: string;
} & (
  | {
      readonly kind: "payment";
      readonly state: "pending" | "action_required" | "authorized" | "captured" | "voided" | "declined";
      readonly captured: number;
      readonly refunded: number;
      /** Of a payment that began before a file does: what the file has of it. `amount` is the largest of that. */
      readonly part?: PaymentPart;
    }
  | { readonly kind: "refund"; readonly payment: string; readonly state: "pending" | "succeeded" | "failed" }
);

export type PaymentPart = {
  /** By how much it changed what was captured; below zero where a capture failed. */
  readonly captured: number;
  /** What was paid out, or is about to be, of captures that may have been before. */
  readonly settled: number;
  /** The rest of the hold was given up. */
  readonly released: boolean;
};

export type StatementFile = { readonly name: string; readonly bytes: Uint8Array };

/** What files say of payments and refunds, and which time they are about. */
export type FiledStatement = {
  /** Oldest first. */
  readonly entries: readonly StatementEntry[];
  /** From the first thing in them to just after the last. */
  readonly from: Date;
  readonly until: Date;
  /** What was made in this time, and is not in them, does not exist at the processor. */
  readonly complete: boolean;
  /** What they have and nobody reads, in sentences. */
  readonly unchecked: readonly string[];
};

/** Files that are no report of this account, or not whole; the message says in which line, and what to do. */
export class UnreadableStatementError extends Error {
  override readonly name = "UnreadableStatementError";
}

export type ConnectionCheck =
  /**
   * `id`: the account's own, which never changes: what was paid there is found there alone. `account`: its name, for people.
   * Credentials that cannot tell whose they are do not work.
   */
  | { readonly kind: "works"; readonly id: string; readonly account: string; readonly live: boolean }
  /** `reason`: what is wrong and what to do, as a sentence for people. */
  | { readonly kind: "refused" | "unreachable"; readonly reason: string };

/** An id that the processor gave to what it made. */
export type ProcessorObject = { readonly kind: string; readonly id: string };

type Reference = {
  /** Our operation id, a UUID. */
  reference: string;
  /** The environment's id: the account this belongs to at the processor. */
  account: string;
  /** Where the shopper passes a challenge of the processor's own kind, or comes back to from one. */
  challengePage: string;
  /** What was kept of the payment so far, oldest first; empty for a processor without ids of its own. */
  objects: readonly ProcessorObject[];
};

type MoneyReference = Reference & {
  /** Past this time the request is worthless: a processor that can refuses it. */
  notAfter: Date;
  /**
   * Keeps an id of the processor's own: once it resolves the id is found again, whatever happens. It rejects when another
   * process has the operation by now, and then nothing may be executed.
   */
  keep(object: ProcessorObject): Promise<void>;
};

export type AuthorizeRequest = MoneyReference & {
  token: string;
  /** Minor units. */
  amount: number;
  currency: string;
  /** Capture at once. */
  capture: boolean;
  customerEmail: string | null;
  billingAddress: BillingAddress | null;
} & PaymentLabels;

/** The merchant's own words about a payment, for whoever looks at it in the processor's dashboard. They never change. */
type PaymentLabels = {
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
};

export type InquireRequest = Reference & {
  kind: "authorize" | "continue" | "capture" | "void" | "refund";
  /** Reference under which the charge was authorized. */
  authorization: string;
  /** Given while the operation is held: keeps an id that the processor told only after the call. */
  keep?: MoneyReference["keep"];
};

export type OutsideRequest = Pick<InquireRequest, "account" | "objects" | "authorization">;

type CloseRequest = Pick<InquireRequest, "keep"> &
  PaymentLabels &
  Reference & {
    /** Minor units. */
    amount: number;
    currency: string;
  };

export type ContinueRequest = MoneyReference & {
  /** Reference of the authorization that answered `action_required`. */
  authorization: string;
  challenge: "passed" | "failed" | "abandoned";
  /** The query with which the shopper came back from an address of the processor's own. */
  returned?: Readonly<Record<string, string>>;
};

export type FollowUpRequest = MoneyReference & {
  /** Reference under which the charge was authorized. */
  authorization: string;
  /** Minor units. For a void: the whole authorized amount. */
  amount: number;
  currency: string;
  /** The merchant's reason for a refund; null for none, and for all else. */
  reason: RefundReason | null;
};

export type VoidRequest = FollowUpRequest & {
  /**
   * The payment had ended here before it was approved: what was captured with it is given back, too, whatever its amount. What
   * somebody gave back by hand counts: `approved`, where the processor can know it.
   */
  readonly evenCaptured?: true;
};

export type Checks = {
  avs_result: AvsResult | null;
  cvv_result: CvvResult | null;
  /** 0–100. */
  fraud_score: number | null;
  /** Which rules made the score, in plain words. */
  fraud_reasons: string[];
};

/** What an outcome tells besides. */
type Told = {
  /** The processor's own codes and the network's, in one line for support staff. */
  note?: string;
  /** What was not known of the card before. */
  card?: KnownCard;
};

export type Outcome =
  /** `captured: false`: authorized, but its capture failed: that which was requested with it, or, days later, any. */
  | ({ kind: "approved"; checks?: Checks; captured?: false } & Told)
  /** `decline_code` for authorizations; a capture, void or refund that is refused has none. */
  | ({
      kind: "declined";
      decline_code: DeclineCode | null;
      checks?: Checks;
      /**
       * The processor refused the request itself, as one that is wrong whoever's card it is: no issuer saw it, and sent again it is
       * refused again. A sentence for the caller.
       */
      refusal?: string;
      /** An authorization that was approved with another amount than was asked for: never booked, and to be given back. */
      holds?: true;
    } & Told)
  /** 3-D Secure: the shopper must pass a challenge, at this address, before {@link Processor.continueAuthorization}. */
  | ({ kind: "action_required"; challenge: { url: string }; checks?: Checks } & Told)
  /** Accepted, but the processor itself does not know the outcome yet: check again. */
  | { kind: "pending" }
  /** Provably not executed: nothing was sent, or it was refused before it was looked at. Safe to send again. */
  | { kind: "not_sent"; reason: string }
  /** Anything else: time-outs, broken answers, garbage. It may or may not have happened. `final`: asking again changes nothing. */
  | { kind: "unknown"; reason: string; final?: true };

/** `never`: it was closed before anything was executed. */
export type Inquiry = Outcome | { kind: "not_found" } | { kind: "never" };
