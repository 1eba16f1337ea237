import { expect, test } from "vitest";
import { ROLE_PERMISSIONS, USER_ROLES, type UserRole } from "@/lib/contract/permissions";
import { canSeeBodies } from "./body-access";

const ALL = [...USER_ROLES];
const MANAGERS = ["owner", "admin", "developer"];
const SEEN_BY: Record<string, readonly string[]> = {
  createPayment: ALL,
  refundTransaction: ALL,
  payClientSession: ALL,
  createPlan: ALL,
  listEvents: ALL.filter((role) => role !== "support"),
  createClientSession: ["owner", "admin", "operator"],
  createWebhookEndpoint: MANAGERS,
  rotateWebhookSecret: MANAGERS,
  getWebhookDelivery: MANAGERS,
  createApiKey: MANAGERS,
  rotateApiKey: MANAGERS,
  unknown: [],
};

test.each(Object.entries(SEEN_BY))("bodies of %s are shown to %j", (endpoint, roles) => {
  const sees = (role: UserRole) => canSeeBodies(endpoint, (permission) => ROLE_PERMISSIONS[role].includes(permission));
  expect(USER_ROLES.filter(sees)).toEqual(roles);
});
