import { ENDPOINTS } from "@/lib/contract/endpoints";
import { PERMISSIONS, type Permission } from "@/lib/contract/permissions";
import { expect, test } from "../fixtures/playwright";
import {
  aFile,
  anEndpoint,
  aPayment,
  aPlan,
  aReplay,
  aSession,
  aStoredCard,
  captured,
  chargeOf,
  newPlan,
  newSession,
} from "../samples";

/** Permissions per operation, repeated here on purpose; any one of those listed is enough. */
const TABLE: Record<string, readonly Permission[]> = {
  "POST /v1/payments": ["payment.create"],
  "GET /v1/payments": ["payment.read", "transaction.read"],
  "GET /v1/payments/{id}": ["payment.read", "transaction.read"],
  "POST /v1/payments/{id}/capture": ["transaction.capture"],
  "POST /v1/payments/{id}/void": ["transaction.void"],
  "POST /v1/payments/{id}/refund": ["transaction.refund"],
  "POST /v1/transactions/{id}/capture": ["transaction.capture"],
  "POST /v1/transactions/{id}/void": ["transaction.void"],
  "POST /v1/transactions/{id}/refund": ["transaction.refund"],
  "GET /v1/transactions/{id}": ["transaction.read", "transaction.search"],
  "GET /v1/transactions": ["transaction.read", "transaction.search"],
  "POST /v1/transactions/search": ["transaction.read", "transaction.search"],
  "GET /v1/disputes": ["dispute.read"],
  "GET /v1/disputes/{id}": ["dispute.read"],
  "PATCH /v1/disputes/{id}": ["dispute.write"],
  "POST /v1/disputes/{id}/submit": ["dispute.write"],
  "POST /v1/disputes/{id}/accept": ["dispute.write"],
  "POST /v1/files": ["dispute.write"],
  "GET /v1/files/{id}": ["dispute.read"],
  "GET /v1/customers": ["transaction.read", "transaction.search"],
  "GET /v1/customers/{id}": ["transaction.read", "transaction.search"],
  "POST /v1/subscriptions": ["subscription.write"],
  "GET /v1/subscriptions": ["subscription.read"],
  "GET /v1/subscriptions/{id}": ["subscription.read"],
  "PATCH /v1/subscriptions/{id}": ["subscription.write"],
  "POST /v1/subscriptions/{id}/cancel": ["subscription.write"],
  "POST /v1/subscriptions/{id}/pause": ["subscription.write"],
  "POST /v1/subscriptions/{id}/resume": ["subscription.write"],
  "POST /v1/subscriptions/{id}/change-plan": ["subscription.write"],
  "POST /v1/subscriptions/{id}/preview-change": ["subscription.read"],
  "POST /v1/subscriptions/{id}/retry": ["subscription.write"],
  "GET /v1/invoices": ["invoice.read"],
  "GET /v1/invoices/{id}": ["invoice.read"],
  "POST /v1/invoices/{id}/pay": ["invoice.write"],
  "POST /v1/invoices/{id}/void": ["invoice.write"],
  "POST /v1/invoices/{id}/mark-uncollectible": ["invoice.write"],
  "POST /v1/payment-methods": ["payment_method.write"],
  "GET /v1/payment-methods": ["payment_method.read"],
  "GET /v1/payment-methods/{id}": ["payment_method.read"],
  "DELETE /v1/payment-methods/{id}": ["payment_method.write"],
  "POST /v1/portal-sessions": ["subscription.write"],
  "POST /v1/subscription-plans": ["subscription_plan.write"],
  "GET /v1/subscription-plans": ["subscription_plan.read"],
  "GET /v1/subscription-plans/{id}": ["subscription_plan.read"],
  "PATCH /v1/subscription-plans/{id}": ["subscription_plan.write"],
  "POST /v1/subscription-plans/{id}/activate": ["subscription_plan.write"],
  "POST /v1/subscription-plans/{id}/deactivate": ["subscription_plan.write"],
  "POST /v1/client-sessions": ["client_session.create"],
  "GET /v1/client-sessions/{id}": ["client_session.create"],
  "POST /v1/client-sessions/{id}/cancel": ["client_session.create"],
  "GET /v1/events": ["event.read"],
  "GET /v1/events/{id}": ["event.read"],
  "GET /v1/events/stream": ["event.read"],
  "POST /v1/webhook-endpoints": ["webhook_endpoint.write"],
  "GET /v1/webhook-endpoints": ["webhook_endpoint.read"],
  "GET /v1/webhook-endpoints/{id}": ["webhook_endpoint.read"],
  "PATCH /v1/webhook-endpoints/{id}": ["webhook_endpoint.write"],
  "DELETE /v1/webhook-endpoints/{id}": ["webhook_endpoint.write"],
  "POST /v1/webhook-endpoints/{id}/rotate-secret": ["webhook_endpoint.write"],
  "POST /v1/webhook-endpoints/{id}/test": ["webhook_endpoint.write"],
  "POST /v1/webhook-endpoints/{id}/replay": ["webhook_endpoint.write"],
  "GET /v1/webhook-endpoints/{id}/deliveries": ["webhook_endpoint.read"],
  "GET /v1/webhook-deliveries/{id}": ["webhook_endpoint.read"],
  "GET /v1/balance": ["balance.read"],
  "GET /v1/balance/movements": ["balance.read"],
  "GET /v1/payouts": ["balance.read"],
  "GET /v1/payouts/{id}": ["balance.read"],
  "GET /v1/settlement-batches": ["balance.read"],
  "GET /v1/settlement-batches/{id}": ["balance.read"],
  "POST /v1/reports": ["report.read"],
  "GET /v1/reports": ["report.read"],
  "GET /v1/reports/{id}": ["report.read"],
  "GET /v1/test-clock": ["test_clock.write"],
  "POST /v1/test-clock/advance": ["test_clock.write"],
  "POST /v1/webhook-deliveries/{id}/resend": ["webhook_endpoint.write"],
  "GET /v1/openapi.json": [],
};

const BODIES: Record<string, () => object> = {
  updateDispute: () => ({ evidence: { notes: "Signed for" } }),
  createFile: aFile,
  changeSubscriptionPlan: () => ({ plan_id: "unknown" }),
  previewSubscriptionChange: () => ({ plan_id: "unknown" }),
  createSubscription: () => ({ plan_id: "unknown", customer_id: "cus_1", payment_method_id: "unknown" }),
  createPayment: aPayment,
  createPaymentMethod: aStoredCard,
  createPlan: aPlan,
  createPortalSession: () => ({ customer_id: "cus_1" }),
  createClientSession: aSession,
  createReport: () => ({ type: "fees", from: "2026-11-01", to: "2026-11-30" }),
  createWebhookEndpoint: anEndpoint,
  replayWebhookEndpoint: aReplay,
  advanceTestClock: () => ({ to: new Date(Date.now() + 60_000).toISOString() }),
};

test("the table and the service have the same endpoints", () => {
  expect(ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(TABLE).sort());
});

for (const permission of PERMISSIONS) {
  test(`a key with only ${permission} can call exactly the endpoints in the table`, async ({ tenant }) => {
    const { api } = await tenant.newKey({ permissions: [permission] });
    for (const endpoint of ENDPOINTS) {
      const enough = TABLE[`${endpoint.method} ${endpoint.path}`] ?? [];
      const body = endpoint.body && (BODIES[endpoint.name]?.() ?? {});
      const answer = await api.call(endpoint, { id: "unknown", ...(body && { body }) });
      if (enough.length === 0 || enough.includes(permission)) {
        // A subscription needs a plan and a card.
        const isUnknown = endpoint.path.includes("{id}") || endpoint.name === "createSubscription";
        const open = isUnknown ? 404 : endpoint.status;
        expect(answer.status, `${endpoint.name}: ${answer.text}`).toBe(open);
      } else {
        const { detail } = answer.problem("permission_denied");
        expect(
          enough.some((name) => detail.includes(name)),
          detail,
        ).toBe(true);
      }
    }
  });
}

test("permission is decided before any look-up: an own, a foreign and an unknown id are refused alike", async ({
  tenant,
  stranger,
}) => {
  // The key can create payments, but can't read anything by id.
  const { api } = await tenant.newKey({ permissions: ["payment.create"] });
  const mine = await captured(tenant.api);
  const theirs = await captured(stranger.api);
  for (const endpoint of ENDPOINTS.filter(({ path }) => path.includes("{id}"))) {
    const ids = endpoint.path.startsWith("/v1/payments")
      ? [mine.id, theirs.id]
      : endpoint.path.startsWith("/v1/transactions")
        ? [chargeOf(mine).id, chargeOf(theirs).id]
        : endpoint.path.startsWith("/v1/subscription-plans")
          ? [(await newPlan(tenant.api)).id]
          : [(await newSession(tenant.api)).id];
    for (const id of [...ids, "unknown"]) (await api.call(endpoint, { id })).problem("permission_denied");
  }
});
