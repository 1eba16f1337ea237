import { randomUUID } from "node:crypto";
import { checkoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { createPaymentLinkBody } from "@/lib/contract/checkout/payment-link";
import { findPaymentLink, openPaymentLink } from "@/lib/domain/checkout/open-link";
import { createPaymentLink } from "@/lib/domain/checkout/payment-links";
import type { Context, Environment, Service } from "@/lib/domain/context";
import { listPlanOptions } from "@/lib/domain/plans/plans";
import { attempt } from "@/lib/http/checkout";
import { newId } from "@/lib/ids";

type DemoLink = { link: object; buyers: { name: string; card: string }[]; visitors: number };

const APPROVED = "4242424242424242";
const DECLINED = "4000000000000002";

const linksOf = (planId: string): DemoLink[] => [
  {
    link: { name: "On the shop window", plan_id: planId },
    buyers: [
      { name: "Ada Moreno", card: APPROVED },
      { name: "Jonas Weber", card: "5555555555554444" },
    ],
    visitors: 3,
  },
  {
    link: { amount: 3_500, currency: "EUR", description: "Framing workshop on Saturday, one person" },
    buyers: [
      { name: "Inês Duarte", card: APPROVED },
      { name: "Eva Lindqvist", card: DECLINED },
    ],
    visitors: 1,
  },
  {
    link: { amount: 4_800, currency: "USD", description: "A new frame for your print, order 1042", single_use: true },
    buyers: [],
    visitors: 1,
  },
];

/** Three payment links of the demo shop, which has plans, with what shoppers did there. Returns how many payments there are. */
export async function seedDemoLinks(service: Service, environment: Environment): Promise<number> {
  const ctx = contextOf(service, environment);
  const [plan] = await listPlanOptions(ctx, null);
  let payments = 0;
  for (const { link, buyers, visitors } of plan ? linksOf(plan.id) : []) {
    const { url } = await createPaymentLink(ctx, createPaymentLinkBody.parse(link));
    const token = url.slice(url.lastIndexOf("/") + 1);
    for (let i = 0; i < visitors; i++) await open(service, token);
    for (const { name, card } of buyers) {
      const session = await open(service, token);
      if (session !== null) await pay(service, session, { name, number: card });
      payments++;
    }
  }
  return payments;
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

function pay(service: Service, token: string, card: { name: string; number: string }) {
  const call = {
    ...{ service, params: { token }, address: "127.0.0.1", cookies: null },
    request: { id: newId(), path: "/pay/{token}/attempts" },
  };
  const details = { ...card, exp_month: 12, exp_year: new Date().getUTCFullYear() + 3, cvv: "123" };
  return attempt(call, checkoutAttemptBody.parse({ attempt: randomUUID(), card: details }));
}
