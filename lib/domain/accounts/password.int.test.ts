import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import {
  actsOf,
  clearTotpSecret,
  isSessionAlive,
  mailsTo,
  TEST_PASSWORD,
  testUsers,
  tokenIn,
} from "@/e2e/fixtures/users";
import { isEasyPassword, verifyPassword } from "@/lib/auth/password";
import { newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { inviteMember } from "../team/team";
import { findLink } from "./mail";
import { changePassword, choosePassword, requestPasswordReset } from "./password";
import { signIn } from "./sign-in";
import { signUp } from "./sign-up";

const { db } = await testDatabase();
const NEW = "another long password";

async function setup() {
  const users = await testUsers(db);
  const owner = await users.newUser("owner");
  const forgot = (email: string, address = newId()) => requestPasswordReset(users.service, { email, address });
  const choose = (token: string, password = NEW) =>
    choosePassword(users.service, { token, password, name: null, address: newId(), requestId: null });
  const trySignIn = async (password: string, email = owner.user.email) =>
    (await signIn(users.service, { kind: "merchant", email, password, code: null, address: newId(), userAgent: null }))
      .result;
  return { ...users, owner, forgot, choose, trySignIn };
}

test("a mailed link replaces a forgotten password once, and every session ends", async () => {
  const { owner, forgot, choose, service, trySignIn, signedIn, merchant } = await setup();
  const second = await signedIn(owner.user);
  await forgot(owner.user.email.toUpperCase());
  const token = tokenIn((await mailsTo(db, owner.user.email))[0]?.body);
  expect(await findLink(service, token)).toMatchObject({ purpose: "reset_password", email: owner.user.email });
  const [stored] = await db.sql`select token_sha256, expires_at - now() <= interval '1 hour' as short from user_tokens
    where user_id = ${owner.user.id}`;
  expect(stored).toEqual({ token_sha256: sha256(token), short: true });

  expect(await choose(token)).toEqual({ email: owner.user.email });
  expect(await trySignIn(NEW)).toBe("ok");
  expect(await trySignIn(TEST_PASSWORD)).toBe("wrong");
  for (const id of [owner.sessionId, second.sessionId]) expect(await isSessionAlive(db, id)).toBe(false);
  expect((await mailsTo(db, owner.user.email))[0]?.subject).toMatch(/was changed/);
  expect((await actsOf(db, merchant.live.id)).map(({ action }) => action)).toEqual([
    "settings.password_reset",
    "settings.signed_in",
    "settings.sign_in_failed",
  ]);

  await expect(choose(token)).rejects.toMatchObject({ code: "resource_not_found" });
  expect(await findLink(service, token)).toBeNull();
});

test("one link used ten times concurrently changes the password once", async () => {
  const { owner, forgot, choose } = await setup();
  await forgot(owner.user.email);
  const token = tokenIn((await mailsTo(db, owner.user.email))[0]?.body);
  const results = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => choose(token, `${NEW} ${i}`)));
  const done = results.flatMap(({ status }, i) => (status === "fulfilled" ? [i] : []));
  expect(done).toHaveLength(1);
  const [row] = await db.sql`select password_hash from users where id = ${owner.user.id}`;
  expect(await verifyPassword(row?.password_hash, `${NEW} ${done[0]}`)).toBe(true);
});

test("an expired link does not work", async () => {
  const { owner, forgot, choose } = await setup();
  await forgot(owner.user.email);
  const late = tokenIn((await mailsTo(db, owner.user.email))[0]?.body);
  await db.sql`update user_tokens set expires_at = now() - interval '1 second' where token_sha256 = ${sha256(late)}`;
  await expect(choose(late)).rejects.toMatchObject({ code: "resource_not_found" });
});

test("a reset unlocks a locked account", async () => {
  const { owner, forgot, choose, trySignIn } = await setup();
  for (let i = 0; i < 10; i++) await trySignIn("wrong");
  expect(await trySignIn(TEST_PASSWORD)).toBe("locked");
  await forgot(owner.user.email);
  await choose(tokenIn((await mailsTo(db, owner.user.email))[0]?.body));
  expect(await trySignIn(NEW)).toBe("ok");
});

test("no caller learns if an address exists, including addresses of staff, and no mailbox is flooded", async () => {
  const { forgot, newUser, owner } = await setup();
  const staff = await newUser("staff");
  expect(await forgot("nobody@people.example")).toBeUndefined();
  expect(await forgot(staff.user.email)).toBeUndefined();
  expect(await mailsTo(db, staff.user.email)).toEqual([]);
  for (let i = 0; i < 7; i++) expect(await forgot(owner.user.email)).toBeUndefined();
  expect(await mailsTo(db, owner.user.email)).toHaveLength(5);
});

test("ten concurrent requests mail five links", async () => {
  const { forgot, owner } = await setup();
  await Promise.all(Array.from({ length: 10 }, () => forgot(owner.user.email)));
  expect(await mailsTo(db, owner.user.email)).toHaveLength(5);
});

test("two links used concurrently change the password once, the newer one, and neither fails with an internal error", async () => {
  const { owner, forgot, choose } = await setup();
  for (let i = 0; i < 2; i++) await forgot(owner.user.email);
  const tokens = (await mailsTo(db, owner.user.email)).map(({ body }) => tokenIn(body));
  const results = await Promise.allSettled(tokens.map((token) => choose(token)));
  expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const refused = results.find((result) => result.status === "rejected");
  expect(refused?.reason).toMatchObject({ code: "resource_not_found" });
});

test("an invited user who has not joined gets no reset link", async () => {
  const { owner, forgot } = await setup();
  const email = `${newId()}@invited.example`;
  await inviteMember(owner.ctx, { email, name: null, role: "viewer" });
  await db.sql`update user_tokens t set expires_at = now() - interval '1 day' from users u
    where u.id = t.user_id and u.email = ${email}`;
  await forgot(email);
  expect((await mailsTo(db, email)).map(({ subject }) => subject)).toEqual(["Join a team on Cardlane"]);
});

test("reset requests are limited per network address", async () => {
  const { service } = await setup();
  const address = newId();
  const results = await Promise.allSettled(
    Array.from({ length: 31 }, (_, i) => requestPasswordReset(service, { email: `n${i}@nobody.example`, address })),
  );
  expect(results.filter(({ status }) => status === "rejected")).toEqual([
    expect.objectContaining({ reason: expect.objectContaining({ code: "rate_limited" }) }),
  ]);
});

test("changing the password requires the current one and ends the other sessions", async () => {
  const { owner, signedIn, trySignIn, merchant } = await setup();
  const other = await signedIn(owner.user);
  const change = (currentPassword: string) =>
    changePassword(owner.ctx, { currentPassword, newPassword: NEW, sessionId: owner.sessionId });
  await expect(change("wrong")).rejects.toMatchObject({ code: "invalid_parameter", param: "current_password" });
  expect(await change(TEST_PASSWORD)).toBe(1);
  expect(await isSessionAlive(db, owner.sessionId)).toBe(true);
  expect(await isSessionAlive(db, other.sessionId)).toBe(false);
  expect(await trySignIn(NEW)).toBe("ok");
  expect((await mailsTo(db, owner.user.email))[0]?.subject).toMatch(/was changed/);
  expect((await actsOf(db, merchant.live.id)).map(({ action }) => action)).toEqual([
    "settings.proof_failed",
    "settings.password_changed",
    "settings.signed_in",
  ]);
});

test("an unattended browser does not allow guessing the password", async () => {
  const { owner } = await setup();
  const change = () =>
    changePassword(owner.ctx, { currentPassword: "wrong", newPassword: NEW, sessionId: owner.sessionId });
  const codes: unknown[] = [];
  for (let i = 0; i < 11; i++) codes.push(await change().catch((error: { code: string }) => error.code));
  expect(codes).toEqual([...Array(9).fill("invalid_parameter"), "rate_limited", "rate_limited"]);
});

test("a newer link voids the older ones", async () => {
  const { owner, forgot, choose } = await setup();
  await forgot(owner.user.email);
  await forgot(owner.user.email);
  const [newer, older] = (await mailsTo(db, owner.user.email)).map(({ body }) => tokenIn(body));
  await expect(choose(older as string)).rejects.toMatchObject({ code: "resource_not_found" });
  await choose(newer as string);
});

test("a new password does not restore guesses at the second factor", async () => {
  const { owner, forgot, choose, service } = await setup();
  const sealed = service.secret.seal(clearTotpSecret());
  await db.sql`update users set totp_secret = ${sealed}, totp_enabled_at = now() where id = ${owner.user.id}`;
  const guess = async (password: string) =>
    (
      await signIn(service, {
        kind: "merchant",
        email: owner.user.email,
        password,
        code: "000000",
        address: newId(),
        userAgent: null,
      })
    ).result;
  for (let i = 0; i < 6; i++) expect(await guess(TEST_PASSWORD)).toBe("code_wrong");
  await forgot(owner.user.email);
  await choose(tokenIn((await mailsTo(db, owner.user.email))[0]?.body));
  for (let i = 0; i < 4; i++) expect(await guess(NEW)).toBe("code_wrong");
  expect(await guess(NEW)).toBe("codes_locked");
  await db.sql`update users set codes_locked_until = now() - interval '1 second' where id = ${owner.user.id}`;
  expect(await guess(NEW)).toBe("code_wrong");
});

test.each([
  "passwordpassword",
  "            ",
  "qwertyuiop123",
  "123456789012",
  "lovelacelovelace",
  "aaaaaaaaaaaaaaaa",
])("a password that is easy to guess is refused wherever one is chosen: %s", async (password) => {
  const { owner, service, forgot, choose } = await setup();
  const refused = (param: string) => ({ code: "invalid_parameter", param });
  const account = { businessName: "Lovelace Ltd", name: "Ada 1815", email: `${newId()}@new.example`, password };
  await expect(
    signUp(service, { ...account, timeZone: "UTC", address: newId(), requestId: null }),
  ).rejects.toMatchObject(refused("password"));
  if (password.startsWith("lovelace")) return;
  await expect(
    changePassword(owner.ctx, { currentPassword: TEST_PASSWORD, newPassword: password, sessionId: owner.sessionId }),
  ).rejects.toMatchObject(refused("new_password"));
  await forgot(owner.user.email);
  const token = tokenIn((await mailsTo(db, owner.user.email))[0]?.body);
  await expect(choose(token, password)).rejects.toMatchObject(refused("password"));
  // The link still works with a better password.
  await choose(token);
});

test("no new password takes long to check, whatever its content", async () => {
  const worst = ["p4$$w0rd".repeat(25), "4@8({[<369|!10$5+7%2z".repeat(9), "a".repeat(200), "ab1!x".repeat(40)];
  await isEasyPassword("to load the list", []);
  // CPU time, because elapsed time depends on the machine's load.
  const before = process.cpuUsage();
  for (const password of worst) await isEasyPassword(password, ["ada@shop.example"]);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
});
