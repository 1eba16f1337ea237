import type { DeclineCode } from "@/lib/contract/errors";
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
  ["Running shoes", 11_900],
  ["Rain jacket", 12_950],
  ["Water bottle", 1_980],
  ["Backpack, 28 l", 8_900],
  ["Trail map", 1_250],
  ["Head torch", 4_500],
  ["Merino socks", 2_200],
  ["Tent, two persons", 32_900],
  ["Sleeping mat", 7_400],
  ["Camping stove", 5_850],
  ["Climbing rope", 15_900],
  ["Wool hat", 2_700],
];
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
  const [description, price] = pick(GOODS);
  const amount = price * (random() < 0.2 ? 2 : 1);
  const card = weighted(
    CARDS.map((entry) => [entry, entry.weight] as const),
    random(),
  );
  const declined = random() < 0.13;
  return {
    atMs,
    amount,
    currency: random() < 0.78 ? "USD" : "EUR",
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

/** A small generator of random numbers with a seed; Math.random has none. */
function mulberry32(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
