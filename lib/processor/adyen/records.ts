import type { Journal } from "../journal";
import type { InquireRequest, Outcome, OutsideRefund, Report } from "../port";
import { type AdyenAmount, fromAdyenAmount } from "./amounts";
import { DISPUTE_EVENTS, EVENTS, type Notice } from "./notices";
import { declineCodeOfReason, outcomeOfAnswer, type PaymentAnswer } from "./outcomes";

type Kind = InquireRequest["kind"];

/** How a reference was first used. Noted before anything is sent, so whoever comes second sees what came first. */
export type Begun = {
  readonly account: string;
  /** `close`: nothing was ever sent under it, and nothing will be. */
  readonly by: "call" | "close";
  readonly kind: Kind;
  readonly authorization: string;
  readonly amount: AdyenAmount | null;
  readonly captures: boolean;
};

type ChallengeEnd = { readonly end: "returned"; readonly redirectResult: string } | { readonly end: "abandoned" };
type Refused = { readonly outcome: Outcome };

/** All that is known of a reference. */
export type Recorded = {
  readonly begun: Begun;
  /** The key of a call that may be under way is being used up. */
  readonly closing: boolean;
  readonly closed: boolean;
  readonly pspReference: string | null;
  readonly answer: PaymentAnswer | null;
  readonly continued: PaymentAnswer | null;
  readonly challenge: ChallengeEnd | null;
  /** Adyen has taken on a capture, cancel or refund. */
  readonly received: boolean;
  readonly refused: Refused | null;
  readonly notices: readonly Notice[];
  /** What somebody else did with the payment, such as in Adyen's Customer Area, and Adyen told of it. */
  readonly elsewhere: readonly Notice[];
};

const subjectOf = (pspReference: string) => `psp:${pspReference}`;
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

  begin(reference: string, begun: Begun): Promise<Begun> {
    return this.#journal.note(reference, "begun", begun);
  }

  async find(reference: string): Promise<Recorded | null> {
    const facts = await this.#journal.of(reference);
    if (!facts.begun) return null;
    const said = (facts.continued ?? facts.answer) as PaymentAnswer | undefined;
    // The service may have died between keeping the answer and the reference in it.
    const answered = said && isFinal(said) ? said.pspReference : undefined;
    const pspReference = ((facts.approved ?? facts.psp) as string | undefined) ?? answered ?? null;
    return {
      begun: facts.begun as Begun,
      closing: "closing" in facts,
      closed: "closed" in facts,
      pspReference,
      answer: (facts.answer as PaymentAnswer | undefined) ?? null,
      continued: (facts.continued as PaymentAnswer | undefined) ?? null,
      challenge: (facts.challenge as ChallengeEnd | undefined) ?? null,
      received: "received" in facts,
      refused: (facts.refused as Refused | undefined) ?? null,
      ...(await this.#toldOf(new Set([pspReference, (facts.psp as string | undefined) ?? answered ?? null]))),
    };
  }

  /** An approval may come under another reference than the decline before it: what either was told counts. */
  async #toldOf(pspReferences: ReadonlySet<string | null>): Promise<Pick<Recorded, "notices" | "elsewhere">> {
    const facts: [string, unknown][] = [];
    for (const one of pspReferences) if (one) facts.push(...Object.entries(await this.#journal.of(subjectOf(one))));
    return { notices: named(NOTICE, facts), elsewhere: named(ELSEWHERE, facts) };
  }

  /** The account's own record of a reference. */
  async findOf(account: string, reference: string): Promise<Recorded | null> {
    const recorded = await this.find(reference);
    return recorded?.begun.account === account ? recorded : null;
  }

  async answered(reference: string, fact: "answer" | "continued", answer: PaymentAnswer): Promise<void> {
    await this.#journal.note(reference, fact, answer);
    if (answer.pspReference) await this.#link(reference, answer.pspReference, isFinal(answer));
  }

  async received(reference: string, pspReference: string): Promise<void> {
    await this.#journal.note(reference, "received", true);
    await this.#link(reference, pspReference, true);
  }

  /** How a call ended that Adyen did not take on: refused, or there was nothing left to do. What was noted first stands. */
  async ended(reference: string, outcome: Outcome): Promise<Outcome> {
    return (await this.#journal.note(reference, "refused", { outcome })).outcome;
  }

  async closing(reference: string): Promise<void> {
    await this.#journal.note(reference, "closing", true);
  }

  async closed(reference: string): Promise<void> {
    await this.#journal.note(reference, "closed", true);
  }

  /** How a challenge ended: the first end stands. */
  endChallenge(reference: string, end: ChallengeEnd): Promise<ChallengeEnd> {
    return this.#journal.note(reference, "challenge", end);
  }

  async notices(pspReference: string): Promise<Notice[]> {
    return named(NOTICE, Object.entries(await this.#journal.of(subjectOf(pspReference))));
  }

  /** Keeps what Adyen says, and answers what it is about; null when that is nothing of ours. */
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
    // Whatever was declined before, perhaps under another reference of Adyen's, was not its last word.
    if (reference && event === "AUTHORISATION" && success)
      await this.#journal.note(reference, "approved", pspReference);
    const recorded = reference && (await this.find(reference));
    if (recorded) {
      const insists = overturns(recorded, notice);
      return { id, account: recorded.begun.account, reference, ...(insists && { insists }) };
    }
    const payment = original && (await this.#linked(original));
    if (!original || !payment) return null;
    // What was to be captured at once is.
    const charge = await this.find(payment);
    if (event === "CAPTURE" && success && charge?.begun.captures) return null;
    await this.#journal.note(subjectOf(original), `${ELSEWHERE}${id}`, notice);
    const wasMade = charge?.elsewhere.some((one) => one.event === "REFUND" && one.pspReference === pspReference);
    if (charge && ((event === "REFUND" && success) || (REFUND_FAILURES.includes(event) && wasMade)))
      return { id: `${id} of ${original}`, account: charge.begun.account, reference: payment, outside: true };
    // Something that nobody asked for here has become of our payment: nothing can be looked up, and people are told.
    return { id: `${id} of ${original}`, object: pspReference };
  }

  /**
   * The dispute that a message is about, and its payment; null for none of ours. Of how it ended some messages name the dispute
   * alone, or the payment alone, as the webhook is set up.
   */
  async #disputed(notice: Notice, name: string): Promise<{ object: string; dispute: string } | null> {
    const { pspReference, original } = notice;
    if (original) {
      await this.#journal.note(subjectOf(original), `${DISPUTE}${pspReference}`, pspReference);
      return { object: original, dispute: pspReference };
    }
    const before = (await this.notices(pspReference)).find((told) => told.dispute && told.original);
    if (before?.original) return { object: before.original, dispute: pspReference };
    if (!(await this.#linked(pspReference))) return null;
    const facts = Object.keys(await this.#journal.of(subjectOf(pspReference)));
    const [dispute, ...others] = facts.flatMap((fact) => (fact.startsWith(DISPUTE) ? fact.slice(DISPUTE.length) : []));
    // Which of several is not said: it stands by itself rather than for one that may be still open.
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
      // The answer that says so after a challenge may never have come, or half of this was kept when the service died.
      if (event !== "AUTHORISATION" || notice.success) await this.#link(named, pspReference, true);
      return named;
    }
    if (isUuid(reference) && (await this.find(reference))?.begun.kind === kind) {
      await this.#link(reference, pspReference, true);
      return reference;
    }
    // What was captured at once has no capture of ours, and a message may not name another's: the payment's has failed.
    const payment = event === "CAPTURE_FAILED" && original ? await this.#linked(original) : null;
    if (payment && original) {
      await this.#journal.note(subjectOf(original), name, notice);
      // Of several captures by hand one may fail and another stand.
      await this.#journal.note(subjectOf(original), `${ELSEWHERE}${pspReference} ${name}`, notice);
    }
    return payment;
  }

  async #linked(pspReference: string): Promise<string | null> {
    const facts = await this.#journal.of(subjectOf(pspReference));
    return (facts.operation as string | undefined) ?? null;
  }

  /** `final`: later calls name it. Before a challenge Adyen gives a reference that may change with the result. */
  async #link(reference: string, pspReference: string, final: boolean): Promise<void> {
    await this.#journal.note(subjectOf(pspReference), "operation", reference);
    if (final) await this.#journal.note(reference, "psp", pspReference);
  }
}

const named = (prefix: string, facts: readonly [string, unknown][]) =>
  facts.flatMap(([name, fact]) => (name.startsWith(prefix) ? [fact as Notice] : []));

const isFinal = ({ resultCode }: PaymentAnswer) => resultCode !== "RedirectShopper";

const NOT_AUTHENTICATED: Outcome = { kind: "declined", decline_code: "authentication_failed" };

/** What is known of an authorization; null when that is nothing. */
export function authorizationOutcome(recorded: Recorded): Outcome | null {
  const { begun, answer, continued, challenge, refused, notices } = recorded;
  const said = continued ?? answer;
  const told = said && outcomeOfAnswer(said);
  const authorisations = notices.filter(({ event }) => event === "AUTHORISATION");
  const authorised = authorisations.find(({ success }) => success) ?? authorisations[0];
  if (told?.kind === "approved" || authorised?.success) {
    if (authorised?.success && !isOf(begun.amount, authorised)) return otherAmount(authorised);
    const approved = told?.kind === "approved" ? told : ({ kind: "approved" } as const);
    const failed = notices.some(({ event, success }) => event === "CAPTURE_FAILED" && success);
    return failed ? { ...approved, captured: false } : approved;
  }
  if (told?.kind === "declined") return told;
  if (challenge?.end === "abandoned") return NOT_AUTHENTICATED;
  if (authorised) {
    const reason = authorised.reason ?? "";
    return { kind: "declined", decline_code: declineCodeOfReason(reason), note: `Adyen: ${reason || "refused"}` };
  }
  return refused?.outcome ?? told;
}

/** Never booked: the payment has failed, and what was approved instead is given back. */
const otherAmount = ({ amount: { value, currency } }: Notice): Outcome => ({
  ...{ kind: "declined", decline_code: "processing_error", holds: true },
  note: `Adyen: approved another amount, ${value} ${currency} in its smallest units`,
});

const DIFFERS: Outcome = { kind: "unknown", reason: "Adyen reports another amount than was asked for", final: true };
const isOf = (amount: AdyenAmount | null, notice: Notice) =>
  amount?.value === notice.amount.value && amount.currency === notice.amount.currency;

/** What was approved of a payment and somebody else did not give back; null: nothing is left, or nothing was approved. */
export function leftOf(charge: Recorded): AdyenAmount | null {
  const approved = approvedOf(charge);
  if (!approved) return null;
  const { currency } = approved;
  if (doneElsewhere(charge, "CANCELLATION").length > 0) return null;
  if (!wasCaptured(charge)) return approved;
  const refunded = sumOf(currency, standing(charge, "REFUND", REFUND_FAILURES));
  const captured = charge.begun.captures
    ? approved.value
    : sumOf(currency, standing(charge, "CAPTURE", CAPTURE_FAILED));
  const value = captured - refunded;
  return value > 0 ? { value, currency } : null;
}

const CAPTURE_FAILED = ["CAPTURE_FAILED"];
const REFUND_FAILURES = ["REFUND_FAILED", "REFUNDED_REVERSED"];
const doneElsewhere = ({ elsewhere }: Recorded, event: string) =>
  elsewhere.filter((notice) => notice.event === event && notice.success);

/** What somebody else did, and that did not fail later. */
function standing(charge: Recorded, event: string, failures: readonly string[]): Notice[] {
  const failed = new Set(failures.flatMap((one) => doneElsewhere(charge, one)).map((one) => one.pspReference));
  return doneElsewhere(charge, event).filter((one) => !failed.has(one.pspReference));
}

const sumOf = (currency: string, notices: readonly Notice[]) =>
  notices.reduce((sum, { amount }) => sum + (amount.currency === currency ? amount.value : 0), 0);

/** Refunds that nobody here asked for, the oldest first. */
export function outsideRefunds(charge: Recorded): OutsideRefund[] {
  const failed = new Set(REFUND_FAILURES.flatMap((one) => doneElsewhere(charge, one)).map((one) => one.pspReference));
  return doneElsewhere(charge, "REFUND")
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
    .map(({ pspReference: id, amount }) => ({
      ...{ id, amount: fromAdyenAmount(amount), currency: amount.currency, failed: failed.has(id) },
    }));
}

/** With the amount that Adyen told, where it told one: it need not be the one that was asked for. */
function approvedOf(charge: Recorded): AdyenAmount | null {
  const outcome = authorizationOutcome(charge);
  if (outcome?.kind !== "approved" && !(outcome?.kind === "declined" && outcome.holds)) return null;
  return (
    charge.notices.find(({ event, success }) => event === "AUTHORISATION" && success)?.amount ?? charge.begun.amount
  );
}

/** It was captured at once and that did not fail, or a capture of somebody else's stands. */
export function wasCaptured(charge: Recorded): boolean {
  if (approvedOf(charge) === null) return false;
  if (!charge.begun.captures) return standing(charge, "CAPTURE", CAPTURE_FAILED).length > 0;
  return !charge.notices.some(({ event, success }) => event === "CAPTURE_FAILED" && success);
}

/**
 * Whether somebody may have read another end before this was told, and may be writing that; or it is an approval that has to be
 * given back, which only who takes the message in sees to. Of a challenge that may be refused just now, which nobody looks up.
 */
function overturns(recorded: Recorded, { event, success }: Notice): boolean {
  const notices = recorded.notices.filter((notice) => notice.event !== event || notice.success !== success);
  const [was, is] = [endOf({ ...recorded, notices }), endOf(recorded)];
  const passes = event === "AUTHORISATION" && success && recorded.answer?.resultCode === "RedirectShopper";
  return is === "holds" || passes || (was !== null && was !== is);
}

/** Null: it has no end yet. */
function endOf(recorded: Recorded): string | null {
  const { kind } = recorded.begun;
  const outcome = kind === "authorize" ? authorizationOutcome(recorded) : movementOutcome(recorded);
  if (outcome?.kind === "approved") return outcome.captured === false ? "not captured" : "approved";
  return outcome?.kind === "declined" ? (outcome.holds ? "holds" : "declined") : null;
}

/** What is known of a capture, void or refund; null when that is nothing. What failed late has failed. */
export function movementOutcome({ begun, received, refused, notices }: Recorded): Outcome | null {
  const mine = notices.filter(({ event }) => EVENTS.get(event) === begun.kind);
  const undone = mine.some(
    ({ event, success }) => success && (event.endsWith("_FAILED") || event.endsWith("_REVERSED")),
  );
  if (
    undone ||
    mine.some(({ event, success }) => !success && !event.endsWith("_FAILED") && !event.endsWith("_REVERSED"))
  )
    return { kind: "declined", decline_code: null };
  const [done] = mine.filter(({ success }) => success);
  if (done) return begun.kind === "void" || isOf(begun.amount, done) ? { kind: "approved" } : DIFFERS;
  if (refused) return refused.outcome;
  return received ? { kind: "pending" } : null;
}
