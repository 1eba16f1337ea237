const QUOTE = 0x22;
const NEWLINE = 0x0a;

/** Counts the records of a CSV file that comes in pieces. A line break inside quotes ends none. */
export class RecordCounter {
  records = 0;
  #quoted = false;

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      // A doubled quote inside quotes switches twice, which is the same as not at all.
      if (byte === QUOTE) this.#quoted = !this.#quoted;
      else if (byte === NEWLINE && !this.#quoted) this.records++;
    }
  }
}
