import { expect, test } from "vitest";
import { verifyPassword } from "@/lib/auth/password";
import { newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { testDatabase } from "@/lib/testing/database";
import { TEST_PASSWORD } from "@/lib/testing/people";
import { actsOf, isSessionAlive, mailsTo, testPeople, tokenIn } from "@/lib/testing/person-call";
import { changePassword } from "./change-password";
import { choosePassword } from "./choose-password";
import { findLink } from "./find-link";
import { inviteMember } from "./invite-member";
import { requestPasswordReset } from "./request-password-reset";
import { signIn } from "./sign-in";
import { signUp } from "./sign-up";
import { updateAccount } from "./update-account";

const { db } = await testDatabase();
const NEW = "another long password";

async function setup() {
  const people = await testPeople(db);
  const owner = await people.person("owner");
  const forgot = (email: string, address = newId()) => requestPasswordReset(people.service, { email, address });
  const choose = (token: string, password = NEW) =>
    choosePassword(people.service, { token, password, name: null, address: newId(), requestId: null });
  const trySignIn = async (password: string, email = owner.user.email) =>
    (
      await signIn(people.service, {
        ...{ kind: "merchant", email, password, code: null, address: newId(), userAgent: null },
      })
    ).result;
  return { ...people, owner, forgot, choose, trySignIn };
}

test("a forgotten password is replaced by a link that works once, and every session ends", async () => {
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
  expect((await actsOf(db, merchant.live.id)).map(({ action }) => action)).toEqual(["settings.password_reset"]);

  await expect(choose(token)).rejects.toMatchObject({ code: "resource_not_found" });
  expect(await findLink(service, token)).toBeNull();
});

test("one link used ten times at once changes the password once", async () => {
  const { owner, forgot, choose } = await setup();
  await forgot(owner.user.email);
  const token = tokenIn((await mailsTo(db, owner.user.email))[0]?.body);
  const answers = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => choose(token, `${NEW} ${i}`)));
  const done = answers.flatMap(({ status }, i) => (status === "fulfilled" ? [i] : []));
  expect(done).toHaveLength(1);
  const [row] = await db.sql`select password_hash from users where id = ${owner.user.id}`;
  expect(await verifyPassword(row?.password_hash, `${NEW} ${done[0]}`)).toBe(true);
});

test("using one link makes the others worthless, and an old one does not work", async () => {
  const { owner, forgot, choose } = await setup();
  await forgot(owner.user.email);
  await forgot(owner.user.email);
  const [newer, older] = (await mailsTo(db, owner.user.email)).map(({ body }) => tokenIn(body));
  await choose(newer as string);
  await expect(choose(older as string)).rejects.toMatchObject({ code: "resource_not_found" });
  await forgot(owner.user.email);
  const late = tokenIn((await mailsTo(db, owner.user.email))[0]?.body);
  await db.sql`update user_tokens set expires_at = now() - interval '1 second' where token_sha256 = ${sha256(late)}`;
  await expect(choose(late)).rejects.toMatchObject({ code: "resource_not_found" });
});

test("a reset opens a locked account", async () => {
  const { owner, forgot, choose, trySignIn } = await setup();
  for (let i = 0; i < 10; i++) await trySignIn("wrong");
  expect(await trySignIn(TEST_PASSWORD)).toBe("locked");
  await forgot(owner.user.email);
  await choose(tokenIn((await mailsTo(db, owner.user.email))[0]?.body));
  expect(await trySignIn(NEW)).toBe("ok");
});

test("nobody learns whether an address exists, staff's included, and no mailbox is filled", async () => {
  const { forgot, person, owner } = await setup();
  const staff = await person("staff");
  expect(await forgot("nobody@people.example")).toBeUndefined();
  expect(await forgot(staff.user.email)).toBeUndefined();
  expect(await mailsTo(db, staff.user.email)).toEqual([]);
  for (let i = 0; i < 7; i++) expect(await forgot(owner.user.email)).toBeUndefined();
  expect(await mailsTo(db, owner.user.email)).toHaveLength(5);
});

test("asking ten times at once mails five links", async () => {
  const { forgot, owner } = await setup();
  await Promise.all(Array.from({ length: 10 }, () => forgot(owner.user.email)));
  expect(await mailsTo(db, owner.user.email)).toHaveLength(5);
});

test("two links used at once change the password once, and neither answers with an error of ours", async () => {
  const { owner, forgot, choose } = await setup();
  for (let i = 0; i < 2; i++) await forgot(owner.user.email);
  const tokens = (await mailsTo(db, owner.user.email)).map(({ body }) => tokenIn(body));
  const answers = await Promise.allSettled(tokens.map((token) => choose(token)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const refused = answers.find((answer) => answer.status === "rejected");
  expect(refused?.reason).toMatchObject({ code: "resource_not_found" });
});

test("whoever was invited and has not joined gets no link by forgetting a password", async () => {
  const { owner, forgot } = await setup();
  const email = `${newId()}@invited.example`;
  await inviteMember(owner.ctx, { email, name: null, role: "viewer" });
  await db.sql`update user_tokens t set expires_at = now() - interval '1 day' from users u
    where u.id = t.user_id and u.email = ${email}`;
  await forgot(email);
  expect((await mailsTo(db, email)).map(({ subject }) => subject)).toEqual([expect.stringMatching(/^Join /)]);
});

test("one address of the network can ask only so often", async () => {
  const { service } = await setup();
  const address = newId();
  const answers = await Promise.allSettled(
    Array.from({ length: 31 }, (_, i) => requestPasswordReset(service, { email: `n${i}@nobody.example`, address })),
  );
  expect(answers.filter(({ status }) => status === "rejected")).toEqual([
    expect.objectContaining({ reason: expect.objectContaining({ code: "rate_limited" }) }),
  ]);
});

test("changing the password takes the current one and ends the other sessions", async () => {
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
  expect((await actsOf(db, merchant.live.id)).map(({ action }) => action)).toEqual(["settings.password_changed"]);
});

test("a browser left open is no place to guess the password at", async () => {
  const { owner } = await setup();
  const change = () =>
    changePassword(owner.ctx, { currentPassword: "wrong", newPassword: NEW, sessionId: owner.sessionId });
  const codes: unknown[] = [];
  for (let i = 0; i < 11; i++) codes.push(await change().catch((error: { code: string }) => error.code));
  expect(codes).toEqual([...Array(9).fill("invalid_parameter"), "rate_limited", "rate_limited"]);
});

test("another sign-in address takes the password, must be free, and the old one is told", async () => {
  const { owner, person } = await setup();
  const other = await person("viewer");
  const update = (email: string, currentPassword: string | null) =>
    updateAccount(owner.ctx, { name: "Ada", email, currentPassword });
  await update(owner.user.email, null);
  await expect(update("new@people.example", null)).rejects.toMatchObject({ param: "current_password" });
  await expect(update(other.user.email.toUpperCase(), TEST_PASSWORD)).rejects.toMatchObject({ param: "email" });
  expect(await update("new@people.example", TEST_PASSWORD)).toMatchObject({ name: "Ada", email: "new@people.example" });
  expect((await mailsTo(db, owner.user.email))[0]?.subject).toMatch(/another e-mail/);
});

test("a sign-up makes a merchant with its owner and no keys, and an address signs up once", async () => {
  const { service, trySignIn } = await setup();
  const email = `${newId()}@new.example`;
  const input = { businessName: "New shop", name: "Ada", password: NEW, timeZone: "Europe/Berlin", requestId: null };
  const { merchantId, userId } = await signUp(service, { ...input, email, address: newId() });
  const [row] = await db.sql`
    select m.name, m.time_zone, u.name as person, u.role, (select count(*) from environments e where e.merchant_id = m.id) as environments,
      (select count(*) from api_keys k join environments e on e.id = k.environment_id where e.merchant_id = m.id) as keys
    from merchants m join users u on u.merchant_id = m.id where m.id = ${merchantId} and u.id = ${userId}`;
  expect(row).toEqual({
    ...{ name: "New shop", time_zone: "Europe/Berlin", person: "Ada", role: "owner", environments: 2, keys: 0 },
  });
  expect(await trySignIn(NEW, email)).toBe("ok");
  await expect(signUp(service, { ...input, email: email.toUpperCase(), address: newId() })).rejects.toMatchObject({
    param: "email",
  });
  const count = async () => (await db.sql`select count(*) from merchants where name = 'New shop'`)[0]?.count;
  expect(await count()).toBe(1);
  const odd = await signUp(service, {
    ...input,
    email: `${newId()}@new.example`,
    timeZone: "Mars/Olympus",
    address: newId(),
  });
  const [zone] = await db.sql`select time_zone from merchants where id = ${odd.merchantId}`;
  expect(zone?.time_zone).toBe("UTC");
});
