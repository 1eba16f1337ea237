import { OPERATIONS } from "@/lib/contract/operations";
import { PERMISSIONS, type Permission } from "@/lib/contract/permissions";
import { expect, test } from "../fixtures";
import { aPayment, aPlan, aSession, captured, chargeOf, newPlan, newSession } from "../samples";

/** The table of the contract (section 6), written out again on purpose: any one of these is enough. */
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
  "POST /v1/subscription-plans": ["subscription_plan.write"],
  "GET /v1/subscription-plans": ["subscription_plan.read"],
  "GET /v1/subscription-plans/{id}": ["subscription_plan.read"],
  "PATCH /v1/subscription-plans/{id}": ["subscription_plan.write"],
  "POST /v1/subscription-plans/{id}/activate": ["subscription_plan.write"],
  "POST /v1/subscription-plans/{id}/deactivate": ["subscription_plan.write"],
  "POST /v1/client-sessions": ["client_session.create"],
  "GET /v1/client-sessions/{id}": ["client_session.create"],
  "POST /v1/client-sessions/{id}/cancel": ["client_session.create"],
  "GET /v1/openapi.json": [],
};

const BODIES: Record<string, () => object> = {
  createPayment: aPayment,
  createPlan: aPlan,
  createClientSession: aSession,
};

test("the table and the service have the same endpoints", () => {
  expect(OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(TABLE).sort());
});

for (const permission of PERMISSIONS) {
  test(`a key with ${permission} alone opens what the table says, and nothing else`, async ({ tenant }) => {
    const { api } = await tenant.newKey({ permissions: [permission] });
    for (const operation of OPERATIONS) {
      const enough = TABLE[`${operation.method} ${operation.path}`] ?? [];
      const body = operation.body && (BODIES[operation.name]?.() ?? {});
      const answer = await api.call(operation, { id: "unknown", ...(body && { body }) });
      if (enough.length === 0 || enough.includes(permission)) {
        const open = operation.path.includes("{id}") ? 404 : operation.status;
        expect(answer.status, `${operation.name}: ${answer.text}`).toBe(open);
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
  const { api } = await tenant.newKey({ permissions: ["event.read"] });
  const mine = await captured(tenant.api);
  const theirs = await captured(stranger.api);
  for (const operation of OPERATIONS.filter(({ path }) => path.includes("{id}"))) {
    const ids = operation.path.startsWith("/v1/payments")
      ? [mine.id, theirs.id]
      : operation.path.startsWith("/v1/transactions")
        ? [chargeOf(mine).id, chargeOf(theirs).id]
        : operation.path.startsWith("/v1/subscription-plans")
          ? [(await newPlan(tenant.api)).id]
          : [(await newSession(tenant.api)).id];
    for (const id of [...ids, "unknown"]) (await api.call(operation, { id })).problem("permission_denied");
  }
});
