import type { OurEntry } from "@/db/queries/processors/our-entries";
import { isSupportedCurrency } from "@/lib/contract/currencies";
import { moneyTextWithCode } from "@/lib/contract/format";
import type { DifferenceKind } from "@/lib/contract/processors/reconciliation";
import type { PaymentPart, StatementEntry } from "@/lib/processor/records";

/*
 * Compares an entry of the processor's own list with ours.
 * Only money counts: two states in which none moved are equal.
 */

/** Result of comparing one of our entries with the processor's. */
export type Judgement =
  | { readonly kind: "same" }
  | { readonly kind: Extract<DifferenceKind, "amounts_differ" | "states_differ">; readonly advice: string };

const SAME: Judgement = { kind: "same" };

type OurPayment = Extract<OurEntry, { kind: "payment" }>;
type OurRefund = Extract<OurEntry, { kind: "refund" }>;
type ListedPayment = Extract<StatementEntry, { kind: "payment" }>;
type ListedRefund = Extract<StatementEntry, { kind: "refund" }>;

export function judge(ours: OurEntry, listed: StatementEntry): Judgement {
  if (ours.kind === "payment") return listed.kind === "payment" ? judgePayment(ours, listed) : SAME;
  return listed.kind === "refund" ? judgeRefund(ours, listed) : SAME;
}

/** State of the money: held, taken, or neither. */
type Money = "held" | "taken" | "none";

function ourMoney({ state, captured }: OurPayment): Money {
  if (captured > 0) return "taken";
  return state === "AUTHORIZED" ? "held" : "none";
}

function listedMoney({ state, captured, part }: ListedPayment): Money {
  if (part) return part.captured > 0 || part.settled > 0 ? "taken" : "none";
  if (captured > 0 || state === "captured") return "taken";
  return state === "authorized" ? "held" : "none";
}

const MONEY_ADVICE: Record<Money, Partial<Record<Money, string>>> = {
  none: {
    taken:
      "The processor took this money, and Cardlane does not know it. Do not ask the customer to pay again. If nothing was delivered, refund it in the processor's dashboard.",
    held: "The processor holds this money, and Cardlane does not know it. Release it in the processor's dashboard.",
  },
  held: {
    taken:
      "It was captured in the processor's dashboard. Do not capture it here; if it should not have been, refund it there.",
    none: "The hold is gone: it expired or was released in the processor's dashboard. A capture will be declined, so void it here.",
  },
  taken: {
    held: "It is not captured at the processor. Capture it in the processor's dashboard before the authorization runs out.",
    none: "The processor did not take this money. Deliver nothing for it, or ask the customer to pay again.",
  },
};

/** A concurrent manual refund does no harm: the processor never refunds more than the payment. */
const TO_REVERSE =
  "The processor approved it after it had ended in Cardlane, and Cardlane is giving it back. If it is still listed in two days, refund or release it in the processor's dashboard.";

/** For a payment that began before the file: reports only contents of the file that contradict ours. */
function judgePart(ours: OurPayment, { currency, part }: ListedPayment & { part: PaymentPart }): Judgement {
  if (ours.currency !== currency) return amounts("The payment itself is in another currency. Trust the processor's.");
  const here = ourMoney(ours);
  const { captured, settled, released } = part;
  if (captured < 0 && ours.captured > 0) {
    if (ours.captured + captured <= 0) return { kind: "states_differ", advice: MONEY_ADVICE.taken.none as string };
    return amounts(OTHER_PART);
  }
  if (captured > 0 || settled > 0) {
    if (here !== "taken") return { kind: "states_differ", advice: MONEY_ADVICE[here].taken as string };
    // Cardlane captures a payment once, so any capture is the whole amount.
    if ((captured > 0 && captured !== ours.captured) || settled > ours.captured) return amounts(OTHER_PART);
    return SAME;
  }
  if (released && here === "held") return { kind: "states_differ", advice: MONEY_ADVICE.held.none as string };
  return SAME;
}

const OTHER_PART = "Another part was captured. Refund the surplus, or charge what is missing with a new payment.";

function judgePayment(ours: OurPayment, listed: ListedPayment): Judgement {
  const isReturned = listed.part || (listed.refunded >= listed.captured && listed.state !== "authorized");
  if (ours.late_approval === "reversed" && isReturned) return SAME;
  if (ours.late_approval === "to_reverse") {
    const isThere = listedMoney(listed) !== "none" && (listed.part !== undefined || !isReturned);
    return isThere ? { kind: "states_differ", advice: TO_REVERSE } : SAME;
  }
  if (listed.part) return judgePart(ours, { ...listed, part: listed.part });
  if (ours.currency !== listed.currency || ours.amount !== listed.amount) {
    return amounts(
      "The payment itself has a different amount. Trust the processor's: that is what the customer sees on the statement.",
    );
  }
  const [here, there] = [ourMoney(ours), listedMoney(listed)];
  if (here !== there) return { kind: "states_differ", advice: MONEY_ADVICE[here][there] as string };
  if (ours.captured !== listed.captured) return amounts(OTHER_PART);
  if (ours.refunded !== listed.refunded) {
    return amounts(
      listed.refunded > ours.refunded
        ? "More was refunded than Cardlane knows of, probably in the processor's dashboard. Do not refund that part again here."
        : "Less was refunded than Cardlane shows: a refund was returned. Check the refunds before you refund again.",
    );
  }
  return SAME;
}

const amounts = (advice: string): Judgement => ({ kind: "amounts_differ", advice });

function judgeRefund(ours: OurRefund, listed: ListedRefund): Judgement {
  if (ours.currency !== listed.currency || ours.amount !== listed.amount)
    return amounts("The refund has a different amount. Trust the processor's: that is what the customer gets.");
  const [here, there] = [ours.state === "succeeded", listed.state !== "failed"];
  if (here === there) return SAME;
  return {
    kind: "states_differ",
    advice: here
      ? "The refund was returned, and the processor's notice hasn't arrived. If this is still listed tomorrow, pay the customer another way."
      : "The customer gets this money, and Cardlane shows the refund as failed. Do not refund it again.",
  };
}

/** True if the processor must have the entry, because money moved. */
export function mustBeThere(ours: OurEntry): boolean {
  if (ours.kind === "refund") return ours.state === "succeeded";
  return ours.captured > 0 || ours.state === "AUTHORIZED" || ours.state === "VOIDED";
}

/** True if an entry that Cardlane does not know moved money. */
export function movesMoney(listed: StatementEntry): boolean {
  return listed.kind === "refund" ? listed.state !== "failed" : listedMoney(listed) !== "none";
}

export const ONLY_THERE: Record<StatementEntry["kind"], string> = {
  payment:
    "Cardlane did not make it: it comes from the processor's dashboard, or from another program with the same account. If nobody recognizes it, refund it there and replace the credentials.",
  refund:
    "Cardlane did not make it: it comes from the processor's dashboard. Cardlane still shows this money as refundable, so do not refund it again here.",
};
export const MADE_TWICE =
  "It is a second charge under the same reference: the customer paid twice. Refund this one in the processor's dashboard, and report it as a fault of Cardlane.";
export const ONLY_HERE: Record<OurEntry["kind"], string> = {
  payment:
    "The processor does not know it: no money moved. Check that the connection still uses the account it was made with. If it does, deliver nothing for it.",
  refund:
    "The processor does not know it: the customer gets nothing. Check that the connection still uses the account it was made with. If it does, pay the customer another way.",
};

/** "Captured, $49.99 USD, of which $10.00 USD is refunded". */
export function ourText(ours: OurEntry): string {
  const money = (amount: number) => moneyTextWithCode(amount, ours.currency);
  if (ours.kind === "refund")
    return `${ours.state === "succeeded" ? "Refunded" : "Refund failed"}, ${money(ours.amount)}`;
  const word = ours.state.charAt(0) + ours.state.slice(1).toLowerCase().replaceAll("_", " ");
  return payment(word, ours, money);
}

export function listedText(listed: StatementEntry): string {
  const { currency } = listed;
  // The account may have payments of other software, in currencies whose decimals Cardlane does not know.
  const money = (amount: number) =>
    isSupportedCurrency(currency) ? moneyTextWithCode(amount, currency) : `${amount} ${currency} (smallest units)`;
  if (listed.kind === "refund") return `Refund ${listed.state}, ${money(listed.amount)}`;
  if (listed.part) return partText(listed.part, money);
  const word = listed.state.charAt(0).toUpperCase() + listed.state.slice(1).replaceAll("_", " ");
  return payment(word, listed, money);
}

/** "Since the report begins: captured, $40.00 USD". */
function partText({ captured, settled, released }: PaymentPart, money: (amount: number) => string): string {
  const parts = [
    ...(captured > 0 ? [`captured, ${money(captured)}`] : []),
    ...(captured < 0 ? [`capture failed, ${money(-captured)}`] : []),
    ...(settled > 0 ? [`settled, ${money(settled)}`] : []),
    ...(released ? ["released"] : []),
  ];
  return `Since the report begins: ${parts.join("; ")}`;
}

function payment(
  word: string,
  { amount, captured, refunded }: { amount: number; captured: number; refunded: number },
  money: (amount: number) => string,
): string {
  const parts = [`${word}, ${money(amount)}`];
  if (captured > 0 && captured !== amount) parts.push(`${money(captured)} captured`);
  if (refunded > 0) parts.push(`${money(refunded)} refunded`);
  return parts.join(", ");
}
