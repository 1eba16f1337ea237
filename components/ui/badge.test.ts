import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { DisputeStatus } from "@/lib/contract/disputes/statuses";
import { MoneyMarks } from "./badge";

const markOf = (status: DisputeStatus) =>
  renderToStaticMarkup(
    createElement(MoneyMarks, { transaction: { dispute: { status }, capture_reversed_at: null } }),
  ).replace(/<[^>]*>/g, "");

test.each([
  ["NEEDS_RESPONSE", "Disputed"],
  ["UNDER_REVIEW", "Disputed"],
  ["WON", ""],
  ["LOST", "Dispute lost"],
  ["ACCEPTED", "Dispute accepted"],
] as const)("the mark of a payment whose dispute is %s: %s", (status, words) => {
  expect(markOf(status)).toBe(words);
});
