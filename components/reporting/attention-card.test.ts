import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { MAX_COUNTED_REQUESTS } from "@/lib/contract/approvals/words";
import { AttentionCard } from "./attention-card";

test.each([
  [1, "1 request waits for your approval"],
  [2, "2 requests wait for your approval"],
  [MAX_COUNTED_REQUESTS, "99 requests wait for your approval"],
  [MAX_COUNTED_REQUESTS + 1, "99+ requests wait for your approval"],
])("%d requests to decide are counted as far as they were read", (approvals, words) => {
  const card = createElement(AttentionCard, { mode: "test", items: [], approvals });
  expect(renderToStaticMarkup(card).replace(/<[^>]*>/g, "")).toContain(words);
});
