/** Text of a field while a shopper edits it, in any script. */

export type Edit = {
  /** The text in the input now. */
  value: string;
  /** The text it showed before. */
  before: string;
  caret: number;
  /** Which way the key deletes. */
  direction: "backward" | "forward";
};
export type Shown = { value: string; caret: number };

/** Without control characters, marks of direction and halves of surrogate pairs, which come with pasted text. */
export function withoutMarks({ value, caret }: Shown): Shown {
  const clean = (text: string) =>
    text.replace(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, "");
  return { value: clean(value), caret: clean(value.slice(0, caret)).length };
}

export function cut({ value, caret }: Shown, length: number): Shown {
  // Not through the middle of a character.
  const short = value.length <= length ? value : value.slice(0, length).replace(/[\ud800-\udbff]$/, "");
  return { value: short, caret: Math.min(caret, short.length) };
}
