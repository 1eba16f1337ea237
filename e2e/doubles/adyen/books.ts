import { randomBytes } from "node:crypto";
import { SANDBOX_CARDS, type SandboxBehavior } from "@/lib/contract/sandbox-cards";

export type Amount = { value: number; currency: string };

export type Card = { number: string; expiryMonth: string; expiryYear: string; cvc: string | null };

export type Payment = {
  readonly psp: string;
  readonly reference: string;
  readonly amount: Amount;
  readonly card: Card;
  readonly behavior: SandboxBehavior;
  readonly capturesAtOnce: boolean;
  readonly returnUrl: string;
  /** Shopper reference to store the card under, if the payment requests that. */
  readonly stores: string | null;
  storedId: string | null;
  state: "challenged" | "authorised" | "refused";
  captured: number;
  refunded: number;
  voided: boolean;
  /** The redirect result that the shopper's browser returns with, and the challenge's outcome. */
  result: { text: string; passed: boolean } | null;
};

type Modification = {
  readonly psp: string;
  readonly kind: "capture" | "cancel" | "refund";
  readonly payment: Payment;
  readonly reference: string;
  readonly amount: Amount;
  state: "received" | "done" | "refused" | "failed";
};

/** An unreported event, as the fields of a webhook item. */
export type Event = {
  eventCode: string;
  success: boolean;
  pspReference: string;
  originalReference?: string;
  merchantReference: string;
  amount: Amount;
  reason: string;
  paymentMethod: string;
  /** Now by default. */
  eventDate?: string;
  /** The double's own by default. */
  merchantAccountCode?: string;
  additionalData?: Record<string, string>;
  /** Adyen doesn't sign every kind of event. */
  unsigned?: boolean;
};

/** Sixteen characters, like Adyen's. */
export const newPsp = () => randomBytes(12).toString("base64url").replaceAll(/[-_]/g, "X").toUpperCase().slice(0, 16);

const BEHAVIORS = new Map(SANDBOX_CARDS.map((card) => [card.number, card.behavior]));
export const behaviorOf = (number: string): SandboxBehavior => BEHAVIORS.get(number) ?? "decline:generic_decline";
export const methodOf = (number: string) =>
  ({ "4": "visa", "5": "mc", "3": "amex", "6": "discover" })[number[0] ?? ""] ?? "visa";

/** Authorization code, last digits and expiry date: the `reason` of an approved card payment. */
const approvalOf = ({ number, expiryMonth, expiryYear }: Card) =>
  `${AUTH_CODE}:${number.slice(-4)}:${expiryMonth}/${expiryYear}`;
export const AUTH_CODE = "044925";

/** Adyen's side of the books. It accepts requests, decides them later one by one, and reports the results. */
export class Books {
  readonly payments = new Map<string, Payment>();
  readonly modifications: Modification[] = [];
  readonly events: Event[] = [];

  payment(given: Omit<Payment, "psp" | "captured" | "refunded" | "voided" | "result" | "storedId">): Payment {
    const payment = { ...given, psp: newPsp(), captured: 0, refunded: 0, voided: false, result: null, storedId: null };
    this.payments.set(payment.psp, payment);
    if (payment.state !== "challenged") this.#authorised(payment);
    return payment;
  }

  /** Authorizes or refuses the payment when the shopper's challenge result is submitted. */
  finish(payment: Payment): void {
    if (payment.state !== "challenged") return;
    payment.state = payment.result?.passed ? "authorised" : "refused";
    this.#authorised(payment);
  }

  #authorised(payment: Payment): void {
    const success = payment.state === "authorised";
    if (success && payment.capturesAtOnce) payment.captured = payment.amount.value;
    this.#tell("AUTHORISATION", success, payment, { reason: success ? approvalOf(payment.card) : "Refused" });
  }

  take(given: Pick<Modification, "kind" | "payment" | "reference" | "amount">): Modification {
    const modification: Modification = { ...given, psp: newPsp(), state: "received" };
    this.modifications.push(modification);
    return modification;
  }

  /** Decides all accepted requests. */
  decide(): void {
    for (const modification of this.modifications) {
      if (modification.state !== "received") continue;
      const allowed = this.#move(modification);
      modification.state = allowed ? "done" : "refused";
      const event = { capture: "CAPTURE", cancel: "CANCELLATION", refund: "REFUND" }[modification.kind];
      this.#tellOf(event, allowed, modification, allowed ? "" : "Insufficient balance on payment");
    }
  }

  #move({ kind, payment, amount: { value } }: Modification): boolean {
    if (payment.state !== "authorised" || payment.voided) return false;
    switch (kind) {
      case "capture":
        if (payment.captured > 0 || value > payment.amount.value || payment.behavior === "capture_fails") return false;
        payment.captured = value;
        return true;
      case "cancel":
        if (payment.captured > 0) return false;
        payment.voided = true;
        return true;
      case "refund":
        if (payment.refunded + value > payment.captured) return false;
        payment.refunded += value;
        return true;
      default:
        return kind satisfies never;
    }
  }

  /**
   * Reverses refunds to cards whose refunds fail later and returns their references; with `captures`, also
   * captures, which a network rejects days later. `unlinked`: those events have new references and name the
   * payment instead of the capture.
   */
  giveBack({ captures = false, unlinked = false } = {}): string[] {
    const failed: string[] = [];
    if (captures) this.#rejectAtOnce();
    for (const modification of this.modifications) {
      const { kind, payment, amount, state } = modification;
      if (state !== "done") continue;
      if (kind === "refund" && payment.behavior === "refund_fails_later") {
        payment.refunded -= amount.value;
        modification.state = "failed";
        failed.push(modification.reference);
        this.#tellOf("REFUND_FAILED", true, modification, "Refund Failed");
      } else if (kind === "capture" && captures) {
        payment.captured -= amount.value;
        modification.state = "failed";
        if (unlinked) this.#rejected(payment, amount);
        else this.#tellOf("CAPTURE_FAILED", true, modification, "Capture Failed");
      }
    }
    return failed;
  }

  /** Automatic captures have no request: a network rejects them under a new reference. */
  #rejectAtOnce(): void {
    for (const payment of this.payments.values()) {
      if (!payment.capturesAtOnce || payment.captured === 0) continue;
      payment.captured = 0;
      this.#rejected(payment, payment.amount);
    }
  }

  #rejected(payment: Payment, amount: Amount): void {
    const about = { pspReference: newPsp(), originalReference: payment.psp, amount, reason: "Capture Failed" };
    this.#tell("CAPTURE_FAILED", true, payment, about);
  }

  /**
   * Reports an event without a request of ours: a dispute at the bank, or an action in Adyen's Customer Area.
   */
  happen(eventCode: string, payment: Payment, given: Partial<Event> = {}): void {
    this.#tell(eventCode, true, payment, given);
  }

  #tellOf(event: string, success: boolean, { psp, payment, reference, amount }: Modification, reason: string): void {
    const about = { pspReference: psp, originalReference: payment.psp, merchantReference: reference, amount, reason };
    this.#tell(event, success, payment, about);
  }

  #tell(eventCode: string, success: boolean, payment: Payment, given: Partial<Event>): void {
    this.events.push({
      eventCode,
      success,
      pspReference: payment.psp,
      merchantReference: payment.reference,
      reason: "",
      amount: payment.amount,
      paymentMethod: methodOf(payment.card.number),
      ...given,
    });
  }

  byReference(reference: string): Payment | null {
    return [...this.payments.values()].find((payment) => payment.reference === reference) ?? null;
  }
}
