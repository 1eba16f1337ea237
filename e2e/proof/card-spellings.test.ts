import { expect, test } from "vitest";
import { CARD_NUMBER_MARK, holdsCardNumber, holdsNumber, maskCardNumbers } from "@/lib/contract/card-numbers";
import { canaryNumber } from "./card-data-search";
import { madeSpelling, type Spelling, seededBelow, someNetwork } from "./card-spellings";

const MANY = 20_000;

/** Describes a spelling that is handled wrongly; null when it is handled correctly. */
function gap({ name, write, isUsual }: Spelling, digits: string): string | null {
  const { front, number, back, hasCode } = write(digits);
  const text = front + number + back;
  const masked = maskCardNumbers(text);
  const kept = masked.split(CARD_NUMBER_MARK);
  const [before = "", after = text] = [kept[0], kept.slice(1).at(-1)];
  const isMasked =
    front.startsWith(before) &&
    back.endsWith(after) &&
    kept.slice(1, -1).every((part) => front.includes(part) || back.includes(part));
  const problems = [
    !isMasked && `masked as ${JSON.stringify(masked)}`,
    hasCode && masked.endsWith(back) && "its code is left",
    isUsual && !holdsCardNumber(text) && "not refused",
    !holdsNumber(text, digits) && "not found as the request's own",
  ].filter(Boolean);
  return problems.length > 0 ? `${digits} ${name} ${JSON.stringify(text)}: ${problems.join(", ")}` : null;
}

test("each of 20,000 generated spellings is masked, and a usual one rejected", () => {
  const random = seededBelow(Number(process.env.PROOF_SEED ?? 1));
  const gaps: string[] = [];
  for (let i = 0; i < MANY && gaps.length < 10; i++) {
    const found = gap(madeSpelling(random), canaryNumber(random, ...someNetwork(random)));
    if (found) gaps.push(found);
  }
  expect(gaps).toEqual([]);
});
