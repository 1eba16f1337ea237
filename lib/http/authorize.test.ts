import { expect, test } from "vitest";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { authorize } from "./caller";

const cases = ENDPOINTS.flatMap((endpoint) =>
  PERMISSIONS.map((permission) => ({ endpoint, permission, name: endpoint.name })),
);

test.each(cases)("$permission alone allows $name only if $name requires it", ({ endpoint, permission }) => {
  const attempt = () => authorize({ permissions: new Set([permission]) }, endpoint);
  if (endpoint.permissions.length === 0 || endpoint.permissions.includes(permission)) expect(attempt).not.toThrow();
  else expect(attempt).toThrow(expect.objectContaining({ code: "permission_denied" }));
});

test("a refusal names the missing permission", () => {
  const attempt = () =>
    authorize({ permissions: new Set() }, { permissions: ["transaction.read", "transaction.search"] });
  expect(attempt).toThrow("lacks the permission transaction.read or transaction.search.");
});
