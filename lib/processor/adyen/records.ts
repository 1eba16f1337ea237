import type { Journal } from "../journal";
import type { InquireRequest, Outcome, Report } from "../port";
import type { OutsideRefund } from "../records";
import { type AdyenAmount, fromAdyenAmount } from "./amounts";
import { DISPUTE_EVENTS, EVENTS, type Notice } from "./notices";
import { declineCodeOfReason, outcomeOfResponse, type PaymentResponse } from "./outcomes";

type Kind = InquireRequest["kind"];

/** First use of a reference. Stored before anything is sent, so that a second caller sees it. */
export type FirstUse = {
  readonly account: string;
  /** `close`: nothing was or will be sent with it. */
  readonly by: "call" | "close";
  readonly kind: Kind;
  readonly authorization: string;
  readonly amount: AdyenAmount | null;
  readonly captures: boolean;
  /** The card is stored for a customer if it is approved. */
  readonly store?: Storing;
};

/**
 * `subject`: journal subject of a card that is at Adyen already. `check`: the whole purpose, for a zero
 * amount.
 */
export type Storing = { readonly customer: string; readonly subject: string | null; readonly check?: true };

type ChallengeEnd = { readonly end: "returned"; readonly redirectResult: string } | { readonly end: "abandoned" };
type Refused = { readonly outcome: Outcome };

/** Everything known about a reference. */
export type Recorded = {
  readonly firstUse: FirstUse;
  /** The key of a call that may be in progress is being used up. */
  readonly closing: boolean;
  readonly closed: boolean;
  readonly pspReference: string | null;
  readonly answer: PaymentResponse | null;
  readonly continued: PaymentResponse | null;
  readonly challenge: ChallengeEnd | null;
  /** Adyen has accepted a capture, cancel or refund. */
  readonly received: boolean;
  readonly refused: Refused | null;
  /** Adyen's id of the card that the payment stored. */
  readonly storedId: string | null;
  readonly notices: readonly Notice[];
  /** Webhooks about changes made elsewhere, for example in Adyen's Customer Area. */
  readonly elsewhere: readonly Notice[];
};

const subjectOf = (pspReference: string) => `psp:${pspReference}`;
const STORED = "stored card";
const NOTICE = "notice ";
const DISPUTE = "dispute ";
const ELSEWHERE = "elsewhere ";
const isUuid = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** The journal of one connection, in Adyen's terms: its references are ours, and `psp:…` for Adyen's own. */
export class Records {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  begin(reference: string, firstUse: FirstUse): Promise<FirstUse> {
    return this.#journal.note(reference, "begun", firstUse);
  }

  async find(reference: string): Promise<Recorded | null> {
    const facts = await this.#journal.of(reference);
    if (!facts.begun) return null;
    const said = (facts.continued ?? facts.answer) as PaymentResponse | undefined;
    // The process may have died between storing the response and its reference.
    const finalReference = said && isFinal(said) ? said.pspReference : undefined;
    const pspReference = ((facts.approved ?? facts.psp) as string | undefined) ?? finalReference ?? null;
    const ofPsp = await this.#factsOf(
      new Set([pspReference, (facts.psp as string | undefined) ?? finalReference ?? null]),
    );
    const stored = storedIdIn(said);
    return {
      firstUse: facts.begun as FirstUse,
      closing: "closing" in facts,
      closed: "closed" in facts,
      pspReference,
      answer: (facts.answer as PaymentResponse | undefined) ?? null,
      continued: (facts.continued as PaymentResponse | undefined) ?? null,
      challenge: (facts.challenge as ChallengeEnd | undefined) ?? null,
      received: "received" in facts,
      refused: (facts.refused as Refused | undefined) ?? null,
      storedId: stored ?? (ofPsp.find(([name]) => name === STORED)?.[1] as string | undefined) ?? null,
      notices: named(NOTICE, ofPsp),
      elsewhere: named(ELSEWHERE, ofPsp),
    };
  }

  /** An approval may have a different PSP reference than an earlier decline; webhooks for both count. */
  async #factsOf(pspReferences: ReadonlySet<string | null>): Promise<[string, unknown][]> {
    const facts: [string, unknown][] = [];
    for (const one of pspReferences) if (one) facts.push(...Object.entries(await this.#journal.of(subjectOf(one))));
    return facts;
  }

  /** The account's own record of a reference. */
  async findOwn(account: string, reference: string): Promise<Recorded | null> {
    const recorded = await this.find(reference);
    return recorded?.firstUse.account === account ? recorded : null;
  }

  async recordResponse(reference: string, fact: "answer" | "continued", answer: PaymentResponse): Promise<void> {
    await this.#journal.note(reference, fact, answer);
    if (answer.pspReference) await this.#link(reference, answer.pspReference, isFinal(answer));
  }

  async received(reference: string, pspReference: string): Promise<void> {
    await this.#journal.note(reference, "received", true);
    await this.#link(reference, pspReference, true);
  }

  /**
   * Stores the end of a call that Adyen didn't accept: refused, or nothing left to do. The first entry is
   * final.
   */
  async ended(reference: string, outcome: Outcome): Promise<Outcome> {
    return (await this.#journal.note(reference, "refused", { outcome })).outcome;
  }

  /**
   * Stores the id of the card that a payment stored. Responses contain it only if the account's settings say
   * so.
   */
  async storedCard(pspReference: string, id: string): Promise<void> {
    await this.#journal.note(subjectOf(pspReference), STORED, id);
  }

  /** The payment that stored a card without its response containing the id; null for any other request. */
  async paymentWithoutId(pspReference: string): Promise<{ account: string; reference: string } | null> {
    const reference = await this.#linked(pspReference);
    const recorded = reference ? await this.find(reference) : null;
    const { account, store } = recorded?.firstUse ?? {};
    if (!reference || !account || !store || store.check) return null;
    return storedIdIn(recorded?.continued ?? recorded?.answer) ? null : { account, reference };
  }

  async closing(reference: string): Promise<void> {
    await this.#journal.note(reference, "closing", true);
  }

  async closed(reference: string): Promise<void> {
    await this.#journal.note(reference, "closed", true);
  }

  /** Stores the end of a challenge. The first entry is final. */
  endChallenge(reference: string, end: ChallengeEnd): Promise<ChallengeEnd> {
    return this.#journal.note(reference, "challenge", end);
  }

  async notices(pspReference: string): Promise<Notice[]> {
    return named(NOTICE, Object.entries(await this.#journal.of(subjectOf(pspReference))));
  }

  /** Stores a webhook item and returns its report; null if it isn't about our payments. */
  async take(notice: Notice): Promise<Report | null> {
    const { event, success, pspReference, original } = notice;
    const name = `${NOTICE}${event} ${success}`;
    await this.#journal.note(subjectOf(pspReference), name, notice);
    const id = `${pspReference} ${event} ${success}`;
    if (DISPUTE_EVENTS.has(event)) {
      const about = await this.#disputed(notice, name);
      return about && { id, ...about };
    }
    const reference = await this.#referenceOf(notice, name);
    // An earlier decline, perhaps with another PSP reference, is superseded.
    if (reference && event === "AUTHORISATION" && success)
      await this.#journal.note(reference, "approved", pspReference);
    const recorded = reference && (await this.find(reference));
    if (recorded) {
      if (recorded.firstUse.store?.check) return null;
      const insists = overturns(recorded, notice);
      return { id, account: recorded.firstUse.account, reference, ...(insists && { insists }) };
    }
    const payment = original && (await this.#linked(original));
    if (!original || !payment) return null;
    // Captured with the authorization, as requested.
    const charge = await this.find(payment);
    if (event === "CAPTURE" && success && charge?.firstUse.captures) return null;
    await this.#journal.note(subjectOf(original), `${ELSEWHERE}${id}`, notice);
    const wasMade = charge?.elsewhere.some((one) => one.event === "REFUND" && one.pspReference === pspReference);
    if (charge && ((event === "REFUND" && success) || (REFUND_FAILURES.includes(event) && wasMade)))
      return { id: `${id} of ${original}`, account: charge.firstUse.account, reference: payment, outside: true };
    // Our payment was changed elsewhere. There is nothing to look up, so people are notified.
    return { id: `${id} of ${original}`, object: pspReference };
  }

  /**
   * The dispute of a message, and its payment; null if it isn't ours. Depending on the webhook's settings,
   * some messages about the end name only the dispute, or only the payment.
   */
  async #disputed(notice: Notice, name: string): Promise<{ object: string; dispute: string } | null> {
    const { pspReference, original } = notice;
    if (original) {
      await this.#journal.note(subjectOf(original), `${DISPUTE}${pspReference}`, pspReference);
      return { object: original, dispute: pspReference };
    }
    const before = (await this.notices(pspReference)).find((notice) => notice.dispute && notice.original);
    if (before?.original) return { object: before.original, dispute: pspReference };
    if (!(await this.#linked(pspReference))) return null;
    const facts = Object.keys(await this.#journal.of(subjectOf(pspReference)));
    const [dispute, ...others] = facts.flatMap((fact) => (fact.startsWith(DISPUTE) ? fact.slice(DISPUTE.length) : []));
    // Ambiguous among several disputes, so it is recorded by itself instead of closing an open one.
    if (!dispute || others.length > 0) return { object: pspReference, dispute: pspReference };
    await this.#journal.note(subjectOf(dispute), name, notice);
    return { object: pspReference, dispute };
  }

  async #referenceOf(notice: Notice, name: string): Promise<string | null> {
    const { event, pspReference, original, reference } = notice;
    const kind = EVENTS.get(event);
    if (!kind) return null;
    const named = await this.#linked(pspReference);
    if (named) {
      // The response after a challenge may have been lost, or the process died halfway through storing it.
      if (event !== "AUTHORISATION" || notice.success) await this.#link(named, pspReference, true);
      return named;
    }
    if (isUuid(reference) && (await this.find(reference))?.firstUse.kind === kind) {
      await this.#link(reference, pspReference, true);
      return reference;
    }
    // A capture with the authorization has no reference of its own, so the failed capture is the payment's.
    const payment = event === "CAPTURE_FAILED" && original ? await this.#linked(original) : null;
    if (payment && original) {
      await this.#journal.note(subjectOf(original), name, notice);
      // One of several manual captures may fail while another succeeds.
      await this.#journal.note(subjectOf(original), `${ELSEWHERE}${pspReference} ${name}`, notice);
    }
    return payment;
  }

  async #linked(pspReference: string): Promise<string | null> {
    const facts = await this.#journal.of(subjectOf(pspReference));
    return (facts.operation as string | undefined) ?? null;
  }

  /** `final`: used by later calls. The PSP reference before a challenge may change with the result. */
  async #link(reference: string, pspReference: string, final: boolean): Promise<void> {
    await this.#journal.note(subjectOf(pspReference), "operation", reference);
    if (final) await this.#journal.note(reference, "psp", pspReference);
  }
}

const named = (prefix: string, facts: readonly [string, unknown][]) =>
  facts.flatMap(([name, fact]) => (name.startsWith(prefix) ? [fact as Notice] : []));

const storedIdIn = (response: PaymentResponse | null | undefined): string | null =>
  response?.additionalData?.["tokenization.storedPaymentMethodId"] ?? null;

const isFinal = ({ resultCode }: PaymentResponse) => resultCode !== "RedirectShopper";

const NOT_AUTHENTICATED: Outcome = { kind: "declined", decline_code: "authentication_failed" };

/** The known outcome of an authorization, or null. */
export function authorizationOutcome(recorded: Recorded): Outcome | null {
  const { firstUse, answer, continued, challenge, refused, notices } = recorded;
  const said = continued ?? answer;
  const outcome = said && outcomeOfResponse(said);
  const authorisations = notices.filter(({ event }) => event === "AUTHORISATION");
  const authorised = authorisations.find(({ success }) => success) ?? authorisations[0];
  if (outcome?.kind === "approved" || authorised?.success) {
    if (authorised?.success && !isOf(firstUse.amount, authorised)) return otherAmount(authorised);
    const approved = outcome?.kind === "approved" ? outcome : ({ kind: "approved" } as const);
    const failed = notices.some(({ event, success }) => event === "CAPTURE_FAILED" && success);
    return failed ? { ...approved, captured: false } : approved;
  }
  if (outcome?.kind === "declined") return outcome;
  if (challenge?.end === "abandoned") return NOT_AUTHENTICATED;
  if (authorised) {
    const reason = authorised.reason ?? "";
    return { kind: "declined", decline_code: declineCodeOfReason(reason), note: `Adyen: ${reason || "refused"}` };
  }
  return refused?.outcome ?? outcome;
}

/** Approved with a different amount: never booked, the payment fails, and the approval is voided. */
const otherAmount = ({ amount: { value, currency } }: Notice): Outcome => ({
  kind: "declined",
  decline_code: "processing_error",
  holds: true,
  note: `Adyen: approved another amount, ${value} ${currency} in its smallest units`,
});

const DIFFERS: Outcome = { kind: "unknown", reason: "Adyen reports another amount than was asked for", final: true };
const isOf = (amount: AdyenAmount | null, notice: Notice) =>
  amount?.value === notice.amount.value && amount.currency === notice.amount.currency;

/** The approved amount minus refunds made elsewhere; null if nothing is left, or nothing was approved. */
export function remainingAmount(charge: Recorded): AdyenAmount | null {
  const approved = approvedOf(charge);
  if (!approved) return null;
  const { currency } = approved;
  if (outsideChanges(charge, "CANCELLATION").length > 0) return null;
  if (!wasCaptured(charge)) return approved;
  const refunded = sumOf(currency, withoutFailed(charge, "REFUND", REFUND_FAILURES));
  const captured = charge.firstUse.captures
    ? approved.value
    : sumOf(currency, withoutFailed(charge, "CAPTURE", CAPTURE_FAILED));
  const value = captured - refunded;
  return value > 0 ? { value, currency } : null;
}

const CAPTURE_FAILED = ["CAPTURE_FAILED"];
const REFUND_FAILURES = ["REFUND_FAILED", "REFUNDED_REVERSED"];
const outsideChanges = ({ elsewhere }: Recorded, event: string) =>
  elsewhere.filter((notice) => notice.event === event && notice.success);

/** Changes made elsewhere that did not fail later. */
function withoutFailed(charge: Recorded, event: string, failures: readonly string[]): Notice[] {
  const failed = new Set(failures.flatMap((one) => outsideChanges(charge, one)).map((one) => one.pspReference));
  return outsideChanges(charge, event).filter((one) => !failed.has(one.pspReference));
}

const sumOf = (currency: string, notices: readonly Notice[]) =>
  notices.reduce((sum, { amount }) => sum + (amount.currency === currency ? amount.value : 0), 0);

/** Refunds made elsewhere, oldest first. */
export function outsideRefunds(charge: Recorded): OutsideRefund[] {
  const failed = new Set(REFUND_FAILURES.flatMap((one) => outsideChanges(charge, one)).map((one) => one.pspReference));
  return outsideChanges(charge, "REFUND")
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
    .map(({ pspReference: id, amount }) => ({
      id,
      amount: fromAdyenAmount(amount),
      currency: amount.currency,
      failed: failed.has(id),
    }));
}

/** The approved amount as reported by Adyen, which may differ from the requested one. */
function approvedOf(charge: Recorded): AdyenAmount | null {
  const outcome = authorizationOutcome(charge);
  if (outcome?.kind !== "approved" && !(outcome?.kind === "declined" && outcome.holds)) return null;
  return (
    charge.notices.find(({ event, success }) => event === "AUTHORISATION" && success)?.amount ?? charge.firstUse.amount
  );
}

/** Captured with the authorization or elsewhere, and the capture did not fail. */
export function wasCaptured(charge: Recorded): boolean {
  if (approvedOf(charge) === null) return false;
  if (!charge.firstUse.captures) return withoutFailed(charge, "CAPTURE", CAPTURE_FAILED).length > 0;
  return !charge.notices.some(({ event, success }) => event === "CAPTURE_FAILED" && success);
}

/**
 * True if a different end may have been read before this report and is being written now, or if it is an
 * approval that must be voided, which only the message's processing triggers. A challenge may be in the
 * middle of being refused.
 */
function overturns(recorded: Recorded, { event, success }: Notice): boolean {
  const notices = recorded.notices.filter((notice) => notice.event !== event || notice.success !== success);
  const [was, is] = [endOf({ ...recorded, notices }), endOf(recorded)];
  const passes = event === "AUTHORISATION" && success && recorded.answer?.resultCode === "RedirectShopper";
  return is === "holds" || passes || (was !== null && was !== is);
}

/** Null while it has no end. */
function endOf(recorded: Recorded): string | null {
  const { kind } = recorded.firstUse;
  const outcome = kind === "authorize" ? authorizationOutcome(recorded) : movementOutcome(recorded);
  if (outcome?.kind === "approved") return outcome.captured === false ? "not captured" : "approved";
  return outcome?.kind === "declined" ? (outcome.holds ? "holds" : "declined") : null;
}

/** The known outcome of a capture, void or refund, or null. A late failure overrides success. */
export function movementOutcome({ firstUse, received, refused, notices }: Recorded): Outcome | null {
  const mine = notices.filter(({ event }) => EVENTS.get(event) === firstUse.kind);
  const undone = mine.some(
    ({ event, success }) => success && (event.endsWith("_FAILED") || event.endsWith("_REVERSED")),
  );
  if (
    undone ||
    mine.some(({ event, success }) => !success && !event.endsWith("_FAILED") && !event.endsWith("_REVERSED"))
  )
    return { kind: "declined", decline_code: null };
  const [done] = mine.filter(({ success }) => success);
  if (done) return firstUse.kind === "void" || isOf(firstUse.amount, done) ? { kind: "approved" } : DIFFERS;
  if (refused) return refused.outcome;
  return received ? { kind: "pending" } : null;
}
