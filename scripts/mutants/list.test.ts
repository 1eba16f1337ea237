import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { OTHER_PROCESSORS } from "@/e2e/proof/chosen-processor";
import { DOUBLES, MUTANTS } from "./list.mjs";

test("every mutant's edit applies: one that no longer matches proves nothing", () => {
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

const EXECUTOR = /^(lib\/domain|db\/queries)\/(payments|idempotency)\//;

test("behind a double the executor is broken, because connectors have their own mutants", () => {
  const marked = MUTANTS.filter((mutant) => "doubles" in mutant);
  const elsewhere = marked.filter(({ edits }) => !edits.every(([file]) => EXECUTOR.test(String(file))));
  expect(marked.length).toBeGreaterThan(10);
  expect(elsewhere.map(({ name }) => name)).toEqual([]);
  expect(OTHER_PROCESSORS).toEqual(expect.arrayContaining(DOUBLES));
});
