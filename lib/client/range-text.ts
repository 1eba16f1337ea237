type Range = { page: number; perPage: number; count: number; total: number; capped: boolean };

const number = new Intl.NumberFormat("en-US");

/** "21–40 of 240", "1–20 of 10,000+", "0 of 0": which rows of how many a page shows. */
export function rangeText({ page, perPage, count, total, capped }: Range): string {
  const all = `${number.format(total)}${capped ? "+" : ""}`;
  if (count === 0) return `0 of ${all}`;
  const first = (page - 1) * perPage + 1;
  return `${number.format(first)}–${number.format(first + count - 1)} of ${all}`;
}
