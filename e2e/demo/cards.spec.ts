import type { Page } from "playwright/test";
import { SANDBOX_CARDS, type SandboxBehavior, type SandboxCard } from "@/lib/contract/sandbox-cards";
import { widthsOf } from "../browser";
import { fillCard, payButton } from "../checkout/fixtures";
import { expect } from "../fixtures/playwright";
import { openCheckout, paymentOnPage, test } from "./fixtures";

const APPROVED: ReadonlySet<SandboxBehavior> = new Set([
  ...(["approve", "challenge", "avs_no_match", "cvv_no_match"] as const),
  ...(["merchant_decline:insufficient_funds", "merchant_decline:stolen_card"] as const),
  ...(["merchant_decline:authentication_failed", "merchant_declines_later"] as const),
  ...(["dispute:FRAUDULENT", "dispute:NOT_RECEIVED"] as const),
  ...(["refund_fails_later", "lost_answer", "refuse_once", "slow"] as const),
]);

/** The first card of each group; `npm test` pays only with these. */
const isFirst = ({ number, group }: SandboxCard) =>
  SANDBOX_CARDS.find((card) => card.group === group)?.number === number;

for (const [index, card] of SANDBOX_CARDS.entries()) {
  const { number, behavior } = card;
  const tag = isFirst(card) ? ["@looks"] : ["@looks", "@prove"];
  for (const width of widthsOf(index)) {
    test(`a print is bought with ${number} (${behavior}), ${width} px`, { tag }, async ({ page, baseUrl, demo }) => {
      await page.setViewportSize({ width, height: 844 });
      const form = await openCheckout(page, baseUrl);
      await fillCard(form, number);
      await payButton(form).click();
      if (behavior === "challenge") {
        await form.frameLocator("iframe").getByRole("button", { name: "Approve the payment" }).click();
      }
      if (APPROVED.has(behavior)) {
        await expect(page.getByRole("heading", { name: "It’s yours" })).toBeVisible({ timeout: 60_000 });
        const payment = await paymentOnPage(page, demo);
        expect(payment).toMatchObject({ status: "CAPTURED", amount: 3_800, currency: "USD" });
        await expect(page.getByText(payment?.id ?? "")).toBeVisible();
        return;
      }
      if (behavior === "capture_fails") {
        // The issuer holds the amount without a capture: neither paid nor lost.
        await expect(page.getByRole("heading", { name: "It’s reserved for you" })).toBeVisible({ timeout: 60_000 });
        expect(await paymentOnPage(page, demo)).toMatchObject({ status: "AUTHORIZED", amount_captured: 0 });
        return;
      }
      await expect(form.getByRole("alert").filter({ hasText: /\w/ })).toBeVisible({ timeout: 60_000 });
      // The page ignores the browser's claim and shows the server's result.
      const session = await sessionOf(page);
      await page.goto(`${baseUrl}/demo/result?client_session_id=${session}&redirect_status=succeeded`);
      await expect(page.getByRole("heading", { name: "Not paid yet" })).toBeVisible();
      expect(await paymentOnPage(page, demo)).toBeNull();
      // The same order, with a card that is approved.
      await page.getByRole("link", { name: "Back to the payment" }).click();
      await fillCard(form, "4242424242424242");
      await payButton(form).click();
      await expect(page.getByRole("heading", { name: "It’s yours" })).toBeVisible();
      expect(new URL(page.url()).searchParams.get("client_session_id")).toBe(session);
    });
  }
}

/** The session's id, from the live log in the tab. */
async function sessionOf(page: Page): Promise<string> {
  const log = await page.evaluate(() => sessionStorage.getItem("cardlane.demo.log") ?? "");
  return /"id":"(cs_\w+)"/.exec(log)?.[1] ?? "";
}
