const MIN_LENGTH = 15;
const MAX_LENGTH = 34;

/** ISO 7064: with its first four characters moved to the end and letters as 10–35, an IBAN modulo 97 is 1. */
export function isValidIban(number: string): boolean {
  let rest = 0;
  for (const character of number.slice(4) + number.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

const START = /(?<![A-Za-z\d])[A-Za-z]{2}\d{2}/g;
const GROUP = /[ .-]?[A-Za-z\d]{1,34}(?![A-Za-z\d])/y;

/** Replaces each valid IBAN, contiguous or in groups, with "…". */
export function withoutIbans(text: string): string {
  const parts: string[] = [];
  let kept = 0;
  for (const { index } of text.matchAll(START)) {
    if (index < kept) continue;
    const end = endOfIban(text, index);
    if (end === 0) continue;
    parts.push(text.slice(kept, index));
    kept = end;
  }
  return kept === 0 ? text : [...parts, text.slice(kept)].join("…");
}

/** End of the last group that completes a valid IBAN; 0 if none does. */
function endOfIban(text: string, start: number): number {
  let number = "";
  let end = 0;
  GROUP.lastIndex = start;
  for (let group = GROUP.exec(text); group; group = GROUP.exec(text)) {
    number += group[0].replace(/^[ .-]/, "");
    if (number.length > MAX_LENGTH) break;
    if (number.length >= MIN_LENGTH && isValidIban(number)) end = GROUP.lastIndex;
  }
  return end;
}
