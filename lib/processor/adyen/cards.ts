import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type Clock, nowMs } from "@/lib/clock";
import type { CardInput } from "@/lib/contract/payments/payment";
import type { Journal } from "../journal";
import type { AcceptedCard, TokenizedCard } from "../port";
import { declineCodeOfError } from "./outcomes";
import type { Requests } from "./requests";
import { brandOf, readOwnToken, storedToken, subjectOfStored } from "./tokens";

/** What `/payments` is told of a card. */
export type PayableCard = { readonly paymentMethod: object; readonly shopper: object };

type Kept = { readonly account: string; readonly id: string | null };

const stored = z.object({ id: z.string().min(1), brand: z.string().optional() });

/** An unused card stays at Adyen for an hour; its security code in this process for as long as a payment takes, at most. */
const KEPT_MS = 3_600_000;
const CODE_KEPT_MS = 120_000;
const FORGOTTEN_AT_ONCE = 100;
const CARD = "card";

type CardsOptions = {
  readonly requests: Requests;
  readonly journal: Journal;
  readonly merchantAccount: string;
  readonly clock: Clock;
};

/**
 * Cards for one payment each: in the fields that Adyen's component encrypted, or, where card numbers are given to us, stored
 * at Adyen under a shopper of their own. The journal has Adyen's id for them alone.
 */
export function createCards({ requests, journal, merchantAccount, clock }: CardsOptions) {
  /** Security codes may not be stored, so they wait here; a payment by another process goes without. */
  const codes = new Map<string, { code: string; untilMs: number }>();

  async function store(account: string, card: CardInput): Promise<TokenizedCard> {
    const shopper = randomUUID();
    const answer = await requests.post("/storedPaymentMethods", {
      merchantAccount,
      shopperReference: shopper,
      recurringProcessingModel: "CardOnFile",
      paymentMethod: {
        type: "scheme",
        number: card.number,
        expiryMonth: String(card.exp_month).padStart(2, "0"),
        expiryYear: String(card.exp_year),
        cvc: card.cvv,
      },
    });
    const refused = answer.kind === "refused" && declineCodeOfError(answer.code) !== null;
    if (answer.kind !== "answered" && !refused)
      throw new Error(`Adyen did not take a card: ${"reason" in answer ? answer.reason : answer.kind}`);
    const made = answer.kind === "answered" ? stored.parse(answer.body) : null;
    const subject = `${CARD}:${shopper}`;
    await journal.note<Kept>(subject, CARD, { account, id: made?.id ?? null });
    dropOldCodes();
    codes.set(subject, { code: card.cvv, untilMs: nowMs() + CODE_KEPT_MS });
    return {
      token: storedToken(subject),
      brand: brandOf(made?.brand),
      bin: card.number.slice(0, 6),
      last4: card.number.slice(-4),
      exp_month: card.exp_month,
      exp_year: card.exp_year,
    };
  }

  function dropOldCodes(): void {
    for (const [subject, { untilMs }] of codes) if (untilMs < nowMs()) codes.delete(subject);
  }

  /** Null: it is no token of this account's, or Adyen did not take the card. */
  async function read(account: string, token: string): Promise<PayableCard | null> {
    const own = readOwnToken(token);
    if (own) {
      const { browserInfo, ...paymentMethod } = own;
      return { paymentMethod, shopper: { ...(browserInfo && { browserInfo }) } };
    }
    const subject = subjectOfStored(token);
    const kept = subject && ((await journal.of(subject))[CARD] as Kept | undefined);
    if (!kept || kept.account !== account || kept.id === null) return null;
    dropOldCodes();
    const code = codes.get(subject)?.code;
    return {
      paymentMethod: { storedPaymentMethodId: kept.id, ...(code && { cvc: code }) },
      shopper: { shopperReference: subject.slice(CARD.length + 1), recurringProcessingModel: "CardOnFile" },
    };
  }

  function accept(token: string): AcceptedCard | null {
    const own = readOwnToken(token);
    if (!own) return null;
    return { token, brand: brandOf(own.brand), bin: null, last4: null, exp_month: null, exp_year: null };
  }

  async function forgetOld(): Promise<number> {
    dropOldCodes();
    let forgotten = 0;
    for (;;) {
      const subjects = await journal.older(CARD, new Date(clock.now().getTime() - KEPT_MS), FORGOTTEN_AT_ONCE);
      for (const subject of subjects) {
        const { id } = (await journal.of(subject))[CARD] as Kept;
        if (id !== null) await remove(id, subject.slice(CARD.length + 1));
        await journal.forget(subject);
        forgotten++;
      }
      if (subjects.length < FORGOTTEN_AT_ONCE) return forgotten;
    }
  }

  async function remove(id: string, shopper: string): Promise<void> {
    const query = new URLSearchParams({ merchantAccount, shopperReference: shopper });
    const answer = await requests.delete(`/storedPaymentMethods/${encodeURIComponent(id)}?${query}`);
    // Refused: it is gone already.
    if (answer.kind !== "answered" && answer.kind !== "refused")
      throw new Error(`Adyen did not forget a card: ${"reason" in answer ? answer.reason : answer.kind}`);
  }

  return { store, read, accept, forgetOld };
}
