import { expect, test } from "vitest";
import { MERCHANT_ROLES, ROLE_PERMISSIONS, type UserPermission } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Context } from "../context";
import { requireKeyGrant } from "./read-keys";

const MANAGERS = MERCHANT_ROLES.filter((role) => ROLE_PERMISSIONS[role].includes("api_key.manage"));

test.each(MANAGERS)("a member (%s) who may not refund in live mode manages no live key that refunds", (role) => {
  const permissions = new Set<UserPermission>(ROLE_PERMISSIONS[role]);
  const grant = (mode: Mode, given: ("payment.create" | "transaction.refund" | "subscription.write")[]) => () =>
    requireKeyGrant({ environment: { mode } } as Context, { permissions }, given);
  expect(grant("test", ["transaction.refund"])).not.toThrow();
  expect(grant("live", ["payment.create"])).not.toThrow();
  // A subscription may be cancelled with a refund.
  for (const permission of ["transaction.refund", "subscription.write"] as const) {
    const refunds = grant("live", ["payment.create", permission]);
    if (role === "developer") expect(refunds).toThrow(expect.objectContaining({ code: "permission_denied" }));
    else expect(refunds).not.toThrow();
  }
});
