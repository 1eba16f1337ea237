import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type Clock, nowMs, type Timer } from "@/lib/clock";
import type { CardInput } from "@/lib/contract/payments/payment";
import type { AcceptedCard, KnownCard, StoredCard, TokenizedCard } from "../cards";
import type { Journal } from "../journal";
import { declineCodeOfError } from "./outcomes";
import type { AdyenResponse, Requests } from "./requests";
import {
  brandOf,
  isShopperOf,
  type KeptCard,
  type Owner,
  readKeptToken,
  readOwnToken,
  storedToken,
  subjectOfStored,
} from "./tokens";

/** Card data for `/payments`. */
export type PayableCard = { readonly paymentMethod: object; readonly shopper: object };

/** `id`: Adyen's id; null if Adyen refused the card, absent while its response is unknown. */
type Kept = { readonly account: string; readonly id?: string | null };

type OwnedCard = Owner & { readonly id: string };

const stored = z.object({ id: z.string().min(1), brand: z.string().optional() });
const digits = (pattern: RegExp) => z.string().regex(pattern).optional();
const described = z.object({
  id: z.string(),
  brand: z.string().optional(),
  cardBin: digits(/^\d{6,8}$/),
  lastFour: digits(/^\d{4}$/),
  expiryMonth: digits(/^\d{1,2}$/),
  expiryYear: digits(/^(?:20)?\d\d$/),
});
const listed = z.object({ storedPaymentMethods: z.array(stored).optional() });

/**
 * Lifetime of an unused card at Adyen. Its security code stays in this process's memory for at most one
 * payment.
 */
const KEPT_MS = 3_600_000;
const CODE_KEPT_MS = 120_000;
/**
 * Max cards deleted in one run, and concurrently. A run starts about once a minute and ends before its caller
 * times out.
 */
const MAX_PER_RUN = 500;
const MAX_CONCURRENT = 4;
/** Max failed deletions in one run, because the API key may be wrong for all. */
const MAX_FAILURES = 10;
/** Adyen has no such card. Other statuses are about the request. */
const GONE: ReadonlySet<number> = new Set([404, 422]);
const CARD = "card";
/** Owner of a card that was kept for later payments. */
const OWNER = "owner";
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
 * Cards for a single payment: as the fields that Adyen's component encrypted, or, if we receive card numbers,
 * stored at Adyen under a shopper reference of their own. The journal keeps only Adyen's id.
 */
export function createCards({ requests, journal, merchantAccount, clock, timer, timeoutMs }: CardsOptions) {
  /**
   * Security codes may not be stored, so they are kept in memory; a payment by another process omits them.
   */
  const codes = new Map<string, { code: string; untilMs: number }>();
  /** Next attempt for cards that could not be deleted. */
  const postponed = new Map<string, number>();
  let run: Promise<number> | null = null;

  async function find(subject: string): Promise<Partial<Kept>> {
    const facts = await journal.of(subject);
    return { ...(facts[CARD] as Kept | undefined), ...(facts[STORED] as Pick<Kept, "id"> | undefined) };
  }

  async function store(account: string, card: CardInput): Promise<TokenizedCard> {
    const shopper = randomUUID();
    const subject = `${CARD}:${shopper}`;
    // Before the call: a card stored by it is found by its shopper reference even without a response.
    await journal.note<Kept>(subject, CARD, { account });
    const response = await requests.post("/storedPaymentMethods", {
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
    const refused = response.kind === "refused" && declineCodeOfError(response.code) !== null;
    if (response.kind !== "answered" && !refused) {
      if (response.kind === "refused" || response.kind === "not_executed") await journal.forget(subject);
      throw new Error(`Adyen did not take a card: ${"reason" in response ? response.reason : response.kind}`);
    }
    const created = response.kind === "answered" ? stored.parse(response.body) : null;
    await journal.note<Pick<Kept, "id">>(subject, STORED, { id: created?.id ?? null });
    dropOldCodes();
    codes.set(subject, { code: card.cvv, untilMs: nowMs() + CODE_KEPT_MS });
    return {
      token: storedToken(subject),
      brand: brandOf(created?.brand),
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

  /**
   * Keeps a card that was stored for one payment: it becomes the customer's, under its own shopper reference,
   * and isn't deleted with the unused ones. Safe to repeat. Null if it was already deleted.
   */
  async function keep(subject: string, owner: Owner): Promise<KeptCard | null> {
    const shopper = subject.slice(CARD.length + 1);
    const known = (await journal.of(ownerOf(shopper)))[OWNER] as OwnedCard | undefined;
    const id = known?.id ?? (await find(subject)).id;
    if (!id) return null;
    await journal.note(ownerOf(shopper), OWNER, { ...owner, id });
    await journal.forget(subject);
    return { id, shopper };
  }

  const ownerOf = (shopper: string) => `kept:${shopper}`;

  async function isOwner(owner: Owner, { id, shopper }: KeptCard): Promise<boolean> {
    if (isShopperOf(owner, shopper)) return true;
    const kept = (await journal.of(ownerOf(shopper)))[OWNER] as OwnedCard | undefined;
    return kept?.id === id && kept.account === owner.account && kept.customer === owner.customer;
  }

  /** A customer's stored card; null if it isn't theirs. */
  async function readKept(
    token: string,
    { initiator, ...owner }: Owner & { initiator: "customer" | "merchant" },
  ): Promise<PayableCard | null> {
    const card = readKeptToken(token);
    if (!card || !(await isOwner(owner, card))) return null;
    return {
      paymentMethod: { storedPaymentMethodId: card.id },
      shopper: {
        shopperReference: card.shopper,
        ...(initiator === "merchant"
          ? { shopperInteraction: "ContAuth", recurringProcessingModel: "Subscription" }
          : { shopperInteraction: "Ecommerce", recurringProcessingModel: "CardOnFile" }),
      },
    };
  }

  /** Throws if the card may still be at Adyen. */
  async function removeKept(account: string, { token, customer }: StoredCard): Promise<void> {
    const card = readKeptToken(token);
    if (!card || !(await isOwner({ account, customer }, card))) return;
    const failure = await remove(card.shopper, card.id);
    if (failure !== null) throw new Error(`Adyen did not remove a stored card: ${failure}`);
    await journal.forget(ownerOf(card.shopper));
  }

  /** A stored card's current data; null if it is gone. Throws if that can't be determined. */
  async function describe({ id, shopper }: KeptCard): Promise<KnownCard | null> {
    const response = await requests.get(`/storedPaymentMethods?${queryOf(shopper)}`);
    if (response.kind !== "answered") throw new Error(`Adyen does not list a stored card: ${reasonOf(response)}`);
    const found = z
      .object({ storedPaymentMethods: z.array(described).optional() })
      .parse(response.body)
      .storedPaymentMethods?.find((one) => one.id === id);
    if (!found) return null;
    const { brand, cardBin, lastFour, expiryMonth, expiryYear } = found;
    return {
      brand: brandOf(brand),
      bin: cardBin ?? null,
      last4: lastFour ?? null,
      exp_month: expiryMonth ? Number(expiryMonth) : null,
      exp_year: expiryYear ? Number(expiryYear.padStart(4, "20")) : null,
    };
  }

  function accept(token: string): AcceptedCard | null {
    const own = readOwnToken(token);
    if (!own) return null;
    return { token, brand: brandOf(own.brand), bin: null, last4: null, exp_month: null, exp_year: null };
  }

  /**
   * Deletes the oldest cards at Adyen, limited in number and time; returns how many. Runs don't overlap: a
   * call during a run gets that run's result. Throws at the end if some could not be deleted; those are
   * retried in an hour, after all others.
   */
  function forgetOld(): Promise<number> {
    run ??= forgetInRun().finally(() => {
      run = null;
    });
    return run;
  }

  async function forgetInRun(): Promise<number> {
    dropOldCodes();
    const now = clock.now().getTime();
    for (const [subject, untilMs] of postponed) if (untilMs <= now) postponed.delete(subject);
    const oldest = await journal.older(CARD, new Date(now - KEPT_MS), MAX_PER_RUN + postponed.size);
    const left = oldest
      .filter((subject) => !postponed.has(subject))
      .slice(0, MAX_PER_RUN)
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
        if (failures.length + running >= MAX_FAILURES || timer.elapsedMs() > endMs) break;
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT }, work));
    for (const worker of workers) if (worker.status === "rejected") throw worker.reason;
    const cards = failures.length === 1 ? "1 card" : `${failures.length} cards`;
    if (failures.length > 0) throw new Error(`Adyen did not forget ${cards}: ${failures[0]}`);
    return forgotten;
  }

  /** Null once Adyen has no card of this shopper; otherwise Adyen's error. */
  async function remove(shopper: string, id: Kept["id"]): Promise<string | null> {
    const query = queryOf(shopper);
    const ids = id === undefined ? await idsOf(query) : id === null ? [] : [id];
    if (typeof ids === "string") return ids;
    for (const one of ids) {
      const response = await requests.delete(`/storedPaymentMethods/${encodeURIComponent(one)}?${query}`);
      const isGone = response.kind === "answered" || (response.kind === "refused" && GONE.has(response.status));
      if (!isGone) return reasonOf(response);
    }
    return null;
  }

  const queryOf = (shopper: string) => new URLSearchParams({ merchantAccount, shopperReference: shopper });

  /** Ids of a shopper's stored cards, or Adyen's error. */
  async function idsOf(query: URLSearchParams): Promise<string[] | string> {
    const response = await requests.get(`/storedPaymentMethods?${query}`);
    if (response.kind !== "answered") return reasonOf(response);
    const read = listed.safeParse(response.body);
    return read.success ? (read.data.storedPaymentMethods ?? []).map(({ id }) => id) : "its list cannot be read";
  }

  return { store, read, accept, keep, readKept, removeKept, describe, forgetOld };
}

function reasonOf(response: Exclude<AdyenResponse, { kind: "answered" }>): string {
  if (response.kind === "refused") return response.message;
  return "reason" in response ? response.reason : response.kind;
}
