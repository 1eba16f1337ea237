import { expect, test } from "vitest";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { PERMISSIONS, ROLE_PERMISSIONS, USER_ROLES, type UserPermission } from "@/lib/contract/permissions";
import { authorize } from "./caller";

const cases = ENDPOINTS.flatMap((endpoint) =>
  PERMISSIONS.map((permission) => ({ endpoint, permission, name: endpoint.name })),
);

test.each(cases)("$permission alone allows $name only if $name requires it", ({ endpoint, permission }) => {
  const attempt = () => authorize({ permissions: new Set([permission]) }, endpoint);
  if (endpoint.permissions.length === 0 || endpoint.permissions.includes(permission)) expect(attempt).not.toThrow();
  else expect(attempt).toThrow(expect.objectContaining({ code: "permission_denied" }));
});

test.each(USER_ROLES)("a role (%s) moves money only by what it is for", (role) => {
  const permissions = new Set<UserPermission>(ROLE_PERMISSIONS[role]);
  const money = ENDPOINTS.filter(({ movesMoney }) => movesMoney);
  const allowed = money.filter(({ permissions: needed }) => needed.some((permission) => permissions.has(permission)));
  const [disputes, refunds] = [
    ["acceptDispute", "submitDispute"],
    ["refundPayment", "refundTransaction"],
  ];
  const names = allowed.map(({ name }) => name).sort();
  if (role === "owner" || role === "admin") expect(names).toHaveLength(money.length);
  else if (role === "operator")
    expect(names).toEqual(
      money
        .map(({ name }) => name)
        .filter((name) => !disputes.includes(name))
        .sort(),
    );
  else if (role === "finance") expect(names).toEqual([disputes[0], ...refunds, disputes[1]]);
  else expect(names).toEqual(role === "viewer" || role === "developer" ? [] : refunds);
});

test("a refusal names the missing permission", () => {
  const attempt = () =>
    authorize({ permissions: new Set() }, { permissions: ["transaction.read", "transaction.search"] });
  expect(attempt).toThrow("lacks the permission transaction.read or transaction.search.");
});
