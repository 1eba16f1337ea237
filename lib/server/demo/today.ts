import { randomUUID } from "node:crypto";
import { checkoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { createPaymentLinkBody } from "@/lib/contract/checkout/payment-link";
import { offerOf } from "@/lib/domain/checkout/offer";
import { findPaymentLink, openPaymentLink } from "@/lib/domain/checkout/open-link";
import { checkoutTime, findCheckout } from "@/lib/domain/checkout/pay-session";
import { createPaymentLink } from "@/lib/domain/checkout/payment-links";
import type { Context, Environment, Service } from "@/lib/domain/context";
import { listDisputes } from "@/lib/domain/disputes/read-disputes";
import { processReports } from "@/lib/domain/payments/process-reports";
import { listPlanOptions } from "@/lib/domain/plans/plans";
import { attempt } from "@/lib/http/checkout";
import { dispatch } from "@/lib/http/dispatch";
import { textOf } from "@/lib/http/response";
import { newId } from "@/lib/ids";
import { DEMO_RESPONSE, demoLinks, ORDERS_TODAY, type OrderToday } from "./shop";

/**
 * Sends the demo shop's payments of today through the API, as its server would. Returns how many there are.
 */
export async function seedDemoPayments(key: string): Promise<number> {
  let payments = 0;
  for (const [index, order] of ORDERS_TODAY.entries()) {
    const payment = await post(key, "/v1/payments", `demo-${index + 1}`, bodyOf(order, index));
    if (payment) payments++;
    if (!payment?.id) continue;
    for (const [nth, { action, body }] of (order.followUps ?? []).entries())
      await post(key, `/v1/payments/${payment.id}/${action}`, `demo-${index + 1}-${action}-${nth + 1}`, body);
  }
  return payments;
}

function bodyOf({ name, bought, amount, currency, card, manual }: OrderToday, index: number): object {
  const mailbox = name
    .toLowerCase()
    .normalize("NFD")
    .replace(/[^a-z ]/g, "")
    .replace(" ", ".");
  return {
    amount,
    currency,
    card: cardOf(card),
    capture_method: manual ? "manual" : "automatic",
    customer_id: `customer-${mailbox}`,
    customer_name: name,
    customer_email: `${mailbox}@shopper.example`,
    billing_address: {
      line1: `${10 + index} Mill Lane`,
      city: "Denver",
      state: "CO",
      postal_code: "80202",
      country: "US",
    },
    description: bought,
  };
}

const cardOf = (number: string) => ({
  number,
  exp_month: 12,
  exp_year: new Date().getUTCFullYear() + 3,
  cvv: number.startsWith("37") ? "1234" : "123",
});

/** Time for the sandbox's bank to open its disputes, which takes a second. */
const DISPUTES_OPEN_MS = 10_000;

/** Waits until the disputes of today's payments have opened, and responds to one of them. */
export async function seedDemoDisputes(service: Service, environment: Environment, key: string): Promise<void> {
  const ctx = contextOf(service, environment);
  const { reason, evidence } = DEMO_RESPONSE;
  for (let waitedMs = 0; waitedMs < DISPUTES_OPEN_MS; waitedMs += 200) {
    await processReports(service);
    const [dispute] = (await listDisputes(ctx, { reason, status: "NEEDS_RESPONSE" })).data;
    if (dispute) {
      await post(key, `/v1/disputes/${dispute.id}`, "demo-evidence", { evidence }, "PATCH");
      await post(key, `/v1/disputes/${dispute.id}/submit`, "demo-submit", {});
      return;
    }
    await service.timer.wait(200);
  }
  service.log.warn("the demo's disputes did not open in time, so none has a response");
}

/** Returns the response's body; a declined payment (402) has one too. */
async function post(
  key: string,
  path: string,
  idempotencyKey: string,
  body: object,
  method: "POST" | "PATCH" = "POST",
): Promise<{ id?: string } | null> {
  const request = new Request(`http://localhost${path}`, {
    method,
    headers: { "content-type": "application/json", "x-api-key": key, "x-idempotency-key": idempotencyKey },
    body: JSON.stringify(body),
  });
  const { status, body: response } = await dispatch(request, { ip: "127.0.0.1" });
  return status < 300 || status === 402 ? (JSON.parse(textOf(response)) as { id?: string }) : null;
}

/** Creates the demo shop's payment links, opens them and pays as its shoppers would. */
export async function seedDemoLinks(service: Service, environment: Environment): Promise<void> {
  const ctx = contextOf(service, environment);
  const [plan] = await listPlanOptions(ctx, null);
  for (const { link, buyers, visitors } of plan ? demoLinks(plan.id) : []) {
    const { url } = await createPaymentLink(ctx, createPaymentLinkBody.parse(link));
    const token = url.slice(url.lastIndexOf("/") + 1);
    for (let i = 0; i < visitors; i++) await open(service, token);
    for (const { name, card } of buyers) {
      const session = await open(service, token);
      if (session !== null) await pay(service, session, { name, ...cardOf(card) });
    }
  }
}

const contextOf = (service: Service, environment: Environment): Context => ({
  service,
  environment,
  actor: { type: "system", id: null },
  request: { id: newId(), endpoint: "demo", path: "/" },
  idempotency: null,
  reauthorize: async () => {},
});

async function open(service: Service, token: string): Promise<string | null> {
  const link = await findPaymentLink(service, token);
  if (link === null) return null;
  const opened = await openPaymentLink(service, link, { known: null, beforeNew: () => {} });
  return "token" in opened ? opened.token : null;
}

async function pay(service: Service, token: string, card: { name: string }): Promise<void> {
  const request = { id: newId(), path: "/pay/{token}/attempts" };
  const call = { service, params: { token }, address: "127.0.0.1", cookies: null, request };
  // Again, if a trial turns out to be used up: the shopper agrees to the plan without it.
  for (let tries = 0; tries < 2; tries++) {
    const checkout = await findCheckout(service, token);
    if (checkout === null) return;
    const { consent } = offerOf(checkout.row, checkoutTime(service, checkout.row));
    const email = `${card.name.toLowerCase().replaceAll(" ", ".")}@example.com`;
    const agreed = consent && { consent: consent.en, email };
    const body = checkoutAttemptBody.parse({ attempt: randomUUID(), card, ...agreed });
    const { state } = await attempt(call, body);
    if (state.status !== "OPEN" || !state.trial_refused) return;
  }
}
