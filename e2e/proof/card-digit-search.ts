import { STYLED_DIGITS } from "./card-spellings";

/** Finds a number's digits in order in any bytes, with anything between them. */
export type DigitSearch = (bytes: Buffer, found: (name: string, offset: number) => void) => void;

/** First or last digits that count as the whole number: a receipt may show ten. */
const MOST_OF_IT = 14;
/** Rolling window of digits; its value still fits a double. */
const WINDOW = 12;
const WINDOW_VALUES = 10 ** WINDOW;
/** Digits in binary data are farther apart. */
const MAX_BYTES = 400;
const SLOTS = 1 << 20;
/** Minimum of distinct digits. A number such as 4000000000005126 leaves mostly zeros, which occur everywhere. */
const MIN_DIFFERENT = 7;

type Part = { readonly name: string; readonly digits: string };

/**
 * The search is independent of a number's spelling: digits of any script and style in UTF-8 count by value,
 * and all else is skipped.
 */
export function createDigitSearch(numbers: readonly { name: string; text: string }[]): DigitSearch {
  const slots = new Uint8Array(SLOTS);
  const parts = new Map<number, Part[]>();
  for (const { name, text } of numbers) {
    if (new Set(text).size < MIN_DIFFERENT) continue;
    for (const digits of new Set([text.slice(0, MOST_OF_IT), text.slice(-MOST_OF_IT)])) {
      const value = Number(digits.slice(-WINDOW));
      slots[value % SLOTS] = 1;
      parts.set(value, [...(parts.get(value) ?? []), { name, digits }]);
    }
  }

  return (bytes, found) => {
    const values = new Uint8Array(MOST_OF_IT);
    const offsets = new Float64Array(MOST_OF_IT);
    let count = 0;
    let window = 0;
    const at = (back: number) => (count - 1 - back + MOST_OF_IT) % MOST_OF_IT;

    function take(value: number, offset: number): void {
      values[count % MOST_OF_IT] = value;
      offsets[count % MOST_OF_IT] = offset;
      count++;
      window = (window * 10 + value) % WINDOW_VALUES;
      if (count < WINDOW || slots[window % SLOTS] === 0) return;
      for (const { name, digits } of parts.get(window) ?? []) {
        const first = offsets[at(digits.length - 1)] as number;
        const isWhole = Array.from(digits.slice(0, -WINDOW)).every(
          (digit, place) => values[at(digits.length - 1 - place)] === Number(digit),
        );
        if (isWhole && count >= digits.length && offset - first <= MAX_BYTES) found(name, first);
      }
    }

    for (let offset = 0; offset < bytes.length; offset++) {
      const byte = bytes[offset] as number;
      if (byte < 0x80) {
        if (byte >= 0x30 && byte <= 0x39) take(byte - 0x30, offset);
        continue;
      }
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
      if (length === 1 || offset + length > bytes.length) continue;
      for (const digit of styledDigitsAt(bytes, offset, length)) take(digit, offset);
    }
  };
}

const NONE: readonly number[] = [];
const BY_POINT: ReadonlyMap<number, readonly number[]> = new Map(
  [...STYLED_DIGITS].map(([character, digits]) => [
    character.codePointAt(0) as number,
    Array.from(digits, (digit) => Number(digit)),
  ]),
);

function styledDigitsAt(bytes: Buffer, offset: number, length: number): readonly number[] {
  let point = (bytes[offset] as number) & (0x7f >> length);
  for (let i = 1; i < length; i++) point = (point << 6) | ((bytes[offset + i] as number) & 0x3f);
  return BY_POINT.get(point) ?? NONE;
}
