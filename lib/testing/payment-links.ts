import { randomUUID } from "node:crypto";
import type { Database } from "@/db/client";
import { checkoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { createPaymentLinkBody } from "@/lib/contract/checkout/payment-link";
import { createPlanBody, updatePlanBody } from "@/lib/contract/plans/plan";
import { findPaymentLink, openPaymentLink } from "@/lib/domain/checkout/open-link";
import { createPaymentLink, getPaymentLink, updatePaymentLink } from "@/lib/domain/checkout/payment-links";
import type { Context } from "@/lib/domain/context";
import { activatePlan, createPlan, deactivatePlan, updatePlan } from "@/lib/domain/plans/plans";
import { attempt, getState } from "@/lib/http/checkout";
import { newId } from "@/lib/ids";
import { CARD } from "./checkout";
import { testContext } from "./factories";
import { type MoneyTenant, moneyTenant } from "./money";

/** Merchants who sell by links, and their shoppers. */
export function linkShops(db: Database) {
  const contextOf = (tenant: MoneyTenant, overrides: Partial<Context> = {}) =>
    testContext(tenant.service, tenant.merchant.test, overrides);

  /** A merchant with one link, and what its shoppers can do. */
  async function sell(body: object = {}, given?: MoneyTenant) {
    const tenant = given ?? (await moneyTenant(db));
    const ctx = () => contextOf(tenant);
    const price = "plan_id" in body ? {} : { amount: 1_999, currency: "USD", description: "A poster" };
    const link = await createPaymentLink(ctx(), createPaymentLinkBody.parse({ ...price, ...body }));
    const address = link.url.slice(link.url.lastIndexOf("/") + 1);
    const find = async () => {
      const found = await findPaymentLink(tenant.service, address);
      if (found === null) throw new Error("the link is there");
      return found;
    };
    const open = async (known: string | null = null, beforeNew = () => {}) =>
      openPaymentLink(tenant.service, await find(), { known, beforeNew });
    const opened = async (known: string | null = null): Promise<string> => {
      const found = await open(known);
      if ("status" in found) throw new Error(`the link is ${found.status}`);
      return found.token;
    };
    const callOf = (token: string) => ({
      ...{ service: tenant.service, params: { token }, address: randomUUID(), cookies: null },
      request: { id: newId(), path: "/pay/{token}/attempts" },
    });
    return {
      ...{ tenant, link, address, find, open, opened },
      state: (token: string) => getState(callOf(token)),
      pay: (token: string, card: object = CARD, asked: object = {}) =>
        attempt(callOf(token), checkoutAttemptBody.parse({ attempt: randomUUID(), card, ...asked })),
      change: (changes: object) => updatePaymentLink(ctx(), { id: link.id, ...changes }),
      get: async () => (await getPaymentLink(ctx(), { id: link.id })).link,
      status: async () => (await find()).status,
    };
  }

  const rowsOf = async ({ environmentId }: MoneyTenant) => {
    const [row] = await db.sql<[{ all: number; open: number }]>`
      select count(*)::int as all, (count(*) filter (where status = 'OPEN'))::int as open
      from client_sessions where environment_id = ${environmentId}`;
    return row;
  };

  async function newPlan(tenant: MoneyTenant, body: object = {}) {
    const whole = createPlanBody.parse({
      type: "ONE_TIME",
      name: "Poster",
      currency: "USD",
      full_price_amount: 5,
      ...body,
    });
    const { id } = JSON.parse((await createPlan(contextOf(tenant), whole)).body) as { id: string };
    await activatePlan(contextOf(tenant), { id });
    const stop = () => deactivatePlan(contextOf(tenant), { id });
    const reprice = async (full_price_amount: number) => {
      await stop();
      await updatePlan(contextOf(tenant), { id, ...updatePlanBody.parse({ full_price_amount }) });
      await activatePlan(contextOf(tenant), { id });
    };
    return { id, stop, reprice };
  }

  return { contextOf, newPlan, rowsOf, sell };
}
