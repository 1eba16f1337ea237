/** Text of a field while a shopper edits it, in any script. */

export type Edit = {
  /** Current text of the input. */
  value: string;
  /** Previously displayed text. */
  before: string;
  caret: number;
  /** The key's direction of deletion. */
  direction: "backward" | "forward";
};
export type Shown = { value: string; caret: number };

/** Strips control characters, direction marks and lone surrogates, which come with pasted text. */
export function withoutMarks({ value, caret }: Shown): Shown {
  const clean = (text: string) =>
    text.replace(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, "");
  return { value: clean(value), caret: clean(value.slice(0, caret)).length };
}

export function cut({ value, caret }: Shown, length: number): Shown {
  // Don't cut through a character.
  const short = value.length <= length ? value : value.slice(0, length).replace(/[\ud800-\udbff]$/, "");
  return { value: short, caret: Math.min(caret, short.length) };
}
