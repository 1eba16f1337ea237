import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { actsOf, isSessionAlive, mailsTo, TEST_PASSWORD, testUsers } from "@/e2e/fixtures/users";
import { newId } from "@/lib/ids";
import { getOwnAccount } from "./account";
import { beginSecondFactor, confirmSecondFactor, disableSecondFactor, replaceRecoveryCodes } from "./second-factor";
import { signIn } from "./sign-in";

const { db } = await testDatabase();

async function setup() {
  const users = await testUsers(db);
  const owner = await users.newUser("owner");
  const begin = () => beginSecondFactor(owner.ctx, { currentPassword: TEST_PASSWORD });
  const confirm = (code: string) => confirmSecondFactor(owner.ctx, { code, sessionId: owner.sessionId });
  const enable = async () => {
    const { secret } = await begin();
    return { secret, codes: await confirm(generateCode(secret)) };
  };
  const trySignIn = async (code: string | null) =>
    (
      await signIn(users.service, {
        kind: "merchant",
        email: owner.user.email,
        password: TEST_PASSWORD,
        code,
        address: newId(),
        userAgent: null,
      })
    ).result;
  return { ...users, owner, begin, confirm, enable, trySignIn };
}

/** The code `steps` × 30 s from now. */
const generateCode = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

test("the second factor takes effect with its first code; the secret is stored sealed, recovery codes as digests", async () => {
  const { owner, begin, confirm, trySignIn, merchant } = await setup();
  const newFactor = await begin();
  expect(newFactor.uri).toMatch(/^otpauth:\/\/totp\/Cardlane:/);
  expect(newFactor.qrSvg).toMatch(/^<svg/);
  expect(await trySignIn(null)).toBe("ok");
  await expect(confirm("000000")).rejects.toMatchObject({ param: "code" });
  const code = generateCode(newFactor.secret);
  const codes = await confirm(code);
  expect(new Set(codes).size).toBe(10);
  const [stored] =
    await db.sql`select to_jsonb(u)::text || (select string_agg(code_sha256::text, ' ') from recovery_codes
    where user_id = u.id) as text from users u where id = ${owner.user.id}`;
  expect(stored?.text).not.toContain(newFactor.secret);
  expect(stored?.text).not.toContain(codes[0]?.replaceAll("-", ""));
  expect(await getOwnAccount(owner.ctx)).toMatchObject({ recoveryCodesLeft: 10 });
  // The code that turned it on is used up; recovery codes are not.
  expect(await trySignIn(null)).toBe("code_required");
  expect(await trySignIn(code)).toBe("code_wrong");
  expect(await trySignIn(codes[3] ?? "")).toBe("ok");
  expect(await getOwnAccount(owner.ctx)).toMatchObject({ recoveryCodesLeft: 9 });
  expect((await mailsTo(db, owner.user.email))[0]?.subject).toMatch(/turned on/);
  expect((await actsOf(db, merchant.live.id)).map(({ action }) => action)).toEqual([
    "settings.signed_in",
    "settings.proof_failed",
    "settings.second_factor_enabled",
    "settings.sign_in_failed",
    "settings.recovery_code_used",
    "settings.signed_in",
  ]);
  await expect(begin()).rejects.toMatchObject({ code: "invalid_state" });
});

test("turning it on ends every other session, which had only the password", async () => {
  const { owner, enable, signedIn } = await setup();
  const other = await signedIn(owner.user);
  await enable();
  expect(await isSessionAlive(db, other.sessionId)).toBe(false);
  expect(await isSessionAlive(db, owner.sessionId)).toBe(true);
});

test("guesses at the first code are limited", async () => {
  const { begin, confirm } = await setup();
  const { secret } = await begin();
  const codes: unknown[] = [];
  for (let i = 0; i < 10; i++) codes.push(await confirm("000000").catch((error: { code: string }) => error.code));
  expect(codes).toEqual([...Array(9).fill("invalid_parameter"), "rate_limited"]);
  await expect(confirm(generateCode(secret))).rejects.toMatchObject({ code: "rate_limited" });
});

test("only the newest secret can be confirmed", async () => {
  const { begin, confirm } = await setup();
  const first = await begin();
  await begin();
  await expect(confirm(generateCode(first.secret))).rejects.toMatchObject({ param: "code" });
});

test("beginning requires the password", async () => {
  const { owner } = await setup();
  await expect(beginSecondFactor(owner.ctx, { currentPassword: "wrong" })).rejects.toMatchObject({
    param: "current_password",
  });
});

test("turning it off requires password and code, and deletes the recovery codes", async () => {
  const { owner, enable, trySignIn } = await setup();
  const { secret } = await enable();
  const disable = (current_password: string, code: string) =>
    disableSecondFactor(owner.ctx, { current_password, code });
  await expect(disable("wrong", generateCode(secret, 1))).rejects.toMatchObject({ param: "current_password" });
  await expect(disable(TEST_PASSWORD, "000000")).rejects.toMatchObject({ param: "code" });
  await disable(TEST_PASSWORD, generateCode(secret, 1));
  expect(await trySignIn(null)).toBe("ok");
  expect((await mailsTo(db, owner.user.email))[0]?.subject).toMatch(/turned off/);
  expect(await getOwnAccount(owner.ctx)).toMatchObject({ secondFactorSince: null, recoveryCodesLeft: 0 });
});

test("new recovery codes replace all of the old ones", async () => {
  const { owner, enable, trySignIn } = await setup();
  const { secret, codes } = await enable();
  const fresh = await replaceRecoveryCodes(owner.ctx, {
    current_password: TEST_PASSWORD,
    code: generateCode(secret, 1),
  });
  expect(fresh).toHaveLength(10);
  expect(await trySignIn(codes[0] ?? "")).toBe("code_wrong");
  expect(await trySignIn(fresh[0] ?? "")).toBe("ok");
});
