import type { DeclineCode } from "@/lib/contract/errors";
import type { BillingAddress } from "@/lib/contract/fields";
import type { CardBrand } from "@/lib/contract/transactions/words";
import { seededRandom } from "@/lib/seeded-random";
import { CARDS, DECLINES, DEMO_PLANS, FIRST_NAMES, GOODS, LAST_NAMES, REFUND_REASONS, STREETS, TOWNS } from "./shop";

/** A past order of the demo shop and its outcome. Amounts in minor units. */
export type PastOrder = {
  atMs: number;
  amount: number;
  currency: "USD" | "EUR";
  brand: CardBrand;
  last4: string;
  bin: string;
  customer: string;
  description: string | null;
  /** Null if the shop did not collect one, so that it was not verified. */
  address: BillingAddress | null;
  /** Name of the plan it pays for. */
  plan: string | null;
  fraudScore: number;
  fate:
    | { kind: "captured" }
    | { kind: "declined"; code: DeclineCode }
    | { kind: "voided"; afterMs: number }
    | { kind: "refunded"; amount: number; reason: string; afterMs: number };
  /** The invoice that it pays, by a stored card; null if the shop's checkout took the card. */
  bill: Bill | null;
};

/** UUIDs of the payment of an invoice, and its stored card. */
type Bill = {
  paymentId: string;
  operationId: string;
  invoiceId: string;
  subscriptionId: string;
  methodId: string;
  initiator: "customer" | "merchant";
  behavior: string;
  expMonth: number;
  expYear: number;
};

/** Time between an operation's request and its outcome. */
export const DECISION_MS = 300;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const SOLD_PLANS = DEMO_PLANS.filter(({ type }) => type === "ONE_TIME");

/** The shop's orders of the last `days` days, oldest first. The same arguments give the same orders. */
export function pastOrders(now: Date, days: number, perDay: number): PastOrder[] {
  const random = seededRandom(20);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const orders: PastOrder[] = [];
  const midnightMs = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  for (let day = days; day >= 1; day--) {
    const weekday = new Date(midnightMs - day * DAY_MS).getUTCDay();
    const busy = (weekday === 0 || weekday === 6 ? 1.35 : 0.9) * (1 + (days - day) / (days * 2));
    const count = Math.round(perDay * busy * (0.8 + random() * 0.4));
    const times = Array.from({ length: count }, () => midnightMs - day * DAY_MS + dayTime(random) * HOUR_MS);
    for (const atMs of times.sort((a, b) => a - b)) orders.push(orderAt(Math.floor(atMs), now.getTime(), random, pick));
  }
  return orders;
}

type Random = () => number;
type Pick = <T>(items: readonly T[]) => T;

function orderAt(atMs: number, nowMs: number, random: Random, pick: Pick): PastOrder {
  const sold = random() < 0.07 ? pick(SOLD_PLANS) : null;
  const [description, price] = sold ? [sold.name, sold.price] : pick(GOODS);
  const amount = price * (sold === null && random() < 0.2 ? 2 : 1);
  const card = weighted(CARDS, random());
  const declined = random() < 0.13;
  return {
    atMs,
    amount,
    plan: sold?.name ?? null,
    currency: sold || random() < 0.78 ? "USD" : "EUR",
    address: random() < 0.8 ? addressOf(random, pick) : null,
    brand: card.brand,
    bin: card.bin,
    last4: String(1000 + Math.floor(random() * 9000)),
    customer: `${pick(FIRST_NAMES)} ${pick(LAST_NAMES)}`,
    description,
    fraudScore: Math.floor(random() ** 3 * (declined ? 90 : 55)),
    fate: declined
      ? { kind: "declined", code: weighted(DECLINES, random()).code }
      : fateOf(amount, nowMs - atMs, random, pick),
    bill: null,
  };
}

function addressOf(random: Random, pick: Pick): BillingAddress {
  const town = pick(TOWNS);
  return { line1: `${1 + Math.floor(random() * 98)} ${pick(STREETS)}`, line2: null, ...town };
}

function fateOf(amount: number, ageMs: number, random: Random, pick: Pick): PastOrder["fate"] {
  const chance = random();
  const afterMs = Math.floor((0.2 + random()) * DAY_MS);
  if (afterMs >= ageMs) return { kind: "captured" };
  if (chance < 0.03) return { kind: "voided", afterMs };
  if (chance < 0.05) return { kind: "refunded", amount, reason: pick(REFUND_REASONS), afterMs };
  if (chance < 0.085)
    return { kind: "refunded", amount: Math.round(amount / 2), reason: pick(REFUND_REASONS), afterMs };
  return { kind: "captured" };
}

/** Hours after midnight: few at night, most in the evening. */
const dayTime = (random: Random): number => 6 + 17.9 * Math.max(random(), random() * 0.8);

function weighted<T extends { share: number }>(items: readonly T[], at: number): T {
  let left = at;
  for (const item of items) {
    left -= item.share;
    if (left < 0) return item;
  }
  return items[0] as T;
}

/** Cardlane's fee, in hundredths of a percent. */
export const FEE_BASIS_POINTS = 290;

/** Fee on an order's amount, in minor units. */
export const feeOn = (amount: number) => Math.floor((amount * FEE_BASIS_POINTS + 5_000) / 10_000);

/** A card that was declined as expired had expired the month before. */
export function expiryOf({ fate, last4 }: PastOrder, atMs: number): { card_exp_month: number; card_exp_year: number } {
  const at = new Date(atMs);
  const isExpired = fate.kind === "declined" && fate.code === "expired_card";
  if (!isExpired) return { card_exp_month: 1 + (Number(last4) % 12), card_exp_year: at.getUTCFullYear() + 2 };
  const month = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1));
  return { card_exp_month: month.getUTCMonth() + 1, card_exp_year: month.getUTCFullYear() };
}

/** Status of the order's charge. */
export function statusOf({ amount, fate }: PastOrder): string {
  switch (fate.kind) {
    case "captured":
      return "CAPTURED";
    case "declined":
      return "DECLINED";
    case "voided":
      return "VOIDED";
    case "refunded":
      return fate.amount === amount ? "REFUNDED" : "PARTIALLY_REFUNDED";
    default:
      return fate satisfies never;
  }
}
