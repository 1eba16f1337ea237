import { expect } from "vitest";
import type { CardInput } from "@/lib/contract/payments/payment";
import { newId } from "@/lib/ids";
import type {
  AuthorizeRequest,
  ContinueRequest,
  FollowUpRequest,
  InquireRequest,
  Outcome,
  Processor,
} from "@/lib/processor/port";
import type { ProcessorObject } from "@/lib/processor/records";

/** A processor, with the access and controls that the suite needs. */
export type ProcessorUnderTest = {
  readonly processor: Processor;
  readonly cards: Record<"approved" | "declined" | "challenged" | "refundComesBack", CardInput>;
  /**
   * Amounts in the processor's own books for a charge, in minor units; null if it moved nothing under that
   * reference.
   */
  money(reference: string): Promise<Money | null>;
  /** Makes the processor decide pending requests. */
  decide(account: string): Promise<void>;
  /** Reverses refunds to the `refundComesBack` card. */
  giveBack(account: string): Promise<void>;
  /**
   * The shopper passes or fails a challenge at its URL. Does nothing for our own challenge page, because
   * there the call contains the result.
   */
  answerChallenge(url: string, passed: boolean): Promise<void>;
  /** The query string with which the shopper then returns; omitted if it contains no result. */
  returned?(url: string): Readonly<Record<string, string>>;
  /** The messages that it sends about an account; empty for a processor that is polled. */
  messages(account: string): Promise<ReportMessage[]>;
  /** Forgeries of a message, besides empty ones. By default: a changed or added byte, and missing headers. */
  forged?(message: ReportMessage): ReportMessage[];
  /** Counts stored unused cards, and ages them past their expiry; null if the processor stores none. */
  readonly unusedCards: { count(): Promise<number>; age(): Promise<void> } | null;
  /**
   * True if a capture, void or refund is recorded before it is executed: its id is kept first, and a refusal
   * is stored under its reference. False if the id comes with the response and is kept then.
   */
  readonly recordsFirst: boolean;
};

type ReportMessage = { headers: Headers; body: string };
type Money = { captured: number; refunded: number; voided: boolean };

/** A card with this number and a distant expiry date. */
export const testCard = (number: string): CardInput => ({ number, exp_month: 12, exp_year: 2099, cvv: "123" });

/** Objects kept by a payment's calls and passed to later ones, as our books do. */
class Payment {
  readonly kept: ProcessorObject[] = [];
  constructor(readonly account = newId()) {}

  called(reference = newId()) {
    return {
      reference,
      account: this.account,
      challengePage: CHALLENGE_PAGE,
      objects: this.kept,
      notAfter: new Date(Date.now() + 60_000),
      keep: async (object: ProcessorObject) => {
        if (!this.kept.some(({ id }) => id === object.id)) this.kept.push(object);
      },
    };
  }
}

export const CHALLENGE_PAGE = "https://cardlane.example/challenge/of-this-payment";
export const AMOUNT = 10_000;
/** Number of concurrent duplicates of a call that must be executed once. */
export const DUPLICATES = 24;
export const refused = { kind: "declined", decline_code: null };
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
export const approvals = (outcomes: readonly { kind: string }[]) =>
  outcomes.filter(({ kind }) => kind === "approved").length;

export type Charge = AuthorizeRequest & { readonly payment: Payment };

/** Requests to a processor, and their final outcomes. */
export function callsTo({ processor, cards, decide }: ProcessorUnderTest) {
  async function authorization(
    card: keyof typeof cards = "approved",
    given: Partial<AuthorizeRequest> = {},
    payment = new Payment(given.account),
  ): Promise<Charge> {
    const { token } = await processor.tokenize(payment.account, cards[card]);
    return {
      ...payment.called(),
      token,
      amount: AMOUNT,
      currency: "USD",
      capture: false,
      customerEmail: null,
      billingAddress: null,
      description: null,
      metadata: {},
      ...given,
      payment,
    };
  }
  const followUp = (charge: Charge, amount: number, given: Partial<FollowUpRequest> = {}): FollowUpRequest => ({
    ...charge.payment.called(),
    authorization: charge.reference,
    amount,
    currency: charge.currency,
    reason: null,
    ...given,
  });
  const continuation = (charge: Charge, challenge: ContinueRequest["challenge"]): ContinueRequest => ({
    ...charge.payment.called(),
    authorization: charge.reference,
    challenge,
  });
  const inquiry = (charge: Charge, kind: InquireRequest["kind"], reference: string): InquireRequest => ({
    ...charge.payment.called(reference),
    kind,
    authorization: charge.reference,
  });
  /** A call's outcome after the processor has decided pending requests. */
  async function inTheEnd(account: string, call: () => Promise<Outcome>): Promise<Outcome> {
    const first = await call();
    if (first.kind !== "pending") return first;
    await decide(account);
    return call();
  }
  const end = (kind: "capture" | "void" | "refund", request: FollowUpRequest) =>
    inTheEnd(request.account, () => processor[kind](request));
  /** Sends all calls concurrently, and again after the processor has decided pending requests. */
  async function endsOf(calls: readonly { kind: "capture" | "void" | "refund"; request: FollowUpRequest }[]) {
    const send = () => Promise.all(calls.map(({ kind, request }) => processor[kind](request)));
    await send();
    for (const account of new Set(calls.map(({ request }) => request.account))) await decide(account);
    return send();
  }
  async function charged(capture: boolean, amount = AMOUNT): Promise<Charge> {
    const charge = await authorization("approved", { capture, amount });
    expect(await processor.authorize(charge)).toMatchObject({ kind: "approved" });
    return charge;
  }
  const close = ({ payment, reference, amount, currency }: Charge, account = payment.account) =>
    processor.close({ ...payment.called(reference), account, amount, currency, description: null, metadata: {} });
  return { authorization, followUp, continuation, inquiry, end, endsOf, charged, close };
}
