import { createClientSession } from "@/lib/contract/checkout/endpoints";
import { createFile } from "@/lib/contract/disputes/endpoints";
import type { Endpoint } from "@/lib/contract/endpoint";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { listEvents } from "@/lib/contract/events/endpoints";
import { encodeId, type IdKind } from "@/lib/contract/ids";
import { createPayment, listPayments } from "@/lib/contract/payments/endpoints";
import { listPlans } from "@/lib/contract/plans/endpoints";
import { listTransactions, searchTransactions } from "@/lib/contract/transactions/endpoints";
import { testWebhookEndpoint } from "@/lib/contract/webhooks/endpoints";
import { newId } from "@/lib/ids";
import type { Answer, Api } from "../client";
import type { Tenant } from "../fixtures/playwright";
import { expect, test } from "../fixtures/playwright";
import {
  aFile,
  aPayment,
  aReplay,
  authorized,
  chargeOf,
  newEndpoint,
  newPaymentMethod,
  newPlan,
  newSession,
  newSubscription,
} from "../samples";

const WITH_ID = ENDPOINTS.filter(({ path }) => path.includes("{id}"));

const KINDS: Record<string, IdKind> = {
  payments: "payment",
  transactions: "transaction",
  "payment-methods": "paymentMethod",
  subscriptions: "subscription",
  invoices: "invoice",
  "subscription-plans": "plan",
  "client-sessions": "clientSession",
  disputes: "dispute",
  files: "file",
  events: "event",
  "webhook-endpoints": "webhookEndpoint",
  "webhook-deliveries": "webhookDelivery",
};
const kindOf = (endpoint: Endpoint) => KINDS[endpoint.path.split("/")[2] ?? ""] as IdKind;

async function makeOne({ api }: Pick<Tenant, "api">, kind: IdKind): Promise<string> {
  if (kind === "paymentMethod") return (await newPaymentMethod(api)).id;
  if (kind === "subscription") return (await newSubscription(api)).id;
  if (kind === "invoice") return (await newSubscription(api)).latest_invoice_id ?? "";
  if (kind === "plan") return (await newPlan(api)).id;
  if (kind === "clientSession") return (await newSession(api)).id;
  if (kind === "webhookEndpoint") return (await newEndpoint(api)).id;
  if (kind === "file") return (await api.call(createFile, { body: aFile() })).ok().id;
  if (kind === "webhookDelivery") {
    const { id } = await newEndpoint(api);
    return (await api.call(testWebhookEndpoint, { id })).ok().id;
  }
  const payment = await authorized(api);
  if (kind === "event") return (await api.call(listEvents)).ok().data[0]?.id ?? "";
  return kind === "payment" ? payment.id : chargeOf(payment).id;
}

/** A response without the parts that may differ: the request's id and the id that the caller sent. */
function bytes(answer: Answer, id: string): string {
  const { request_id } = answer.problem("resource_not_found");
  const text = answer.text.replaceAll(request_id, "REQUEST");
  return text.replaceAll(encodeURIComponent(id), "ID").replaceAll(JSON.stringify(id).slice(1, -1), "ID");
}

/** Bodies with required members. */
const BODIES: Record<string, object> = {
  replayWebhookEndpoint: aReplay(),
  changeSubscriptionPlan: { plan_id: encodeId("plan", newId()) },
  previewSubscriptionChange: { plan_id: encodeId("plan", newId()) },
  updateDispute: { evidence: { notes: "Signed for" } },
};

const ask = (api: Api, endpoint: Endpoint, id: string) =>
  api.call(endpoint, {
    id,
    ...(endpoint.body && { body: BODIES[endpoint.name] ?? {} }),
  });

const MALFORMED = [
  "xyz",
  "pay_",
  "pay_01",
  `pay_${"z".repeat(26)}`,
  `pay_${"0".repeat(27)}`,
  "PAY_01JZ0000000000000000000000",
  "00000000-0000-0000-0000-000000000000",
  "1 or 1=1",
  "a'--",
  "{id}",
  "ünïcode",
  "a/b",
  "a?b#c",
  "%",
  "\u0000",
  "__proto__",
  "constructor",
  "toString",
  "x".repeat(255),
];

for (const endpoint of WITH_ID) {
  test(`${endpoint.method} ${endpoint.path}: unknown, malformed and foreign ids are the same 404`, async ({
    tenant,
    stranger,
  }) => {
    const kind = kindOf(endpoint);
    const unknown = encodeId(kind, newId());
    const expected = bytes(await ask(tenant.api, endpoint, unknown), unknown);
    const theirs = await makeOne(stranger, kind);
    const mine = await makeOne(tenant, kind);
    const others = Object.values(KINDS).map((other) => encodeId(other, newId()));
    for (const id of [theirs, ...others.filter((other) => !other.startsWith(unknown.slice(0, 4))), ...MALFORMED]) {
      expect(bytes(await ask(tenant.api, endpoint, id), id), id).toBe(expected);
    }
    expect(bytes(await ask(tenant.live, endpoint, mine), mine)).toBe(expected);
    if (kind === "plan" || kind === "clientSession") {
      const live = await makeOne({ api: tenant.live }, kind);
      expect(bytes(await ask(tenant.api, endpoint, live), live)).toBe(expected);
    }
  });
}

test("a foreign plan is an unknown plan, in payments and in client sessions", async ({ api, stranger }) => {
  const theirs = (await newPlan(stranger.api, { status: "ACTIVE" })).id;
  const unknown = encodeId("plan", newId());
  for (const [endpoint, body] of [
    [createPayment, aPayment()],
    [createClientSession, {}],
  ] as const) {
    const answers = [];
    for (const plan_id of [theirs, unknown]) {
      answers.push(bytes(await api.call<Endpoint>(endpoint, { body: { ...body, plan_id } }), plan_id));
    }
    expect(answers[0]).toBe(answers[1]);
  }
});

test("a foreign id to start after is an unknown id", async ({ api, stranger }) => {
  const payment = await authorized(stranger.api);
  const plan = await newPlan(stranger.api);
  for (const [endpoint, theirs, unknown] of [
    [listPayments, payment.id, encodeId("payment", newId())],
    [listTransactions, chargeOf(payment).id, encodeId("transaction", newId())],
    [searchTransactions, chargeOf(payment).id, encodeId("transaction", newId())],
    [listPlans, plan.id, encodeId("plan", newId())],
  ] as const) {
    const answers = [];
    for (const id of [theirs, unknown, "garbage"]) {
      const starting_after =
        endpoint.method === "GET" ? { query: { starting_after: id } } : { body: { starting_after: id } };
      const answer = await api.call<Endpoint>(endpoint, starting_after);
      const { request_id } = JSON.parse(answer.text);
      answers.push(`${answer.status} ${answer.text.replaceAll(id, "ID").replaceAll(request_id, "REQUEST")}`);
    }
    expect(new Set(answers).size, answers.join("\n")).toBe(1);
    expect(answers[0]).toMatch(/^40[04] /);
  }
});

test("no list shows another merchant's or environment's data", async ({ tenant, stranger }) => {
  await authorized(tenant.api, { customer_id: "shared" });
  await newPlan(tenant.api);
  for (const api of [stranger.api, tenant.live]) {
    for (const endpoint of [listPayments, listTransactions, listPlans] as const) {
      expect((await api.call<Endpoint>(endpoint)).ok()).toMatchObject({ data: [], total: 0 });
    }
    const search = await api.call(searchTransactions, { body: { filters: { customer_id: "shared" } } });
    expect(search.ok().total).toBe(0);
  }
});
