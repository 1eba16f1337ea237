import { Secret, TOTP } from "otpauth";
import { expect, test, vi } from "vitest";
import { listMail } from "@/db/queries/accounts/mail-outbox";
import { replaceRecoveryCodes } from "@/db/queries/accounts/users";
import type { UserRow } from "@/db/schema/accounts";
import { testDatabase } from "@/e2e/fixtures/database";
import { testTenant } from "@/e2e/fixtures/factories";
import { clearTotpSecret, createTestUser, TEST_PASSWORD } from "@/e2e/fixtures/users";
import { testClock } from "@/e2e/fixtures/webhooks";
import { newRecoveryCode, recoveryCodeDigest } from "@/lib/auth/one-time-codes";
import { newId } from "@/lib/ids";
import type { Service } from "../context";
import { type SignInInput, signIn } from "./sign-in";

const { db } = await testDatabase();
const MINUTE = 60_000;

async function setup(columns: Partial<UserRow> = {}, overrides: Partial<Service> = {}) {
  const tenant = await testTenant(db, overrides);
  const user = await createTestUser(db, { merchantId: tenant.merchant.id, role: "owner", ...columns });
  /** Each call has its own IP address, so that only the limit's own test reaches the limit. */
  const attempt = (input: Partial<SignInInput> = {}) =>
    signIn(tenant.service, {
      kind: "merchant" as const,
      email: user.email,
      password: TEST_PASSWORD,
      code: null,
      address: newId(),
      userAgent: null,
      ...input,
    });
  const row = async () => {
    const [found] = await db.sql`select * from users where id = ${user.id}`;
    return found as unknown as UserRow;
  };
  return { ...tenant, user, attempt, row, mails: async () => mailsTo(user.email) };
}

const mailsTo = async (email: string) => (await listMail(db.orm, 1000)).filter((mail) => mail.recipient === email);

async function withTotp() {
  const secret = clearTotpSecret();
  // A stopped clock: while a password is hashed, a new step could begin and make the previous step's code two
  // steps old.
  const clock = testClock();
  const tenant = await setup({ totp_enabled_at: new Date().toISOString() }, { clock });
  const sealed = tenant.service.secret.seal(secret);
  await db.sql`update users set totp_secret = ${sealed} where id = ${tenant.user.id}`;
  const codeAt = (ms: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() + ms });
  return { ...tenant, codeAt };
}

test("the right password signs in, regardless of the address's case, and resets the count of failures", async () => {
  const { attempt, user, row } = await setup();
  expect(await attempt({ password: "wrong" })).toEqual({ result: "wrong" });
  expect((await row()).failed_sign_ins).toBe(1);
  const result = await attempt({ email: ` ${user.email.toUpperCase()} ` });
  expect(result).toMatchObject({ result: "ok", mfa: false, user: { id: user.id } });
  expect(await row()).toMatchObject({ failed_sign_ins: 0, locked_until: null });
  expect((await row()).last_sign_in_at).not.toBeNull();
});

test("a merchant's member never signs in as staff, nor staff as a member", async () => {
  const { attempt } = await setup();
  const staff = await createTestUser(db, { merchantId: null, role: "staff" });
  expect(await attempt({ kind: "staff" })).toEqual({ result: "wrong" });
  expect(await attempt({ email: staff.email })).toEqual({ result: "wrong" });
  // Staff sign-in requires a second factor, and this user has none.
  expect(await attempt({ kind: "staff", email: staff.email })).toEqual({ result: "wrong" });
});

test("the tenth failure locks for 30 minutes, during which even the right password is refused", async () => {
  const { attempt, row, mails } = await setup();
  for (let i = 1; i < 10; i++) expect(await attempt({ password: `guess ${i}` })).toEqual({ result: "wrong" });
  expect(await mails()).toEqual([]);
  const tenth = await attempt({ password: "guess 10" });
  expect(tenth.result).toBe("locked");
  const left = tenth.result === "locked" ? Date.parse(tenth.until) - Date.now() : 0;
  expect(left).toBeGreaterThan(29 * MINUTE);
  expect(left).toBeLessThanOrEqual(30 * MINUTE + 1000);
  expect(await attempt()).toEqual(tenth);
  expect(await mails()).toEqual([expect.objectContaining({ subject: expect.stringContaining("locked") })]);
  expect((await row()).failed_sign_ins).toBe(10);
});

test("after the lock there are ten attempts again", async () => {
  const { attempt, user, row } = await setup();
  for (let i = 0; i < 10; i++) await attempt({ password: "wrong" });
  await db.sql`update users set locked_until = now() - interval '1 second' where id = ${user.id}`;
  expect(await attempt({ password: "wrong" })).toEqual({ result: "wrong" });
  expect(await row()).toMatchObject({ failed_sign_ins: 1, locked_until: null });
  expect(await attempt()).toMatchObject({ result: "ok" });
});

test("30 concurrent guesses count as ten", async () => {
  const { attempt, mails, row } = await setup();
  const results = await Promise.all(Array.from({ length: 30 }, (_, i) => attempt({ password: `guess ${i}` })));
  expect(results.filter((result) => result.result === "wrong")).toHaveLength(9);
  expect(results.filter((result) => result.result === "locked")).toHaveLength(21);
  expect((await row()).failed_sign_ins).toBe(10);
  expect(await mails()).toHaveLength(1);
  expect(await attempt()).toMatchObject({ result: "locked" });
});

test("an unknown address gets the same results as a known one, including the lock", async () => {
  const { attempt } = await setup();
  const nobody = `${newId()}@nobody.example`;
  const known: unknown[] = [];
  const unknown: unknown[] = [];
  for (let i = 0; i < 12; i++) {
    known.push((await attempt({ password: "wrong" })).result);
    unknown.push((await attempt({ email: nobody, password: "wrong" })).result);
  }
  expect(unknown).toEqual(known);
  expect(unknown.at(-1)).toBe("locked");
  expect(await mailsTo(nobody)).toEqual([]);
});

test("an unknown address takes as many commits as a wrong password, so timing does not reveal it", async () => {
  const { attempt, service } = await setup();
  const transaction = vi.spyOn(service.db.orm, "transaction");
  const execute = vi.spyOn(service.db.orm, "execute");
  expect(await attempt({ password: "wrong" })).toEqual({ result: "wrong" });
  // The update of the failure count is the other commit.
  expect([transaction.mock.calls.length, execute.mock.calls.length]).toEqual([1, 0]);
  expect(await attempt({ email: `${newId()}@nobody.example`, password: "wrong" })).toEqual({ result: "wrong" });
  expect([transaction.mock.calls.length, execute.mock.calls.length]).toEqual([2, 1]);
});

test("an unknown address takes as long as a wrong password", async () => {
  const { attempt, user } = await setup();
  const time = async (input: Partial<SignInInput>) => {
    const start = performance.now();
    expect(await attempt({ password: "wrong", ...input })).toEqual({ result: "wrong" });
    return performance.now() - start;
  };
  await time({ email: "warm-up@nobody.example" });
  const fastest = { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
  const isClose = () => fastest.unknown > fastest.known / 2 && fastest.unknown < fastest.known * 2;
  // Compares the fastest of each: load slows down most tries, so more of them are made until the fastest are
  // close.
  for (let tries = 0; tries < 8 || (tries < 60 && !isClose()); tries++) {
    // A locked account's password is not hashed.
    await db.sql`update users set failed_sign_ins = 0 where id = ${user.id}`;
    fastest.known = Math.min(fastest.known, await time({}));
    fastest.unknown = Math.min(fastest.unknown, await time({ email: `${newId()}@nobody.example` }));
  }
  expect(fastest).toSatisfy(isClose);
});

test("tries are limited per network address, across accounts", async () => {
  const { attempt } = await setup();
  const address = newId();
  // Concurrent, because the bucket refills during the time that hashing takes on a busy machine.
  const guess = (i: number) => attempt({ address, email: `${i}@nobody.example`, password: "x" });
  const results = await Promise.all(Array.from({ length: 31 }, (_, i) => guess(i)));
  expect(results.slice(0, 30).every((result) => result.result === "wrong")).toBe(true);
  expect(results[30]).toMatchObject({ result: "too_many", retryAfterSeconds: expect.any(Number) });
  expect(await attempt()).toMatchObject({ result: "ok" });
});

test("with a second factor, the password alone requests the code and is not counted as a failure", async () => {
  const { attempt, row } = await withTotp();
  await attempt({ password: "wrong" });
  for (let i = 0; i < 12; i++) expect(await attempt()).toEqual({ result: "code_required" });
  expect(await row()).toMatchObject({ failed_sign_ins: 1, locked_until: null });
  expect(await attempt({ password: "wrong", code: "123456" })).toEqual({ result: "wrong" });
});

test.each([-30_000, 0, 30_000])("a code works once, %i ms away", async (ms) => {
  const { attempt, codeAt } = await withTotp();
  const code = codeAt(ms);
  expect(await attempt({ code: `${code.slice(0, 3)} ${code.slice(3)}` })).toMatchObject({ result: "ok", mfa: true });
  expect(await attempt({ code })).toEqual({ result: "code_wrong" });
});

test.each([
  [-120_000, "code_clock"],
  [75_000, "code_clock"],
  [-3_500_000, "code_clock"],
  [300_000, "code_clock"],
  [600_000, "code_wrong"],
  [-7_200_000, "code_wrong"],
])("a code that is right %i ms away is refused, as %s", async (ms, result) => {
  const { attempt, codeAt } = await withTotp();
  expect(await attempt({ code: codeAt(ms) })).toEqual({ result });
});

test("one code sent five times concurrently signs in once", async () => {
  const { attempt, codeAt } = await withTotp();
  const code = codeAt(0);
  const results = await Promise.all(Array.from({ length: 5 }, () => attempt({ code })));
  expect(results.filter((result) => result.result === "ok")).toHaveLength(1);
});

test("wrong codes lock like wrong passwords, and passwords in between do not reset the count", async () => {
  const { attempt } = await withTotp();
  for (let i = 1; i < 10; i++) {
    expect(await attempt({ code: "000000" })).toEqual({ result: "code_wrong" });
    expect(await attempt()).toEqual({ result: "code_required" });
  }
  expect(await attempt({ code: "not a code" })).toMatchObject({ result: "locked" });
  expect(await attempt()).toMatchObject({ result: "locked" });
});

test("a recovery code replaces the app once, in any notation", async () => {
  const { attempt, user } = await withTotp();
  const codes = [newRecoveryCode(), newRecoveryCode()] as const;
  await replaceRecoveryCodes(db.orm, user.id, codes.map(recoveryCodeDigest) as Buffer[]);
  const written = codes[0].toUpperCase().replaceAll("-", " ");
  expect(await attempt({ code: written })).toMatchObject({ result: "ok", mfa: true });
  expect(await attempt({ code: codes[0] })).toEqual({ result: "code_wrong" });
  const results = await Promise.all(Array.from({ length: 5 }, () => attempt({ code: codes[1] })));
  expect(results.filter((result) => result.result === "ok")).toHaveLength(1);
});

test("another user's recovery code does not work", async () => {
  const { attempt } = await withTotp();
  const other = await withTotp();
  const code = newRecoveryCode();
  await replaceRecoveryCodes(db.orm, other.user.id, [recoveryCodeDigest(code) as Buffer]);
  expect(await attempt({ code })).toEqual({ result: "code_wrong" });
});

test("a lock on one sign-in page reveals nothing on the other, neither accounts nor staff", async () => {
  const { attempt, user } = await setup();
  const staff = await createTestUser(db, { merchantId: null, role: "staff" });
  for (const email of [user.email, staff.email, `${newId()}@nobody.example`]) {
    const guess = async (kind: "merchant" | "staff") => (await attempt({ kind, email, password: "wrong" })).result;
    for (let i = 0; i < 10; i++) await guess("merchant");
    expect([await guess("merchant"), await guess("staff")]).toEqual(["locked", "wrong"]);
  }
});
