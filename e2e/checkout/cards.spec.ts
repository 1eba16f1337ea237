import { getClientSession } from "@/lib/contract/checkout/endpoints";
import { getPayment } from "@/lib/contract/payments/endpoints";
import { SANDBOX_CARDS, type SandboxCard } from "@/lib/contract/sandbox-cards";
import { expect } from "../fixtures/playwright";
import { type Checkout, expectPaid, expectStep, issuerIn, pay, TEXTS, test } from "./fixtures";

const PAGES_AT_ONCE = 3;

type Ending = { paid: "CAPTURED" | "AUTHORIZED" } | { declined: keyof typeof TEXTS.notices };

function endingOf({ behavior }: SandboxCard): Ending {
  switch (behavior) {
    case "capture_fails":
      return { paid: "AUTHORIZED" };
    case "garbage":
    case "decline:processing_error":
      return { declined: "processing_error" };
    case "decline:insufficient_funds":
      return { declined: "insufficient_funds" };
    case "decline:expired_card":
      return { declined: "expired_card" };
    case "decline:incorrect_cvv":
      return { declined: "incorrect_cvv" };
    case "decline:authentication_failed":
      return { declined: "authentication_failed" };
    default:
      return behavior.startsWith("decline:") ? { declined: "card_declined" } : { paid: "CAPTURED" };
  }
}

// e2e/demo/cards.spec.ts tests both widths, within a complete shop.
test("every sandbox card behaves in the form as documented: shopper, page and server agree", {
  tag: "@prove",
}, async ({ context, api, openCheckout }) => {
  const check = async (card: SandboxCard): Promise<void> => {
    const page = await context.newPage();
    const checkout = await openCheckout(page);
    await test.step(`${card.number} ${card.behavior}`, async () => {
      await pay(checkout.form, card.number);
      if (card.behavior === "challenge") {
        await issuerIn(checkout.form).getByRole("button", { name: "Approve the payment" }).click();
      }
      await expectEnding(checkout, endingOf(card));
    });
    await page.close();
  };

  const expectEnding = async ({ form, told, session }: Checkout, ending: Ending): Promise<void> => {
    const stands = async () => (await api.call(getClientSession, { id: session.id })).ok();
    if ("paid" in ending) {
      await expectPaid(form);
      const { status, payment_id } = await stands();
      expect(status).toBe("COMPLETED");
      const payment = (await api.call(getPayment, { id: payment_id ?? "" })).ok();
      expect(payment).toMatchObject({ status: ending.paid, amount: session.amount, client_session_id: session.id });
      const result = { clientSessionId: session.id, paymentId: payment_id, status: ending.paid };
      await expect
        .poll(() => told("onSuccess"))
        .toEqual([{ ...result, paymentToken: null, returnUrl: null, paymentMethodId: null, subscriptionId: null }]);
      expect(await told("onError")).toEqual([]);
      await expect(form.getByText(payment_id ?? "nothing")).toBeVisible();
      return;
    }
    const notice = TEXTS.notices[ending.declined];
    await expect(form.getByText(notice)).toBeVisible({ timeout: 60_000 });
    await expect(form.getByText(TEXTS.attemptsLeft(4))).toBeVisible();
    await expectStep(form, TEXTS.cardDetails);
    await expect(form.locator("#cvv")).toHaveValue("");
    await expect.poll(() => told("onError")).toEqual([{ code: ending.declined, message: notice, attemptsLeft: 4 }]);
    expect(await told("onSuccess")).toEqual([]);
    expect(await stands()).toMatchObject({ status: "OPEN", attempts_left: 4, payment_id: null });
  };

  const left = [...SANDBOX_CARDS];
  const lane = async () => {
    for (let card = left.pop(); card; card = left.pop()) await check(card);
  };
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, lane));
});
