import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { findUserByEmail } from "@/db/queries/accounts/users";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { testUsers } from "@/e2e/fixtures/users";
import { sha256 } from "@/lib/secret";
import { openSession } from "../accounts/sessions";
import { signIn } from "../accounts/sign-in";
import { createStaff, unlockStaff } from "./staff";

const { db } = await testDatabase();
const service = testService(db);
const from = { kind: "staff" as const, address: "192.0.2.1", userAgent: null };

test("a member of the staff has a second factor from the start, and no merchant", async () => {
  const made = await createStaff(service, { email: "sam@cardlane.test", name: " Sam " });
  expect(made.staff_id).toMatch(/^usr_/);
  expect(made.totp_uri).toContain(`secret=${made.totp_secret}`);
  const [row] = await db.sql`select * from users where email = 'sam@cardlane.test'`;
  expect(row).toMatchObject({ role: "staff", merchant_id: null, name: "Sam" });
  expect(row?.totp_enabled_at).not.toBeNull();
  expect(row?.totp_secret).not.toContain(made.totp_secret);
  expect(service.secret.unseal(row?.totp_secret)).toBe(made.totp_secret);
  expect(JSON.stringify(row)).not.toContain(made.password);
});

test("signing in takes the password and a code", async () => {
  const { email, password, totp_secret } = await createStaff(service, { email: "kim@cardlane.test" });
  expect(await signIn(service, { ...from, email, password, code: null })).toEqual({ result: "code_required" });
  expect(await signIn(service, { ...from, email, password, code: "000000" })).toEqual({ result: "code_wrong" });
  const code = new TOTP({ secret: Secret.fromBase32(totp_secret) }).generate();
  expect(await signIn(service, { ...from, email, password, code })).toMatchObject({ result: "ok", mfa: true });
  expect(await signIn(service, { ...from, kind: "merchant", email, password, code })).toEqual({ result: "wrong" });
});

test("ten different recovery codes, of which only digests are stored", async () => {
  const { recovery_codes, staff_id } = await createStaff(service, { email: "lee@cardlane.test" });
  expect(staff_id).toBeTruthy();
  expect(new Set(recovery_codes).size).toBe(10);
  const rows = await db.sql`
    select c.code_sha256 from recovery_codes c join users u on u.id = c.user_id where u.email = 'lee@cardlane.test'`;
  const digests = new Set(rows.map((row) => (row.code_sha256 as Buffer).toString("hex")));
  expect(digests).toEqual(new Set(recovery_codes.map((code) => sha256(code.replaceAll("-", "")).toString("hex"))));
});

test("a taken address, ignoring case, is rejected without a trace", async () => {
  await createStaff(service, { email: "Once@cardlane.test" });
  await expect(createStaff(service, { email: "once@CARDLANE.test" })).rejects.toMatchObject({ param: "email" });
  const rows = await db.sql`select 1 from users where lower(email) = 'once@cardlane.test'`;
  expect(rows.length).toBe(1);
});

test.each([
  [{ email: "nobody" }, "email"],
  [{ email: "a@b.example", name: "x".repeat(101) }, "name"],
])("%o is refused, naming %s", async (input, param) => {
  await expect(createStaff(service, input)).rejects.toMatchObject({ code: "invalid_parameter", param });
});

test("the database itself refuses a session of staff without a second factor", async () => {
  const { email } = await createStaff(service, { email: "max@cardlane.test" });
  const user = await findUserByEmail(db.orm, "staff", email);
  if (!user) throw new Error("there is no such user");
  const session = { user, address: "192.0.2.1", userAgent: null };
  await expect(openSession(db.orm, { ...session, hasSecondFactor: false })).rejects.toMatchObject({
    cause: { message: expect.stringMatching(/second factor/) },
  });
  expect(await openSession(db.orm, { ...session, hasSecondFactor: true })).toBeTruthy();
});

test("an operator unlocks a member of staff, and nobody else", async () => {
  const { email, password, totp_secret, staff_id } = await createStaff(service, { email: "locked@cardlane.test" });
  const guess = (i: number) => ({ ...from, address: `198.51.100.${i}`, email, code: null });
  for (let i = 0; i < 10; i++) await signIn(service, { ...guess(i), password: "wrong" });
  expect(await signIn(service, { ...guess(11), password })).toMatchObject({ result: "locked" });
  expect(await unlockStaff(service, { email: " LOCKED@cardlane.test " })).toEqual({ staff_id, email });
  const code = new TOTP({ secret: Secret.fromBase32(totp_secret) }).generate();
  expect(await signIn(service, { ...guess(12), password, code })).toMatchObject({ result: "ok" });

  const { newUser } = await testUsers(db);
  const owner = await newUser("owner", { failed_sign_ins: 10 });
  for (const unknown of [owner.user.email, "nobody@cardlane.test"]) {
    await expect(unlockStaff(service, { email: unknown })).rejects.toMatchObject({ code: "resource_not_found" });
  }
  const [row] = await db.sql`select failed_sign_ins from users where id = ${owner.user.id}`;
  expect(row?.failed_sign_ins).toBe(10);
});
