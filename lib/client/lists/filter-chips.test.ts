import { expect, test } from "vitest";
import { FILTER_ROWS } from "@/lib/contract/transactions/filters";
import { filterChips } from "./filter-chips";

test.each([
  [{ gte: 5_001, lte: null, unit: "USD" }, "over $50.00"],
  [{ gte: 5_000, lte: null, unit: "USD" }, "at least $50.00"],
  [{ gte: null, lte: 4_999, unit: "EUR" }, "under €50.00"],
  [{ gte: null, lte: 5_000, unit: "EUR" }, "at most €50.00"],
  [{ gte: 701, lte: null, unit: "JPY" }, "at least ¥701"],
  [{ gte: 4_999, lte: 5_001, unit: "USD" }, "$49.99 to $50.01"],
  [{ gte: 5_000, lte: 5_000, unit: "USD" }, "$50.00"],
  [{ gte: null, lte: 700, unit: "minor" }, "at most 700 minor units"],
] as const)("an amount filter %j reads as %s", (amount, label) => {
  expect(filterChips(FILTER_ROWS, { amount }, "UTC")).toMatchObject([{ name: "amount", label: `Amount: ${label}` }]);
});
