import type { Journal } from "../journal";
import type { InquireRequest, Outcome, Report } from "../port";
import type { AdyenAmount } from "./amounts";
import { DISPUTE_EVENTS, type Notice } from "./notices";
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
};

/** Which operations an event decides. */
const EVENTS: Readonly<Record<string, Kind>> = {
  AUTHORISATION: "authorize",
  CAPTURE: "capture",
  CAPTURE_FAILED: "capture",
  CANCELLATION: "void",
  REFUND: "refund",
  REFUND_FAILED: "refund",
  REFUNDED_REVERSED: "refund",
};

const subjectOf = (pspReference: string) => `psp:${pspReference}`;
const NOTICE = "notice ";
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
    const pspReference = (facts.psp as string | undefined) ?? answered ?? null;
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
      notices: pspReference ? await this.notices(pspReference) : [],
    };
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

  async refused(reference: string, outcome: Outcome): Promise<Outcome> {
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
    const facts = await this.#journal.of(subjectOf(pspReference));
    return Object.entries(facts).flatMap(([name, fact]) => (name.startsWith(NOTICE) ? [fact as Notice] : []));
  }

  /** Keeps what Adyen says, and answers what it is about; null when that is nothing of ours. */
  async take(notice: Notice): Promise<Report | null> {
    const { event, success, pspReference, original } = notice;
    const name = `${NOTICE}${event} ${success}`;
    await this.#journal.note(subjectOf(pspReference), name, notice);
    const id = `${pspReference} ${event} ${success}`;
    if (DISPUTE_EVENTS.has(event)) return original ? { id, object: original, dispute: pspReference } : null;
    const reference = await this.#referenceOf(notice, name);
    const recorded = reference && (await this.find(reference));
    return recorded ? { id, account: recorded.begun.account, reference } : null;
  }

  async #referenceOf(notice: Notice, name: string): Promise<string | null> {
    const { event, pspReference, original, reference } = notice;
    const kind = EVENTS[event];
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
    // What was captured at once has no capture of ours: the payment itself was captured, and that failed.
    const payment = event === "CAPTURE_FAILED" && original ? await this.#linked(original) : null;
    if (payment && original) await this.#journal.note(subjectOf(original), name, notice);
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

const isFinal = ({ resultCode }: PaymentAnswer) => resultCode !== "RedirectShopper";

const NOT_AUTHENTICATED: Outcome = { kind: "declined", decline_code: "authentication_failed" };

/** What is known of an authorization; null when that is nothing. */
export function authorizationOutcome(recorded: Recorded): Outcome | null {
  const { begun, answer, continued, challenge, refused, notices } = recorded;
  const said = continued ?? answer;
  const told = said && outcomeOfAnswer(said);
  const authorised = notices.find(({ event }) => event === "AUTHORISATION");
  if (told?.kind === "approved" || authorised?.success) {
    if (authorised?.success && !isOf(begun.amount, authorised)) return DIFFERS;
    const approved = told?.kind === "approved" ? told : ({ kind: "approved" } as const);
    const failed = begun.captures && notices.some(({ event, success }) => event === "CAPTURE_FAILED" && success);
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

const DIFFERS: Outcome = { kind: "unknown", reason: "Adyen reports another amount than was asked for" };
const isOf = (amount: AdyenAmount | null, notice: Notice) =>
  amount?.value === notice.amount.value && amount.currency === notice.amount.currency;

/** What is known of a capture, void or refund; null when that is nothing. What failed late has failed. */
export function movementOutcome({ begun, received, refused, notices }: Recorded): Outcome | null {
  const mine = notices.filter(({ event }) => EVENTS[event] === begun.kind);
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
