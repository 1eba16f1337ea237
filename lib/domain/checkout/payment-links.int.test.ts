import { describe, expect, test } from "vitest";
import { codeOf } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { moneyTenant } from "@/e2e/fixtures/money";
import { linkShops } from "@/e2e/fixtures/payment-links";
import { createPaymentLinkBody, type PaymentLink, paymentLink } from "@/lib/contract/checkout/payment-link";
import { decodeId } from "@/lib/contract/ids";
import { idAt } from "@/lib/ids";
import { createPaymentLink, getPaymentLink, listPaymentLinks, updatePaymentLink } from "./payment-links";

const { db } = await testDatabase({ max: 20 });
const { contextOf, newPlan, sell } = linkShops(db);

describe("links of a merchant", () => {
  test("sell a plan for the amount due today; a plan that is not active is not for sale", async () => {
    const tenant = await moneyTenant(db);
    const monthly = { billing_frequency_value: 1, billing_frequency_unit: "MONTHS" };
    const trial = { trial_period_value: 14, trial_period_unit: "DAYS" };
    const paid = { ...monthly, ...trial, type: "SUBSCRIPTION_PAID_TRIAL", name: "Paid", trial_price_amount: 1 };
    const gratis = { ...monthly, ...trial, type: "SUBSCRIPTION_FREE_TRIAL", name: "Free" };
    const [first, second] = [await newPlan(tenant, paid), await newPlan(tenant, gratis)];
    const shop = await sell({ plan_id: first.id }, tenant);
    expect(shop.link.amount).toBe(100);
    const free = await sell({ plan_id: second.id }, tenant);
    expect(free.link).toMatchObject({ amount: 0, status: "ACTIVE" });
    const active = await listPaymentLinks(contextOf(tenant), { status: "ACTIVE" });
    expect(active.data.map(({ plan_name }) => plan_name)).toEqual(["Free", "Paid"]);
    const create = (body: object) => codeOf(createPaymentLink(contextOf(tenant), createPaymentLinkBody.parse(body)));
    await first.stop();
    expect(await create({ plan_id: first.id })).toBe("plan_not_active");
    expect(await create({ plan_id: "plan_none" })).toBe("resource_not_found");
    expect(await create({ amount: 1, currency: "XXX", description: "x" })).toBe("currency_not_supported");
    const past = { amount: 1, currency: "USD", description: "x", expires_at: "2020-01-01T00:00:00Z" };
    expect(await create(past)).toBe("invalid_parameter");
  });

  test("are listed newest first, with their product, and only to their merchant", async () => {
    const tenant = await moneyTenant(db);
    const [off, sold, selling] = [
      await sell({ name: "Off" }, tenant),
      await sell({ name: "Sold", single_use: true }, tenant),
      await sell({ name: "Selling" }, tenant),
    ];
    await off.change({ active: false });
    await sold.pay(await sold.opened());
    const names = async (query: object) =>
      (await listPaymentLinks(contextOf(tenant), { offset: undefined, ...query })).data.map(({ name }) => name);
    expect(await names({})).toEqual(["Selling", "Sold", "Off"]);
    expect(await names({ status: "ACTIVE" })).toEqual(["Selling"]);
    const otherMerchant = await moneyTenant(db);
    expect(await codeOf(getPaymentLink(contextOf(otherMerchant), { id: selling.link.id }))).toBe("resource_not_found");
    expect(await codeOf(updatePaymentLink(contextOf(otherMerchant), { id: selling.link.id, active: false }))).toBe(
      "resource_not_found",
    );
    expect((await listPaymentLinks(contextOf(otherMerchant), {})).total).toBe(0);
  });

  test("change their name, texts and expiry, with an audit record, and without one if nothing changes", async () => {
    const shop = await sell();
    const changed: PaymentLink = await shop.change({ name: "Spring", description: "A big poster" });
    expect(paymentLink.strip().parse(changed)).toMatchObject({ name: "Spring", description: "A big poster" });
    const again = await shop.change({ name: "Spring" });
    expect(again.updated_at).toBe(changed.updated_at);
    expect(await codeOf(shop.change({ description: null }))).toBe("missing_parameter");
    const acts = await db.sql`
      select action from audit_log where object_id = ${decodeId("paymentLink", shop.link.id)} order by id`;
    expect(acts.map(({ action }) => action)).toEqual(["payment_link.created", "payment_link.updated"]);
  });
});

test("a link with very many sales sums the newest of them, and changing it sums none", async () => {
  const shop = await sell();
  const environmentId = shop.tenant.environmentId;
  const linkId = decodeId("paymentLink", shop.link.id) as string;
  await db.sql.begin(async (tx) => {
    const times = Array.from({ length: 5_010 }, (_, i) => new Date(Date.UTC(2026, 0, 1) + i * 1_000));
    const [ids, at] = [times.map(idAt), times.map((time) => time.toISOString())];
    await tx`insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, amount_captured,
        capture_method, created_at, updated_at)
      select ${environmentId}, id, id, id, 'SETTLED', 'USD', 100, 100, 'automatic', at, at
      from unnest(${ids}::uuid[], ${at}::timestamptz[]) made (id, at)`;
    await tx`insert into client_sessions (environment_id, id, token_sha256, status, amount, currency, capture_method,
        payment_link_id, payment_id, allowed_origins, metadata, expires_at, created_at, updated_at)
      select ${environmentId}, id, sha256(id::text::bytea), 'COMPLETED', 100, 'USD', 'automatic', ${linkId}, id, '{}', '{}',
        at, at, at
      from unnest(${ids}::uuid[], ${at}::timestamptz[]) made (id, at)`;
  });
  const sales = { count: 5_000, capped: true, captured: [{ currency: "USD", amount: 500_100 }] };
  expect((await shop.get()).sales).toEqual(sales);
  const { data } = await listPaymentLinks(contextOf(shop.tenant), {});
  expect(data.map((link) => link.sales)).toEqual([sales]);
  expect(await shop.change({ name: "Poster" })).toEqual(paymentLink.strict().parse(await shop.change({})));
});
