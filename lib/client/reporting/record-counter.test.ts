import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { RecordCounter } from "./download-export";

test("counts the records that were written, however they are split into chunks", () => {
  const cell = fc.string({ unit: fc.constantFrom('"', "\n", "\r", ",", "a", "é") });
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 3 })),
      fc.integer({ min: 1, max: 7 }),
      (rows, size) => {
        const bytes = new TextEncoder().encode(stringify(rows));
        const counter = new RecordCounter();
        for (let i = 0; i < bytes.length; i += size) counter.add(bytes.subarray(i, i + size));
        expect(counter.records).toBe(rows.length);
      },
    ),
  );
});
