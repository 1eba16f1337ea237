import type { DeclineCode } from "@/lib/contract/errors";
import type { BillingAddress } from "@/lib/contract/fields";
import type { CardInput } from "@/lib/contract/payments/payment";
import type { AvsResult, CvvResult } from "@/lib/contract/payments/words";
import type { RefundReason } from "@/lib/contract/transactions/words";
import type {
  AcceptedCard,
  CardHolder,
  ContinueStoringRequest,
  KnownCard,
  LateCardReport,
  StoreCardOutcome,
  StoreCardRequest,
  StoredCard,
  StoredCardReport,
  TokenizedCard,
} from "./cards";
import type {
  Dispute,
  DisputeResponseOutcome,
  DisputeResponseRequest,
  FiledStatement,
  OutsideRefund,
  ProcessorObject,
  StatementEntry,
  StatementFile,
  StatementRange,
  Trace,
} from "./records";

/**
 * Requirements of a card processor. Every call that moves money carries a `reference` (our operation id):
 * the processor acts at most once per reference. After `tokenize` nothing carries a card number or CVV.
 * `e2e/port-suite` tests every processor.
 */
export type Processor = {
  /** Unique name: `sandbox`, or the id of a connection. The processor's own ids are stored under it. */
  readonly name: string;
  readonly capabilities: Capabilities;
  /**
   * Delay after the end of the last call for a reference before "not found" counts. It only decides when to
   * check: a call may still be executed until {@link Processor.close} confirms otherwise. At most two
   * seconds, because the operation's lease is held in the meantime.
   */
  readonly notFoundConclusiveAfterMs: number;
  /**
   * Card data → a token that only this processor understands, for one account. Moves no money; safe to
   * repeat. `holder` is for processors that take the address to verify with the card and not with the
   * payment.
   */
  tokenize(account: string, card: CardInput, holder?: CardHolder): Promise<TokenizedCard>;
  /**
   * Looks up a token that the processor's own script made on the merchant's page; null for an unknown token.
   * Moves no money. Omitted if `capabilities.ownTokens` is false.
   */
  acceptToken?(account: string, token: string): Promise<AcceptedCard | null>;
  /**
   * The reason why an amount is refused, as a sentence for the caller; null if it may be accepted. Omitted if
   * all amounts are.
   */
  refusesAmount?(amount: number, currency: string): string | null;
  /** Throws if this process cannot read a token that others could. Called before the token is used up. */
  requireReadable(token: string): void;
  authorize(request: AuthorizeRequest): Promise<Outcome>;
  /**
   * Query parameter with which shoppers return from the processor's page, if `continueAuthorization` needs
   * one.
   */
  readonly returnParameter?: string;
  /** Continues an authorization that required action, once the shopper passed or failed the challenge. */
  continueAuthorization(request: ContinueRequest): Promise<Outcome>;
  /**
   * Checks a card with its issuer for a zero amount, and stores it for later payments of one customer. Moves
   * no money; a repeated reference stores the card once. Omitted, like the next two, if
   * `capabilities.storedCards` is false.
   */
  storeCard?(request: StoreCardRequest): Promise<StoreCardOutcome>;
  /**
   * Continues a check that required action, once the shopper passed or failed the challenge. Safe to repeat.
   */
  continueStoring?(request: ContinueStoringRequest): Promise<StoreCardOutcome>;
  /** Removes a stored card, so that it can never be charged again. Succeeds if it is already gone. */
  removeCard?(account: string, card: StoredCard): Promise<void>;
  capture(request: FollowUpRequest): Promise<Outcome>;
  void(request: VoidRequest): Promise<Outcome>;
  refund(request: FollowUpRequest): Promise<Outcome>;
  /** The status of a reference. Never moves money. */
  inquire(request: InquireRequest): Promise<Inquiry>;
  /**
   * Prevents an authorization that was not executed from being executed later, whatever calls are in progress
   * and whatever clocks show: closes its reference, or cancels what a late call would confirm. Returns
   * `never` then, and otherwise its status. Never moves money. Nothing else proves that an authorization did
   * not happen.
   */
  close(request: CloseRequest): Promise<Inquiry>;
  /** Reports on operations that were accepted earlier: pulled, or pushed. */
  readonly reports: PulledReports | PushedReports;
  /**
   * The current state of a dispute; null if it is another account's. Omitted if the processor has no
   * disputes.
   */
  readDispute?(id: string): Promise<Dispute | null>;
  /**
   * Submits evidence to the cardholder's bank, or gives the amount up. Safe to repeat: a reference takes
   * effect at most once. Omitted if the processor takes responses only on its own pages.
   */
  respondToDispute?(request: DisputeResponseRequest): Promise<DisputeResponseOutcome>;
  /**
   * Refunds of a payment that were made elsewhere, for example in the processor's own dashboard. Omitted if
   * there can be none, or if the processor doesn't list them. Moves no money.
   */
  listOutsideRefunds?(request: OutsideRequest): Promise<OutsideRefund[]>;
  /** The processor's own list of payments and refunds, for reconciliation. Omitted if it has none. */
  readonly statement?: (range: StatementRange) => AsyncIterable<StatementEntry>;
  /**
   * The same from downloaded files of its payments report. Omitted if it has `statement`, or no such report.
   * Throws UnreadableStatementError.
   */
  readonly readStatement?: (files: readonly StatementFile[]) => FiledStatement;
  /**
   * Tests the credentials, with a text for the person who entered them. Moves no money. Omitted if it needs
   * no credentials.
   */
  checkConnection?(): Promise<ConnectionCheck>;
  /** Address of an object in the processor's own dashboard; null if it has no page. */
  dashboardUrl?(object: ProcessorObject): string | null;
  /**
   * Deletes card data that is no longer needed; returns the number of rows. One run is limited in number and
   * takes about as long as a call may; runs don't overlap. Throws if some could not be deleted.
   */
  forgetOldAttempts(): Promise<number>;
};

/** Features that vary between processors. */
type Capabilities = {
  /** A capture can be smaller than the authorization. */
  readonly partialCapture: boolean;
  /**
   * `tokenize` takes card numbers. Otherwise cards reach the processor only through its own fields in the
   * shopper's browser.
   */
  readonly rawCards: boolean;
  /**
   * The processor assigns ids of its own, which are stored (`keep`) and passed to later calls. `true`: before
   * money can move. `answered`: only in the response, so it must find everything by our reference as well.
   */
  readonly ownIds: boolean | "answered";
  /** `acceptToken` takes tokens made by the processor's own script. */
  readonly ownTokens: boolean;
  /** It stores cards and charges stored ones: `storeCard`, and `store` and `stored` of an authorization. */
  readonly storedCards: boolean;
};

export type PulledReports = {
  readonly kind: "pulled";
  /**
   * Unacknowledged reports: at most `limit`, for accounts with an id after `after`, in id order, and only the
   * oldest few for each account, so that no account delays another.
   */
  list(limit: number, after: string): Promise<PulledReport[]>;
  acknowledge(id: string): Promise<void>;
  /** Omitted by all but the simulated processor. */
  readonly simulation?: {
    /**
     * Does what is due by the account's time, which may be ahead of real time, and returns its reports that are
     * not acknowledged. Empty once nothing is left.
     */
    act(account: string, now: Date): Promise<PulledReport[]>;
    /** The next instant of the account's time, later than `after`, at which something is due; null if none. */
    nextAct(account: string, after: string): Promise<string | null>;
  };
};

export type PushedReports = {
  readonly kind: "pushed";
  /**
   * Parses a message sent to our address. Throws UnreadableReportError if the processor cannot have sent it.
   * A processor whose status can't be checked later stores the content before this resolves; the message is
   * acknowledged only then.
   */
  read(message: ReportMessage): Report[] | Promise<Report[]>;
  /**
   * `inquire` reads stored messages instead of calling the processor. A repeated message adds nothing, and
   * blocks later ones until it is acknowledged.
   */
  readonly kept?: true;
  /** True if the message is provably the processor's. Omitted if `read` accepts no others. */
  readonly isAuthentic?: (message: ReportMessage) => boolean;
  /**
   * Reports after a position in the processor's own list, to find messages that never arrived; null starts an
   * hour ago. Omitted if it keeps no such list. At most 100, oldest first; `cursor` is the next position.
   */
  readonly catchUp?: (cursor: string | null) => Promise<{ reports: Report[]; cursor: string | null; more: boolean }>;
};

export type ReportMessage = { readonly headers: Headers; readonly body: string };

/** The message is not from the processor, or is not a report. */
export class UnreadableReportError extends Error {
  override readonly name = "UnreadableReportError";
  /** Reports from the readable rest of the message, which are processed all the same. */
  readonly reports: readonly Report[];

  constructor(message: string, { reports = [], ...options }: ErrorOptions & { reports?: readonly Report[] } = {}) {
    super(message, options);
    this.reports = reports;
  }

  /** Next bundles a second copy of this module: the connector's copy throws, and a route's copy catches. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "UnreadableReportError";
  }
}

export type Report = OperationReport | StoredCardReport | LateCardReport;

/**
 * A change to an operation after it was accepted, such as a returned refund or a completed capture. Reports
 * can be late, repeated or out of order, so they only trigger a status check. `outside`: a refund of the
 * payment was made elsewhere, or such a refund has failed. `dispute`: the processor's id of the payment's dispute,
 * which is then read again.
 */
export type OperationReport = { readonly id: string } /**
 * `insists`, only for `kept` reports: it changes a final state that may have been read already, so it is
 * redelivered until its operation has no lease.
 */ & (
  | {
      readonly account: string;
      readonly reference: string;
      readonly insists?: true;
      readonly outside?: true;
      readonly dispute?: string;
    }
  /** Identified by a stored id. */
  | { readonly object: string; readonly dispute?: string; readonly outside?: true }
);
export type PulledReport = Extract<OperationReport, { account: string }>;

export type ConnectionCheck =
  /**
   * `id`: the account's permanent id at the processor; its payments can only be found there. `account`: its
   * display name. Credentials that don't reveal their account are not accepted.
   */
  | { readonly kind: "works"; readonly id: string; readonly account: string; readonly live: boolean }
  /** `reason`: the fault and its remedy, as a sentence for people. */
  | { readonly kind: "refused" | "unreachable"; readonly reason: string };

type Reference = {
  /** Our operation id, a UUID. */
  reference: string;
  /** The environment's id, which is the account at the processor. */
  account: string;
  /** Page on which the shopper passes a challenge, or to which they return from one. */
  challengePage: string;
  /** The environment's time, by which a simulated processor acts; omitted if it is real time. */
  now?: Date;
  /** Stored objects of the payment, oldest first; empty for a processor without its own ids. */
  objects: readonly ProcessorObject[];
};

type MoneyReference = Reference & {
  /** Expiry of the request. Processors that support it refuse the request afterwards. */
  notAfter: Date;
  /**
   * Stores an id of the processor's own; durable once it resolves. Rejects if another process has taken over
   * the operation, and then nothing may be executed.
   */
  keep(object: ProcessorObject): Promise<void>;
};

export type AuthorizeRequest = MoneyReference & {
  token: string;
  /** Minor units. */
  amount: number;
  currency: string;
  /** Captures together with the authorization. */
  capture: boolean;
  customerEmail: string | null;
  billingAddress: BillingAddress | null;
  /**
   * The token is that of a stored card. `initiator`: the customer is present, or the merchant charges by
   * agreement.
   */
  stored?: { readonly customer: string; readonly initiator: "customer" | "merchant" };
  /**
   * Stores the card for later payments of this customer once the payment is approved; the outcome has
   * `storedToken`.
   */
  store?: { readonly customer: string };
} & PaymentLabels;

/**
 * The merchant's labels, for people who look at the payment in the processor's dashboard. They never change.
 */
type PaymentLabels = {
  readonly trace?: Trace;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
};

export type InquireRequest = Reference & {
  kind: "authorize" | "continue" | "capture" | "void" | "refund";
  /** Reference under which the charge was authorized. */
  authorization: string;
  /** Present while the operation is leased: stores an id that the processor revealed only after the call. */
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
  /** Reference of the authorization that required action. */
  authorization: string;
  challenge: "passed" | "failed" | "abandoned";
  /** Query parameters with which the shopper returned from the processor's page. */
  returned?: Readonly<Record<string, string>>;
};

export type FollowUpRequest = MoneyReference & {
  /** Reference under which the charge was authorized. */
  authorization: string;
  /** Minor units. For a void: the whole authorized amount. */
  amount: number;
  currency: string;
  /** The merchant's reason for a refund; null if none, and for other operations. */
  reason: RefundReason | null;
  /** Set for a processor with a list of its own, which stores it. It never changes. */
  trace?: Trace;
};

export type VoidRequest = FollowUpRequest & {
  /**
   * The payment had already ended here when it was approved, so its captured amount is refunded as well,
   * whatever it is. A manual refund counts as `approved`, if the processor reports it.
   */
  readonly evenCaptured?: true;
};

export type Checks = {
  avs_result: AvsResult | null;
  cvv_result: CvvResult | null;
  /** 0–100. */
  fraud_score: number | null;
  /** The rules behind the score, in plain words. */
  fraud_reasons: string[];
};

/** Additional data of an outcome. */
type OutcomeDetails = {
  /** The processor's own codes and the network's, in one line for support staff. */
  note?: string;
  /** Card data that was not known before. */
  card?: KnownCard;
  /** Token of the card stored by an approved authorization with `store`. */
  storedToken?: string;
  /** The processor's own id of the card number, equal for equal numbers; omitted if it has none. */
  fingerprint?: string;
};

export type Outcome =
  /** `captured: false`: authorized, but its capture failed, immediately or days later. */
  | ({ kind: "approved"; checks?: Checks; captured?: false } & OutcomeDetails)
  /** Only authorizations have a `decline_code`; refused captures, voids and refunds have none. */
  | ({
      kind: "declined";
      decline_code: DeclineCode | null;
      checks?: Checks;
      /**
       * The processor refused the request itself, whatever the card: no issuer saw it, and a retry would be
       * refused as well. A sentence for the caller.
       */
      refusal?: string;
      /** Approved with an amount that differs from the request: never booked, and to be voided. */
      holds?: true;
    } & OutcomeDetails)
  /**
   * 3-D Secure: the shopper must pass a challenge at this address before {@link
   * Processor.continueAuthorization}.
   */
  | ({ kind: "action_required"; challenge: { url: string }; checks?: Checks } & OutcomeDetails)
  /** Accepted, but the processor does not know the outcome yet: check again later. */
  | { kind: "pending" }
  /** Provably not executed: nothing was sent, or it was refused unread. Safe to retry. */
  | { kind: "not_sent"; reason: string }
  /**
   * Anything else: timeouts, malformed responses. It may or may not have happened. `final`: checking again is
   * pointless.
   */
  | { kind: "unknown"; reason: string; final?: true };

/** `never`: closed before anything was executed. */
export type Inquiry = Outcome | { kind: "not_found" } | { kind: "never" };
