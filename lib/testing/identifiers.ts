import { randomInt, randomUUID } from "node:crypto";
import { passesLuhn } from "@/lib/contract/payments/words";

/** At most sixteen. */
const digits = (length: number) =>
  [0, 1]
    .map(() => String(randomInt(1e8)).padStart(8, "0"))
    .join("")
    .slice(-length);

/** An order number of sixteen digits that a card could have: one in ten of those that begin like a card's. */
function luckyOrder(): string {
  const first = `4${digits(14)}`;
  const last = Array.from("0123456789").find((digit) => passesLuhn(first + digit)) as string;
  return first + last;
}

const KINDS: readonly (() => string)[] = [
  () => randomUUID(),
  () => String((BigInt(Date.now()) << 22n) + BigInt(randomInt(2 ** 22))),
  () => new Date(Date.UTC(2024, 0, 1) + randomInt(2 ** 37)).toISOString(),
  () => String(Date.now() + randomInt(1_000_000)),
  () => `+49 17${digits(9)}`,
  () => digits(16),
  luckyOrder,
  () => `ORD-${digits(12)}`,
  () => `order ${luckyOrder().replace(/(.{4})(?=.)/g, "$1-")}`,
];

/**
 * UUIDs, snowflakes, times, phone and order numbers, as merchants use them for keys, ids and metadata: of the kind that comes
 * at this place in turn.
 */
export const identifier = (place: number): string => (KINDS[place % KINDS.length] as () => string)();
