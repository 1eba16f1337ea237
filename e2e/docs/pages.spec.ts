import { ERROR_CODES } from "@/lib/contract/errors";
import { expectAccessible, expectAccessibleInBothSchemes, expectWellInEveryLook, test } from "../browser";
import { expect } from "../fixtures/playwright";
import { aCard, CARDS, captured } from "../samples";

const PAGES = [
  "/",
  "/docs",
  "/docs/quickstart",
  "/docs/checkout",
  "/docs/subscriptions",
  "/docs/disputes",
  "/docs/errors",
  "/docs/errors/card_declined",
  "/docs/webhooks",
  "/docs/processors",
  "/docs/mcp",
  "/docs/testing",
  "/docs/going-live",
  "/docs/changelog",
  "/docs/reference",
  "/docs/search?q=refund",
  "/nowhere",
];
/** One page of each kind, for `npm test`. */
const KINDS = ["/", "/docs/quickstart", "/docs/errors/card_declined", "/docs/search?q=refund", "/nowhere"];

for (const path of PAGES) {
  const tag = KINDS.includes(path) ? ["@looks"] : ["@looks", "@prove"];
  test(`${path} is accessible and fits, wide and narrow, light and dark`, { tag }, async ({ page }) => {
    await expectWellInEveryLook(page, async () => {
      expect((await page.goto(path))?.status()).toBe(path === "/nowhere" ? 404 : 200);
    });
  });
}

test("the challenge page is accessible in both color schemes", { tag: "@looks" }, async ({ page, api }) => {
  const payment = await captured(api, { amount: 1_999, card: aCard(CARDS.challenge) });
  await page.goto(payment.next_action?.redirect_to_url.url ?? "");
  await expectAccessibleInBothSchemes(page);
});

test("every link of the pages leads somewhere, and so does every error's address", { tag: "@prove" }, async ({
  page,
  request,
  baseUrl,
}) => {
  const links = new Set(ERROR_CODES.map((code) => `/docs/errors/${code}`));
  for (const path of ["/llms.txt", "/docs.md", "/docs/quickstart.md", "/docs/postman.json", "/sdk/node.tgz"])
    links.add(path);
  for (const path of PAGES) {
    await page.goto(`${baseUrl}${path}`);
    for (const href of await page
      .locator("a[href^='/']")
      .evaluateAll((all) => all.map((a) => a.getAttribute("href")))) {
      links.add((href ?? "").split("#")[0] || "/");
    }
  }
  for (const link of links) {
    const answer = await request.get(`${baseUrl}${link}`);
    expect(answer.status(), link).toBe(200);
    if (link.endsWith(".md")) expect(answer.headers()["content-type"], link).toBe("text/markdown; charset=utf-8");
  }
  expect((await request.get(`${baseUrl}/docs/nothing.md`)).status()).toBe(404);
});

test("without a demo merchant, the sample shop is a 404 that says how to get one", async ({ page, baseUrl }) => {
  for (const path of ["/demo", "/demo/checkout?print=tide", "/demo/result?client_session_id=cs_1"]) {
    const response = await page.goto(`${baseUrl}${path}`);
    expect(response?.status(), path).toBe(404);
    await expect(page.getByRole("heading", { name: "The sample shop is closed here" })).toBeVisible();
  }
  await expectAccessible(page);
  const refused = await page.request.post(`${baseUrl}/demo/checkout/session`, { data: {} });
  expect(refused.status()).toBe(404);
});
