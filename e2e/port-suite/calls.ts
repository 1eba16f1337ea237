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
  ProcessorObject,
} from "@/lib/processor/port";

/** A processor, and what a test must be able to see of it and bring about. */
export type ProcessorUnderTest = {
  readonly processor: Processor;
  readonly cards: Record<"approved" | "declined" | "challenged" | "refundComesBack", CardInput>;
  /** The amount its own books have for a charge, in minor units; null when it has moved nothing under that reference. */
  money(reference: string): Promise<Money | null>;
  /** Decides what it decides by itself, later. */
  decide(account: string): Promise<void>;
  /** The refunds that come back do so. */
  giveBack(account: string): Promise<void>;
  /** The shopper passes or fails a challenge at its address; does nothing where the page is ours, which passes it in the call. */
  answerChallenge(url: string, passed: boolean): Promise<void>;
  /** The query with which the shopper then comes back from it; left out where that says nothing. */
  returned?(url: string): Readonly<Record<string, string>>;
  /** What it has to report of an account, as the messages that it sends; empty for one that is polled. */
  messages(account: string): Promise<ReportMessage[]>;
  /** The message as the processor cannot have sent it, beside what no processor sends; any change of a byte if left out. */
  forged?(message: ReportMessage): ReportMessage[];
  /** How much it keeps of unused cards, and makes all of it older than it may become; null where it keeps none. */
  readonly unusedCards: { count(): Promise<number>; age(): Promise<void> } | null;
  /**
   * Whether a capture, void or refund is a record of its own before it is executed: its id is kept first, and a refusal stands
   * under its reference. Else an id comes with the answer, and is kept then.
   */
  readonly recordsFirst: boolean;
};

type ReportMessage = { headers: Headers; body: string };
type Money = { captured: number; refunded: number; voided: boolean };

/** A card that is good for long, by its number. */
export const testCard = (number: string): CardInput => ({ number, exp_month: 12, exp_year: 2099, cvv: "123" });

/** What a payment's calls keep, as our books do, and hand to the calls after them. */
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

const CHALLENGE_PAGE = "https://cardlane.example/challenge/of-this-payment";
export const AMOUNT = 10_000;
/** How often a call is sent at once where it must be done once. */
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
      ...{ token, amount: AMOUNT, currency: "USD", capture: false, customerEmail: null, billingAddress: null },
      ...{ description: null, metadata: {} },
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
  /** What a call answers when what it left for later has been decided. */
  async function inTheEnd(account: string, call: () => Promise<Outcome>): Promise<Outcome> {
    const first = await call();
    if (first.kind !== "pending") return first;
    await decide(account);
    return call();
  }
  const end = (kind: "capture" | "void" | "refund", request: FollowUpRequest) =>
    inTheEnd(request.account, () => processor[kind](request));
  /** Sends all at once, and again when what they left for later has been decided. */
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
