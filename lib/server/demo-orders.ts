import type { DeclineCode } from "@/lib/contract/errors";
import type { BillingAddress } from "@/lib/contract/fields";
import type { PlanType } from "@/lib/contract/plans/plan";
import type { CardBrand } from "@/lib/contract/transactions/words";

/** One order of the demo shop's past and what became of it. Amounts in minor units, times in milliseconds since 1970. */
export type PastOrder = {
  atMs: number;
  amount: number;
  currency: "USD" | "EUR";
  brand: CardBrand;
  last4: string;
  bin: string;
  customer: string;
  description: string;
  /** Null where the shop did not collect one, so that the address could not be checked. */
  address: BillingAddress | null;
  /** Which of the shop's plans it pays for. */
  plan: number | null;
  fraudScore: number;
  fate:
    | { kind: "captured" }
    | { kind: "declined"; code: DeclineCode }
    | { kind: "voided"; afterMs: number }
    | { kind: "refunded"; amount: number; reason: string; afterMs: number };
};

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const GOODS: [string, number][] = [
  ["Evening tide, 30 × 40 cm", 3_200],
  ["Evening tide, framed", 11_900],
  ["Harbour at dawn, 50 × 70 cm", 12_950],
  ["Postcards, set of eight", 1_980],
  ["Star chart, 60 × 90 cm", 8_900],
  ["Greeting card", 1_250],
  ["Lighthouse, 30 × 40 cm", 4_500],
  ["Desk calendar", 2_200],
  ["Triptych, framed", 32_900],
  ["Oak frame, 50 × 70 cm", 7_400],
  ["Notebook, linen bound", 5_850],
  ["Signed linocut", 15_900],
  ["Tea towel, waves", 2_700],
];
type DemoPlan = { name: string; type: PlanType; price: number; description: string; trialDays?: number };

/** The shop's plans. Prices in US cents; what recurs does so monthly. */
export const DEMO_PLANS: readonly DemoPlan[] = [
  {
    ...{ name: "Framing service", type: "ONE_TIME", price: 6_500 },
    description: "Your own print, framed in oak. Ready in two weeks.",
  },
  {
    ...{ name: "Printmaking workshop", type: "ONE_TIME", price: 12_000 },
    description: "One day at the press, up to eight people. Paper, ink and lunch included.",
  },
  {
    ...{ name: "Print of the month", type: "SUBSCRIPTION_FREE_TRIAL", price: 1_900, trialDays: 14 },
    description: "A small print in your mailbox, every month.",
  },
];
const SOLD_PLANS = DEMO_PLANS.flatMap(({ type }, index) => (type === "ONE_TIME" ? [index] : []));

const TOWNS: [city: string, state: string | null, postalCode: string, country: string][] = [
  ["Denver", "CO", "80202", "US"],
  ["Portland", "OR", "97205", "US"],
  ["Burlington", "VT", "05401", "US"],
  ["Innsbruck", null, "6020", "AT"],
  ["Grenoble", null, "38000", "FR"],
  ["Bergen", null, "5003", "NO"],
];
const STREETS = ["Main Street", "Mill Lane", "Station Road", "Park Avenue", "River Walk"];

const FIRST =
  "Ada Jonas Mei Ruth Noah Sora Eva Omar Clara Tom Lina Hugo Ines Paul Nora Amir Lucy Marco Greta Ravi".split(" ");
const LAST =
  "Moreno Weber Tanaka Okafor Fischer Kimura Lindqvist Haddad Rossi Aldridge Costa Novak Dubois Larsen".split(" ");
const CARDS: { brand: CardBrand; bin: string; weight: number }[] = [
  { brand: "visa", bin: "411111", weight: 0.56 },
  { brand: "mastercard", bin: "555555", weight: 0.29 },
  { brand: "amex", bin: "378282", weight: 0.1 },
  { brand: "discover", bin: "601111", weight: 0.05 },
];
const DECLINES: [DeclineCode, number][] = [
  ["insufficient_funds", 0.44],
  ["generic_decline", 0.26],
  ["expired_card", 0.12],
  ["incorrect_cvv", 0.11],
  ["lost_card", 0.07],
];
const REASONS = ["CUSTOMER_REQUEST", "RETURN", "DUPLICATE"];

/** The shop's orders of the last `days` days, oldest first: the same numbers give the same story. */
export function pastOrders(now: Date, days: number, perDay: number): PastOrder[] {
  const random = mulberry32(20);
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
  const plan = random() < 0.07 ? pick(SOLD_PLANS) : null;
  const sold = plan === null ? null : (DEMO_PLANS[plan] as DemoPlan);
  const [description, price] = sold ? [sold.name, sold.price] : pick(GOODS);
  const amount = price * (sold === null && random() < 0.2 ? 2 : 1);
  const card = weighted(
    CARDS.map((entry) => [entry, entry.weight] as const),
    random(),
  );
  const declined = random() < 0.13;
  return {
    atMs,
    amount,
    plan,
    currency: sold || random() < 0.78 ? "USD" : "EUR",
    address: random() < 0.8 ? addressOf(random, pick) : null,
    brand: card.brand,
    bin: card.bin,
    last4: String(1000 + Math.floor(random() * 9000)),
    customer: `${pick(FIRST)} ${pick(LAST)}`,
    description,
    fraudScore: Math.floor(random() ** 3 * (declined ? 90 : 55)),
    fate: declined
      ? { kind: "declined", code: weighted(DECLINES, random()) }
      : fateOf(amount, nowMs - atMs, random, pick),
  };
}

function addressOf(random: Random, pick: Pick): BillingAddress {
  const [city, state, postal_code, country] = pick(TOWNS);
  return { line1: `${1 + Math.floor(random() * 98)} ${pick(STREETS)}`, line2: null, city, state, postal_code, country };
}

function fateOf(amount: number, ageMs: number, random: Random, pick: Pick): PastOrder["fate"] {
  const chance = random();
  const afterMs = Math.floor((0.2 + random()) * DAY_MS);
  if (afterMs >= ageMs) return { kind: "captured" };
  if (chance < 0.03) return { kind: "voided", afterMs };
  if (chance < 0.05) return { kind: "refunded", amount, reason: pick(REASONS), afterMs };
  if (chance < 0.085) return { kind: "refunded", amount: Math.round(amount / 2), reason: pick(REASONS), afterMs };
  return { kind: "captured" };
}

/** Hours after midnight: few at night, most in the evening. */
const dayTime = (random: Random): number => 6 + 17.9 * Math.max(random(), random() * 0.8);

function weighted<T>(items: readonly (readonly [T, number])[], at: number): T {
  let left = at;
  for (const [item, weight] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  return (items[0] as readonly [T, number])[0];
}

/** A small random generator with a seed, which Math.random lacks. */
function mulberry32(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
