import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { CARD } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { linkShops } from "@/e2e/fixtures/payment-links";
import { checkoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { createPaymentLinkBody } from "@/lib/contract/checkout/payment-link";
import { createPaymentLink } from "@/lib/domain/checkout/payment-links";
import { newId } from "@/lib/ids";
import { attempt } from "./checkout";
import { checkoutPage } from "./checkout-page";
import { provideService } from "./current-service";
import { linkPage, openLink } from "./payment-link";

const { db } = await testDatabase();

/** A browser as far as its cookies go: from another site it sends none that is `Strict`, and `None` goes with everything. */
function browser() {
  let cookie: { value: string; sameSite: string } | null = null;
  return {
    keep(header: string | null) {
      const [value = "", ...rest] = (header ?? "").split("; ");
      const sameSite = rest.find((one) => one.startsWith("SameSite="))?.slice("SameSite=".length) ?? "none given";
      cookie = { value, sameSite };
    },
    request(url: string, from: "same-origin" | "cross-site", method = "GET") {
      const isSent = cookie !== null && (from === "same-origin" || (cookie.sameSite === "Lax" && method === "GET"));
      return new Request(url, {
        method,
        headers: {
          ...{ "sec-fetch-site": from, "x-forwarded-for": "192.0.2.7" },
          ...(isSent && { cookie: cookie?.value ?? "" }),
        },
      });
    },
  };
}

test("whoever has paid at a link and opens it again, from a mailbox too, is told so before there is another form", async () => {
  const tenant = await moneyTenant(db);
  provideService(tenant.service);
  const price = { amount: 1_999, currency: "USD", description: "A poster" };
  const link = await createPaymentLink(
    testContext(tenant.service, tenant.merchant.test),
    createPaymentLinkBody.parse(price),
  );
  const token = link.url.slice(link.url.lastIndexOf("/") + 1);
  const shopper = browser();
  const visit = (from: "same-origin" | "cross-site") => linkPage(shopper.request(link.url, from), token);
  expect(await visit("cross-site")).toMatchObject({ kind: "page", paidBefore: null });
  const opened = await openLink(shopper.request(`${link.url}/open`, "same-origin", "POST"), token);
  if (opened.kind !== "opened") throw new Error(`no form: ${opened.problem}`);
  shopper.keep(opened.answer.headers.get("set-cookie"));
  const session = opened.answer.headers.get("location")?.slice("/pay/".length) ?? "";
  await attempt(
    {
      ...{ service: tenant.service, params: { token: session }, address: randomUUID(), cookies: null },
      request: { id: newId(), path: "/pay/{token}/attempts" },
    },
    checkoutAttemptBody.parse({ attempt: randomUUID(), card: CARD }),
  );
  for (const from of ["same-origin", "cross-site"] as const)
    expect(await visit(from), from).toMatchObject({ kind: "page", paidBefore: `/pay/${session}` });
});

test("the link's page and the form behind it say of a plan with a free trial what is paid, and that there is no trial", async () => {
  const tenant = await moneyTenant(db);
  provideService(tenant.service);
  const { newPlan, sell } = linkShops(db);
  const plan = await newPlan(tenant, {
    ...{ type: "SUBSCRIPTION_FREE_TRIAL", full_price_amount: 19 },
    ...{ billing_frequency_value: 1, billing_frequency_unit: "MONTHS" },
    ...{ trial_period_value: 14, trial_period_unit: "DAYS" },
  });
  const { link, address, opened } = await sell({ plan_id: plan.id }, tenant);
  const sold = { amount: 1_900, terms: { price: 1_900, trial: { value: 14, unit: "DAYS" }, trialPrice: null } };
  expect(await linkPage(new Request(link.url), address)).toMatchObject({ kind: "page", sale: sold });
  const token = await opened();
  const page = () => checkoutPage(new Request(`http://localhost/pay/${token}`), token);
  expect(await page()).toMatchObject({ kind: "page", page: sold });
  await plan.reprice(25);
  expect(await page(), "the plan has another price by now").toMatchObject({ page: { amount: 1_900, terms: null } });
});
