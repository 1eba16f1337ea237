import { expect, test } from "vitest";
import { OPERATIONS } from "@/lib/contract/operations";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { authorize } from "./caller";

const cases = OPERATIONS.flatMap((operation) =>
  PERMISSIONS.map((permission) => ({ operation, permission, name: operation.name })),
);

test.each(cases)("$permission alone opens $name exactly when it is listed for it", ({ operation, permission }) => {
  const attempt = () => authorize({ permissions: new Set([permission]) }, operation);
  if (operation.permissions.length === 0 || operation.permissions.includes(permission)) expect(attempt).not.toThrow();
  else expect(attempt).toThrow(expect.objectContaining({ code: "permission_denied" }));
});

test("a refusal names what is missing", () => {
  const attempt = () =>
    authorize({ permissions: new Set() }, { permissions: ["transaction.read", "transaction.search"] });
  expect(attempt).toThrow("lacks the permission transaction.read or transaction.search.");
});
