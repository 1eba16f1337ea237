import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { verifyPassword } from "@/lib/auth/password";
import { systemClock } from "@/lib/clock";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { createMerchant, getEnvironmentId } from "./business";

const { db } = await testDatabase();
const service = { db, clock: systemClock };

test("a merchant has both environments, an owner, and one key with every permission in each", async () => {
  const created = await createMerchant(service, {
    name: "Shop",
    email: "owner@shop.example",
    password: "correct horse",
  });
  const test = await getEnvironmentId(service, { merchantId: created.merchant_id, mode: "test" });
  const live = await getEnvironmentId(service, { merchantId: created.merchant_id, mode: "live" });
  const keys = await db.sql`select environment_id, last4, cardinality(permissions) as permissions from api_keys`;
  expect(keys).toEqual(
    expect.arrayContaining([
      { environment_id: test, last4: created.test_key.slice(-4), permissions: PERMISSIONS.length },
      { environment_id: live, last4: created.live_key.slice(-4), permissions: PERMISSIONS.length },
    ]),
  );
  const [user] = await db.sql`select email, password_hash, role from users`;
  expect(user).toMatchObject({ email: "owner@shop.example", role: "owner" });
  expect(await verifyPassword(user?.password_hash, "correct horse")).toBe(true);
});

test("an e-mail address belongs to one user regardless of case, and a refused merchant leaves nothing behind", async () => {
  await createMerchant(service, { name: "First", email: "Twice@shop.example" });
  const [before] = await db.sql`select count(*) as count from merchants`;
  await expect(createMerchant(service, { name: "Second", email: "twice@SHOP.example" })).rejects.toThrow(
    /already in use/,
  );
  const [after] = await db.sql`select count(*) as count from merchants`;
  expect(after).toEqual(before);
});

test.each([
  [{ name: " ", email: "a@b.example" }, "name"],
  [{ name: "A", email: "nobody" }, "email"],
  [{ name: "A", email: "a@b.example", password: "short" }, "password"],
])("%o is refused, naming %s", async (input, param) => {
  await expect(createMerchant(service, input)).rejects.toMatchObject({ code: "invalid_parameter", param });
});

test("an unknown merchant and a malformed id get the same error", async () => {
  for (const merchantId of ["mer_01h455vb4pex5vsknk084sn02q", "nonsense"]) {
    await expect(getEnvironmentId(service, { merchantId, mode: "test" })).rejects.toMatchObject({
      code: "resource_not_found",
    });
  }
});
