import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MUTANTS } from "./list.mjs";

test("every mutant finds what it breaks: one that fits no more proves nothing", () => {
  const misfits = MUTANTS.flatMap(({ name, edits }) =>
    edits.flatMap(([file, there]) => {
      const source = readFileSync(String(file), "utf8");
      const fits = there instanceof RegExp ? there.test(source) : source.includes(String(there));
      return fits ? [] : [`${name}: ${file}`];
    }),
  );
  expect(MUTANTS.length).toBeGreaterThan(30);
  expect(misfits).toEqual([]);
});
