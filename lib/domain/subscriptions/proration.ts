/** numerator / denominator, rounded to the nearest integer, halves to even. `denominator` > 0. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n;
  const size = negative ? -numerator : numerator;
  const whole = size / denominator;
  const twice = (size % denominator) * 2n;
  const isUp = twice > denominator || (twice === denominator && whole % 2n === 1n);
  const rounded = isUp ? whole + 1n : whole;
  return negative ? -rounded : rounded;
}

const secondsOf = (iso: string): bigint => BigInt(Math.floor(Date.parse(iso) / 1000));

/**
 * The share of an amount for the time from `at` to the period's end, prorated by the second, in minor units.
 * The whole amount at or before the start; 0 at or after the end.
 */
export function unusedPart(amount: number, period: { start_at: string; end_at: string }, at: string): number {
  const [start, end, now] = [secondsOf(period.start_at), secondsOf(period.end_at), secondsOf(at)];
  if (now >= end) return 0;
  if (now <= start) return amount;
  return Number(divideHalfEven(BigInt(amount) * (end - now), end - start));
}
