import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type Clock, nowMs, type Timer } from "@/lib/clock";
import type { CardInput } from "@/lib/contract/payments/payment";
import type { Journal } from "../journal";
import type { AcceptedCard, TokenizedCard } from "../port";
import { declineCodeOfError } from "./outcomes";
import type { Answer, Requests } from "./requests";
import { brandOf, readOwnToken, storedToken, subjectOfStored } from "./tokens";

/** Card data for `/payments`. */
export type PayableCard = { readonly paymentMethod: object; readonly shopper: object };

/** `id`: Adyen's id; null if Adyen refused the card, absent while its response is unknown. */
type Kept = { readonly account: string; readonly id?: string | null };

const stored = z.object({ id: z.string().min(1), brand: z.string().optional() });
const listed = z.object({ storedPaymentMethods: z.array(stored).optional() });

/** Lifetime of an unused card at Adyen. Its security code stays in this process's memory for at most one payment. */
const KEPT_MS = 3_600_000;
const CODE_KEPT_MS = 120_000;
/** Max cards deleted in one run, and concurrently. A run starts about once a minute and ends before its caller times out. */
const FORGOTTEN_IN_A_TURN = 500;
const FORGOTTEN_AT_ONCE = 4;
/** Max failed deletions in one run, because the API key may be wrong for all. */
const FAILED_AT_ONCE = 10;
/** Adyen has no such card. Other statuses are about the request. */
const GONE: ReadonlySet<number> = new Set([404, 422]);
const CARD = "card";
const STORED = "stored";

type CardsOptions = {
  readonly requests: Requests;
  readonly journal: Journal;
  readonly merchantAccount: string;
  readonly clock: Clock;
  readonly timer: Timer;
  /** A run starts no deletion after half of this. */
  readonly timeoutMs: number;
};

/**
 * Cards for a single payment: as the fields that Adyen's component encrypted, or, if we receive card numbers, stored at Adyen
 * under a shopper reference of their own. The journal keeps only Adyen's id.
 */
export function createCards({ requests, journal, merchantAccount, clock, timer, timeoutMs }: CardsOptions) {
  /** Security codes may not be stored, so they are kept in memory; a payment by another process omits them. */
  const codes = new Map<string, { code: string; untilMs: number }>();
  /** Next attempt for cards that could not be deleted. */
  const postponed = new Map<string, number>();
  let turn: Promise<number> | null = null;

  async function find(subject: string): Promise<Partial<Kept>> {
    const facts = await journal.of(subject);
    return { ...(facts[CARD] as Kept | undefined), ...(facts[STORED] as Pick<Kept, "id"> | undefined) };
  }

  async function store(account: string, card: CardInput): Promise<TokenizedCard> {
    const shopper = randomUUID();
    const subject = `${CARD}:${shopper}`;
    // Before the call: a card stored by it is found by its shopper reference even without a response.
    await journal.note<Kept>(subject, CARD, { account });
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
    if (answer.kind !== "answered" && !refused) {
      if (answer.kind === "refused" || answer.kind === "not_executed") await journal.forget(subject);
      throw new Error(`Adyen did not take a card: ${"reason" in answer ? answer.reason : answer.kind}`);
    }
    const made = answer.kind === "answered" ? stored.parse(answer.body) : null;
    await journal.note<Pick<Kept, "id">>(subject, STORED, { id: made?.id ?? null });
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

  /** Null if the token isn't this account's, or Adyen refused the card. */
  async function read(account: string, token: string): Promise<PayableCard | null> {
    const own = readOwnToken(token);
    if (own) {
      const { browserInfo, ...paymentMethod } = own;
      return { paymentMethod, shopper: { ...(browserInfo && { browserInfo }) } };
    }
    const subject = subjectOfStored(token);
    const kept = subject && (await find(subject));
    if (!kept || kept.account !== account || !kept.id) return null;
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

  /**
   * Deletes the oldest cards at Adyen, limited in number and time; returns how many. Runs don't overlap: a call during a run gets
   * that run's result. Throws at the end if some could not be deleted; those are retried in an hour, after all others.
   */
  function forgetOld(): Promise<number> {
    turn ??= forgetInTurn().finally(() => {
      turn = null;
    });
    return turn;
  }

  async function forgetInTurn(): Promise<number> {
    dropOldCodes();
    const now = clock.now().getTime();
    for (const [subject, untilMs] of postponed) if (untilMs <= now) postponed.delete(subject);
    const oldest = await journal.older(CARD, new Date(now - KEPT_MS), FORGOTTEN_IN_A_TURN + postponed.size);
    const left = oldest
      .filter((subject) => !postponed.has(subject))
      .slice(0, FORGOTTEN_IN_A_TURN)
      .values();
    const endMs = timer.elapsedMs() + timeoutMs / 2;
    const failures: string[] = [];
    let [forgotten, running] = [0, 0];
    const work = async () => {
      for (const subject of left) {
        running++;
        const { id } = await find(subject);
        const failure = await remove(subject.slice(CARD.length + 1), id);
        running--;
        if (failure === null) {
          await journal.forget(subject);
          forgotten++;
        } else {
          postponed.set(subject, now + KEPT_MS);
          failures.push(failure);
        }
        // Calls in progress may fail as well.
        if (failures.length + running >= FAILED_AT_ONCE || timer.elapsedMs() > endMs) break;
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: FORGOTTEN_AT_ONCE }, work));
    for (const worker of workers) if (worker.status === "rejected") throw worker.reason;
    const cards = failures.length === 1 ? "1 card" : `${failures.length} cards`;
    if (failures.length > 0) throw new Error(`Adyen did not forget ${cards}: ${failures[0]}`);
    return forgotten;
  }

  /** Null once Adyen has no card of this shopper; otherwise Adyen's error. */
  async function remove(shopper: string, id: Kept["id"]): Promise<string | null> {
    const query = new URLSearchParams({ merchantAccount, shopperReference: shopper });
    const ids = id === undefined ? await idsOf(query) : id === null ? [] : [id];
    if (typeof ids === "string") return ids;
    for (const one of ids) {
      const answer = await requests.delete(`/storedPaymentMethods/${encodeURIComponent(one)}?${query}`);
      const isGone = answer.kind === "answered" || (answer.kind === "refused" && GONE.has(answer.status));
      if (!isGone) return reasonOf(answer);
    }
    return null;
  }

  /** Ids of a shopper's stored cards, or Adyen's error. */
  async function idsOf(query: URLSearchParams): Promise<string[] | string> {
    const answer = await requests.get(`/storedPaymentMethods?${query}`);
    if (answer.kind !== "answered") return reasonOf(answer);
    const read = listed.safeParse(answer.body);
    return read.success ? (read.data.storedPaymentMethods ?? []).map(({ id }) => id) : "its list cannot be read";
  }

  return { store, read, accept, forgetOld };
}

function reasonOf(answer: Exclude<Answer, { kind: "answered" }>): string {
  if (answer.kind === "refused") return answer.message;
  return "reason" in answer ? answer.reason : answer.kind;
}
