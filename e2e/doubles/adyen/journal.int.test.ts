import { afterAll, expect, test } from "vitest";
import { journalOf } from "@/lib/processor/connections";
import { testDatabase } from "../../fixtures/database";
import { portSuite } from "../../port-suite/suite";
import { startAdyenDouble } from "./api";
import { adyenUnderTest } from "./under-test";

const { db } = await testDatabase({ max: 20 });
const double = await startAdyenDouble({ pages: "https://pages.adyen.example/threeDS/redirect" });
afterAll(() => double.stop());

portSuite("Adyen, with its journal in PostgreSQL", adyenUnderTest(double, journalOf({ db }, "adyen")));

test("of concurrent writers of a fact one is first, and all get the same result", async () => {
  const journal = journalOf({ db }, "noted");
  const told = await Promise.all(
    Array.from({ length: 40 }, (_, index) => journal.note("a subject", "first", { index })),
  );
  expect(new Set(told.map(({ index }) => index)).size).toBe(1);
  expect(await journal.of("a subject")).toEqual({ first: told[0] });
  expect(await journalOf({ db }, "another").of("a subject")).toEqual({});
});
