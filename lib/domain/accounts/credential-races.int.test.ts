import { expect, test } from "vitest";
import { countRecoveryCodes, replaceRecoveryCodes } from "@/db/queries/accounts/users";
import { testDatabase } from "@/e2e/fixtures/database";
import { isSessionAlive, mailsTo, TEST_PASSWORD, testUsers, tokenIn } from "@/e2e/fixtures/users";
import { newRecoveryCode, newTotpSecret, recoveryCodeDigest } from "@/lib/auth/one-time-codes";
import type { Context, Service } from "@/lib/domain/context";
import { newId } from "@/lib/ids";
import { updateAccount } from "./account";
import { changePassword, choosePassword, requestPasswordReset } from "./password";
import { signIn } from "./sign-in";
import { verifyEmail } from "./sign-up";

const { db } = await testDatabase();
const NEW = "another long password";
const RESET = "the password of the reset";

/** A service that runs `act` before each transaction begins. */
function interrupted(service: Service, act: () => Promise<unknown>): Service {
  const orm = new Proxy(service.db.orm, {
    get: (target, name) =>
      name === "transaction"
        ? async (...args: Parameters<typeof target.transaction>) => {
            await act();
            return target.transaction(...args);
          }
        : Reflect.get(target, name, target),
  });
  return { ...service, db: { ...service.db, orm } };
}

async function setup() {
  const users = await testUsers(db);
  const owner = await users.newUser("owner");
  const reset = async () => {
    await requestPasswordReset(users.service, { email: owner.user.email, address: newId() });
    const token = tokenIn((await mailsTo(db, owner.user.email))[0]?.body);
    await choosePassword(users.service, { token, password: RESET, name: null, address: newId(), requestId: null });
  };
  const trySignIn = (password: string, code: string | null = null, service = users.service) =>
    signIn(service, {
      kind: "merchant" as const,
      email: owner.user.email,
      password,
      code,
      address: newId(),
      userAgent: null,
    });
  const during = (act: () => Promise<unknown>): Context => ({
    ...owner.ctx,
    service: interrupted(users.service, act),
  });
  const sessions = async () =>
    db.sql`select id from user_sessions where user_id = ${owner.user.id} and revoked_at is null`;
  return { ...users, owner, reset, trySignIn, during, sessions };
}

test("a password change overtaken by a reset is refused, and the reset stays", async () => {
  const { owner, reset, trySignIn, during, sessions } = await setup();
  const input = { currentPassword: TEST_PASSWORD, newPassword: NEW, sessionId: owner.sessionId };
  await expect(changePassword(during(reset), input)).rejects.toMatchObject({ param: "current_password" });
  expect(await sessions()).toHaveLength(0);
  expect((await trySignIn(RESET)).result).toBe("ok");
  expect((await trySignIn(NEW)).result).toBe("wrong");
});

test("a sign-in opens its session in the commit that accepts it, so a reset ends it or precedes it", async () => {
  const { reset, trySignIn, sessions } = await setup();
  const before = await trySignIn(TEST_PASSWORD);
  if (before.result !== "ok") throw new Error("the sign-in was refused");
  expect(await isSessionAlive(db, before.sessionId)).toBe(true);
  await reset();
  expect(await isSessionAlive(db, before.sessionId)).toBe(false);
  expect((await trySignIn(RESET)).result).toBe("ok");
  expect(await sessions()).toHaveLength(1);
});

test("a sign-in with the old password, overtaken by a reset, leaves no session", async () => {
  const { reset, trySignIn, service, sessions } = await setup();
  expect(await trySignIn(TEST_PASSWORD, null, interrupted(service, reset))).toEqual({ result: "wrong" });
  expect(await sessions()).toHaveLength(0);
});

test("a recovery code is not used up when its sign-in is refused in the end", async () => {
  const { owner, reset, trySignIn, service } = await setup();
  const sealed = service.secret.seal(newTotpSecret());
  await db.sql`update users set totp_secret = ${sealed}, totp_enabled_at = now() where id = ${owner.user.id}`;
  const code = newRecoveryCode();
  await replaceRecoveryCodes(db.orm, owner.user.id, [recoveryCodeDigest(code) as Buffer]);
  const refused = await trySignIn(TEST_PASSWORD, code, interrupted(service, reset));
  expect(refused).toEqual({ result: "code_wrong" });
  expect(await countRecoveryCodes(db.orm, owner.user.id)).toBe(1);
  expect(await trySignIn(RESET, code)).toMatchObject({ result: "ok", mfa: true });
});

test("saving a name in one window does not restore an address that another window has just changed", async () => {
  const { owner, during } = await setup();
  const email = `${newId()}@people.example`;
  const move = async () => {
    await updateAccount(owner.ctx, { name: "Ada", email, currentPassword: TEST_PASSWORD });
    const token = tokenIn((await mailsTo(db, email))[0]?.body);
    const from = { signedInAs: owner.user.id, password: null, address: newId(), requestId: null };
    await verifyEmail(owner.ctx.service, { token, ...from });
  };
  const stale = { name: "Ada L", email: owner.user.email, currentPassword: null };
  await expect(updateAccount(during(move), stale)).rejects.toMatchObject({ code: "invalid_state" });
  const [row] = await db.sql`select name, email from users where id = ${owner.user.id}`;
  expect(row).toEqual({ name: "Ada", email });
});

test("a change of address requires a password that is still current", async () => {
  const { owner, reset, during } = await setup();
  const input = { name: "Ada", email: `${newId()}@people.example`, currentPassword: TEST_PASSWORD };
  await expect(updateAccount(during(reset), input)).rejects.toMatchObject({ code: "invalid_state" });
  const [row] = await db.sql`select email from users where id = ${owner.user.id}`;
  expect(row?.email).toBe(owner.user.email);
});
