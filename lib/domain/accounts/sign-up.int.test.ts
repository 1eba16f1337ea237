import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { actsOf, mailsTo, TEST_PASSWORD, testUsers, tokenIn } from "@/e2e/fixtures/users";
import { newId } from "@/lib/ids";
import { inviteMember, listTeam } from "../team/team";
import { getOwnAccount, updateAccount } from "./account";
import { changePassword, choosePassword, requestPasswordReset } from "./password";
import { beginSecondFactor } from "./second-factor";
import { findSession } from "./sessions";
import { signIn, signInWithTicket } from "./sign-in";
import { resendVerification, signUp, verifyEmail } from "./sign-up";

const { db } = await testDatabase();
const NEW = "another long password";
const SQUATTERS = "the password of a squatter";
const anyEmail = () => `${newId()}@new.example`;

async function setup() {
  const users = await testUsers(db);
  const { service } = users;
  const owner = await users.newUser("owner");
  const open = (email: string, password = NEW, address = newId()) => {
    const names = { businessName: "New shop", name: "Ada" };
    return signUp(service, { ...names, email, password, timeZone: "UTC", address, requestId: null });
  };
  const result = async (email: string, password: string) => {
    const input = { kind: "merchant" as const, email, password, code: null, address: newId(), userAgent: null };
    return (await signIn(service, input)).result;
  };
  const verify = (token: string, by: { signedInAs?: string; password?: string } = {}) =>
    verifyEmail(service, {
      token,
      signedInAs: by.signedInAs ?? null,
      password: by.password ?? null,
      address: newId(),
      requestId: null,
    });
  const linkTo = async (email: string) => tokenIn((await mailsTo(db, email))[0]?.body);
  const join = (token: string) =>
    choosePassword(service, { token, password: NEW, name: "Grace", address: newId(), requestId: null });
  const update = (email: string, currentPassword: string | null = TEST_PASSWORD) =>
    updateAccount(owner.ctx, { name: "Ada", email, currentPassword });
  return { ...users, owner, open, result, verify, linkTo, join, update };
}

test("a sign-up signs its browser in once, and its address signs in after verification", async () => {
  const { service, open, result, verify, linkTo } = await setup();
  const email = anyEmail();
  const { merchantId, userId, ticket } = await open(email);
  const [row] = await db.sql`
    select m.name, u.role, u.email_verified_at, (select count(*) from environments e where e.merchant_id = m.id) as environments,
      (select count(*) from api_keys k join environments e on e.id = k.environment_id where e.merchant_id = m.id) as keys
    from merchants m join users u on u.merchant_id = m.id where m.id = ${merchantId}`;
  expect(row).toEqual({ name: "New shop", role: "owner", email_verified_at: null, environments: 2, keys: 0 });

  const from = { address: newId(), userAgent: null };
  const first = await signInWithTicket(service, { ticket, ...from });
  if (first.result !== "ok") throw new Error("the ticket was refused");
  expect((await findSession(service, first.sessionId))?.user).toMatchObject({ userId, emailVerified: false });
  const [signedIn] = await db.sql`select last_sign_in_at is not null as ever from users where id = ${userId}`;
  expect(signedIn).toEqual({ ever: true });
  expect((await signInWithTicket(service, { ticket, ...from })).result).toBe("wrong");
  expect(await result(email, NEW)).toBe("wrong");

  const token = await linkTo(email);
  expect(await verify(token, { signedInAs: userId })).toEqual({ email });
  expect(await result(email.toUpperCase(), NEW)).toBe("ok");
  expect((await findSession(service, first.sessionId))?.user.emailVerified).toBe(true);
  await expect(verify(token, { signedInAs: userId })).rejects.toMatchObject({ code: "resource_not_found" });
});

test("the link alone verifies no address for a stranger's account: that requires its session or password", async () => {
  const { open, result, verify, linkTo } = await setup();
  const email = anyEmail();
  await open(email, SQUATTERS);
  const token = await linkTo(email);
  const refused = { code: "invalid_parameter", param: "password" };
  await expect(verify(token)).rejects.toMatchObject(refused);
  await expect(verify(token, { signedInAs: newId(), password: NEW })).rejects.toMatchObject(refused);
  expect(await result(email, SQUATTERS)).toBe("wrong");
  await verify(token, { password: SQUATTERS });
  expect(await result(email, SQUATTERS)).toBe("ok");
});

test("a sign-up has the same result for an address with an owner, and only its mailbox is notified", async () => {
  const { owner, newUser, open, result } = await setup();
  const staff = await newUser("staff");
  for (const taken of [owner.user.email, staff.user.email]) {
    const result = await open(taken.toUpperCase());
    expect(Object.keys(result)).toEqual(Object.keys(await open(anyEmail())));
    const [mail] = await mailsTo(db, taken);
    expect(mail?.subject).toBe("You already have a Cardlane account");
    expect(mail?.body).not.toContain("/verify-email/");
  }
  expect(await result(owner.user.email, TEST_PASSWORD)).toBe("ok");
  expect(await result(owner.user.email, NEW)).toBe("wrong");
});

test("no number of sign-ups keeps an address from its owner, and the first to verify it owns it", async () => {
  const { open, result, verify, linkTo } = await setup();
  const email = anyEmail();
  const squatters: string[] = [];
  for (let i = 0; i < 3; i++) {
    await open(email, SQUATTERS);
    squatters.push(await linkTo(email));
  }
  await open(email);
  await verify(await linkTo(email), { password: NEW });
  expect(await result(email, NEW)).toBe("ok");
  for (const token of squatters) {
    await expect(verify(token, { password: SQUATTERS })).rejects.toMatchObject({ code: "invalid_state" });
  }
  expect(await result(email, SQUATTERS)).toBe("wrong");
});

test("of accounts that verify one address concurrently, one owns it", async () => {
  const { open, verify, linkTo } = await setup();
  const email = anyEmail();
  const tokens: string[] = [];
  for (let i = 0; i < 4; i++) {
    await open(email);
    tokens.push(await linkTo(email));
  }
  const results = await Promise.allSettled(tokens.map((token) => verify(token, { password: NEW })));
  expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
  expect(await db.sql`select 1 from users where email = ${email} and owns_email`).toHaveLength(1);
});

test("an invited user joins although others have signed up with the address, also in migrated databases", async () => {
  const { owner, open, linkTo, join, result } = await setup();
  const email = anyEmail();
  await open(email, SQUATTERS);
  // A user who signed up before addresses were verified, as the migration left them.
  const old = await (await testUsers(db)).newUser("owner", { email: email.toUpperCase(), email_verified_at: null });
  const id = await inviteMember(owner.ctx, { email, name: null, role: "viewer" });
  await join(await linkTo(email));
  expect((await listTeam(owner.ctx)).find((member) => member.id === id)).toMatchObject({ invited: false });
  expect(await result(email, NEW)).toBe("ok");
  expect(await result(email, TEST_PASSWORD)).toBe("wrong");
  const [left] = await db.sql`select owns_email from users where id = ${old.user.id}`;
  expect(left?.owns_email).toBe(false);
});

test("an invitation to an address verified elsewhere reveals nothing to the inviter, and works once it is free", async () => {
  const { owner, linkTo, join } = await setup();
  const there = await (await testUsers(db)).newUser("owner");
  const { email } = there.user;
  await inviteMember(owner.ctx, { email, name: null, role: "viewer" });
  const token = await linkTo(email);
  await expect(join(token)).rejects.toMatchObject({ code: "invalid_state" });
  // Once the other account has another address, the same link works.
  await db.sql`update users set email = ${anyEmail()} where id = ${there.user.id}`;
  await join(token);
});

test("a new address takes effect once verified; until then, and for others, nothing changes", async () => {
  const { owner, newUser, update, verify, linkTo, result, merchant } = await setup();
  const other = await newUser("viewer");
  const [before, email] = [owner.user.email, anyEmail()];
  await expect(update(email, null)).rejects.toMatchObject({ param: "current_password" });
  expect(await update(email)).toEqual({ name: "Ada", email: before, pendingEmail: email });
  expect(await result(before, TEST_PASSWORD)).toBe("ok");
  expect(await result(email, TEST_PASSWORD)).toBe("wrong");
  await verify(await linkTo(email), { signedInAs: owner.user.id });
  expect(await result(email, TEST_PASSWORD)).toBe("ok");
  expect(await result(before, TEST_PASSWORD)).toBe("wrong");
  expect((await mailsTo(db, before))[0]?.subject).toMatch(/e-mail was changed/);
  expect((await actsOf(db, merchant.live.id)).map(({ detail }) => detail)).toContainEqual(
    expect.objectContaining({ changes: { email: [before, email] } }),
  );
  // For an address of another user, the result and the page afterwards are the same.
  expect(await update(other.user.email)).toEqual({ name: "Ada", email, pendingEmail: other.user.email });
  expect(await getOwnAccount(owner.ctx)).toMatchObject({ email, pendingEmail: other.user.email });
  expect((await mailsTo(db, other.user.email))[0]?.subject).toBe("You already have a Cardlane account");
});

test("the link is resent three times an hour and voids the earlier one; no mailbox gets more than ten", async () => {
  const { service, open, verify, linkTo, merchant } = await setup();
  const email = anyEmail();
  const { userId } = await open(email);
  const first = await linkTo(email);
  const ctx = testContext(service, merchant.test, { actor: { type: "user", id: userId } });
  for (let i = 0; i < 2; i++) await resendVerification(ctx, newId());
  await expect(resendVerification(ctx, newId())).rejects.toMatchObject({ code: "rate_limited" });
  await expect(verify(first, { password: NEW })).rejects.toMatchObject({ code: "resource_not_found" });
  await Promise.all(Array.from({ length: 12 }, () => open(email)));
  expect(await mailsTo(db, email)).toHaveLength(10);
});

test("sign-ups by strangers do not keep the address's owner from getting a link", async () => {
  const { service, open, linkTo, verify, merchant } = await setup();
  const email = anyEmail();
  // One network causes at most three mails; several networks use up the mailbox's limit.
  for (let i = 0; i < 5; i++) await open(email, SQUATTERS, "198.51.100.7");
  expect(await mailsTo(db, email)).toHaveLength(3);
  for (let i = 0; i < 9; i++) await open(email, SQUATTERS);
  expect(await mailsTo(db, email)).toHaveLength(10);
  const { userId } = await open(email);
  expect(await mailsTo(db, email)).toHaveLength(10);
  const resend = (id: string, address: string) =>
    resendVerification(testContext(service, merchant.test, { actor: { type: "user", id } }), address);
  // Strangers request links, too: three from one network, whatever the account, and more from other networks.
  const strangers = await Promise.all(Array.from({ length: 8 }, () => open(email, SQUATTERS)));
  const [first, second, third, fourth, ...others] = strangers.map((stranger) => stranger.userId);
  for (const id of [first, second, third]) await resend(id as string, "2001:db8:7:1::1");
  await expect(resend(fourth as string, "2001:db8:7:2::1")).rejects.toMatchObject({ code: "rate_limited" });
  for (const id of others) await resend(id, newId());
  expect(await mailsTo(db, email)).toHaveLength(17);
  await resend(userId, newId());
  expect(await mailsTo(db, email)).toHaveLength(18);
  expect(await verify(await linkTo(email), { password: NEW })).toEqual({ email });
});

test("an account without a verified address is mailed nothing but its verification link", async () => {
  const { service, open, merchant } = await setup();
  const email = anyEmail();
  const { userId } = await open(email);
  const ctx = testContext(service, merchant.test, { actor: { type: "user", id: userId } });
  const change = (currentPassword: string, newPassword: string) =>
    changePassword(ctx, { currentPassword, newPassword, sessionId: newId() });
  // The act is audited in the environment of the user's own merchant.
  const [own] = await db.sql`select merchant_id from users where id = ${userId}`;
  const [live] = await db.sql`select id from environments where merchant_id = ${own?.merchant_id} and mode = 'live'`;
  const elsewhere = {
    ...ctx,
    environment: { id: live?.id, mode: "live" as const, merchantId: own?.merchant_id, clock: null },
  };
  await changePassword(elsewhere, { currentPassword: NEW, newPassword: SQUATTERS, sessionId: newId() });
  await beginSecondFactor(ctx, { currentPassword: SQUATTERS });
  for (let i = 0; i < 11; i++) await change("wrong", NEW).catch(() => {});
  expect((await mailsTo(db, email)).map(({ subject }) => subject)).toEqual([
    "Confirm your e-mail address for Cardlane",
  ]);
});

test("a reset link verifies the address, too", async () => {
  const { service, newUser, linkTo } = await setup();
  const old = await newUser("owner", { email_verified_at: null });
  await requestPasswordReset(service, { email: old.user.email, address: newId() });
  const token = await linkTo(old.user.email);
  await choosePassword(service, { token, password: NEW, name: null, address: newId(), requestId: null });
  const [row] = await db.sql`select email_verified_at from users where id = ${old.user.id}`;
  expect(row?.email_verified_at).not.toBeNull();
});
