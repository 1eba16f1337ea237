import { readdirSync } from "node:fs";
import { createPaymentLinkBody } from "@/lib/contract/checkout/payment-link";
import { listCustomers } from "@/lib/contract/customers/endpoints";
import { listEvents } from "@/lib/contract/events/endpoints";
import { encodeId } from "@/lib/contract/ids";
import type { Payment } from "@/lib/contract/payments/payment";
import { listPayouts, listSettlementBatches } from "@/lib/contract/settlement/endpoints";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { testWebhookEndpoint } from "@/lib/contract/webhooks/endpoints";
import { requestRefund } from "@/lib/domain/approvals/acts";
import { createPaymentLink } from "@/lib/domain/checkout/payment-links";
import { runPayouts } from "@/lib/domain/settlement/payouts";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { newId } from "@/lib/ids";
import { openDispute } from "../fixtures/disputes";
import { expect, type Tenant } from "../fixtures/playwright";
import { chargeOf, newEndpoint, newPlan, newSession } from "../samples";

/** The addresses of all pages, found in `app`, so that tests of every page can't miss a new one. */

/** An existing id for each folder of pages with an `[id]`. */
export async function idsOf(
  tenant: Tenant,
  payment: Payment,
  { connection, subscription }: { connection: string; subscription: Subscription },
): Promise<Record<string, string>> {
  const { api, merchant } = tenant;
  const { service } = tenant.context();
  await runSettlement(service, { environmentId: merchant.test.id });
  await runPayouts(service);
  const endpoint = await newEndpoint(api);
  const { sql } = service.db;
  const first = async (list: Promise<{ ok(): { data: readonly { id: string }[] } }>) =>
    (await list).ok().data[0]?.id ?? "";
  const requests = async () =>
    (await sql<{ id: string }[]>`select id from request_log where environment_id = ${merchant.test.id} limit 1`)[0]?.id;
  await expect.poll(requests, { timeout: 60_000 }).toBeDefined();
  // A job records customers within about a second of their payments.
  const customer = () => first(api.call(listCustomers, { query: { q: subscription.customer_id } }));
  await expect.poll(customer, { timeout: 60_000 }).not.toBe("");
  const price = { amount: 1_999, currency: "USD", description: "A poster" };
  const link = await createPaymentLink(tenant.context(), createPaymentLinkBody.parse(price));
  const [key] = await sql<{ id: string }[]>`select id from api_keys where environment_id = ${merchant.test.id} limit 1`;
  const requester = { userId: newId(), name: "Ada", email: "ada@shop.example", role: "operator" as const };
  const request = { subject: payment.id, parameters: { amount: 1 }, reason: "The parcel is lost" };
  return {
    approvals: (await requestRefund(tenant.context(), request, requester)).id,
    plans: (await newPlan(api)).id,
    events: await first(api.call(listEvents)),
    "api-keys": encodeId("apiKey", key?.id ?? ""),
    requests: encodeId("request", (await requests()) ?? ""),
    webhooks: endpoint.id,
    deliveries: (await api.call(testWebhookEndpoint, { id: endpoint.id })).ok().id,
    "settlement-batches": await first(api.call(listSettlementBatches)),
    payouts: await first(api.call(listPayouts)),
    transactions: chargeOf(payment).id,
    customers: await customer(),
    processors: connection,
    checkout: (await newSession(api)).id,
    links: link.id,
    payments: payment.id,
    reconciliation: connection,
    merchants: encodeId("merchant", merchant.id),
    subscriptions: subscription.id,
    "payment-methods": subscription.payment_method_id ?? "",
    invoices: subscription.latest_invoice_id ?? "",
    disputes: (await openDispute({ service, db: service.db, environmentId: merchant.test.id }, payment.id)).id,
  };
}

/** URLs of all files with this name in a folder of `app`, routed the way Next does it, with ids filled in. */
export function addressesOf(folder: string, file: string, ids: Record<string, string>): string[] {
  const all = readdirSync(`app/${folder}`, { recursive: true, encoding: "utf8" });
  return all
    .filter((path) => (path === file || path.endsWith(`/${file}`)) && !path.includes("[...rest]"))
    .map((path) => {
      const parts = path
        .split("/")
        .slice(0, -1)
        .filter((part) => !part.startsWith("("));
      const filled = parts.map((part, index) => {
        if (part === "[mode]") return "test";
        if (part !== "[id]") return part;
        const id = ids[parts[index - 1] ?? ""];
        // A new page needs an entry in `ids` before it can be tested.
        if (!id) throw new Error(`${path} is of something that this test has not made`);
        return id;
      });
      return `/${filled.join("/")}`;
    });
}

/** The route of an address below `/test`: "/payments/[id]" for "/test/payments/pay_1?panel=x". */
export function routeOf(address: string, ids: Readonly<Record<string, string>>): string {
  const made = new Set(Object.values(ids));
  const [path = ""] = address.split(/[?#]/);
  const parts = path.split("/").slice(2);
  return parts.map((part) => `/${made.has(part) || /^[a-z]+_[0-9a-z]{26}$/.test(part) ? "[id]" : part}`).join("");
}
