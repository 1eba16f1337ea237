import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext } from "@/e2e/fixtures/factories";
import { actsOf, createTestUser, isSessionAlive, mailsTo, testUsers, tokenIn } from "@/e2e/fixtures/users";
import { encodeId } from "@/lib/contract/ids";
import { recordStaffAct } from "@/lib/domain/support/staff-acts";
import { newId } from "@/lib/ids";
import { updatePreferences } from "../accounts/account";
import { listActivity } from "../accounts/activity";
import { updateBusiness } from "../accounts/business";
import { choosePassword } from "../accounts/password";
import { endOtherSessions, endOwnSession, listOwnSessions } from "../accounts/sessions";
import { signIn } from "../accounts/sign-in";
import { createApiKey } from "../api-keys/issue-keys";
import { changeRole, inviteMember, listTeam, removeMember, resendInvitation } from "./team";

const { db } = await testDatabase();
const NEW = "another long password";
const idOf = (user: { id: string }) => encodeId("user", user.id);

async function setup() {
  const users = await testUsers(db);
  const owner = await users.newUser("owner", { name: "Ada" });
  const accept = (token: string) =>
    choosePassword(users.service, { token, password: NEW, name: "Grace", address: newId(), requestId: null });
  const acts = async () => (await actsOf(db, users.merchant.live.id)).map(({ action }) => action);
  return { ...users, owner, accept, acts };
}

test("an invited user joins with the mailed link, and has the role of the invitation", async () => {
  const { owner, accept, service, acts } = await setup();
  const email = `${newId()}@team.example`;
  const id = await inviteMember(owner.ctx, { email, name: null, role: "viewer" });
  const mail = (await mailsTo(db, email))[0];
  expect(mail?.body).toContain(`${owner.user.email} invited you to their team on Cardlane, with the role Viewer.`);
  // No user-chosen name, which could carry any message to any mailbox.
  expect(`${mail?.subject} ${mail?.body}`).not.toMatch(/\bAda\b|Test merchant/);
  expect(await listTeam(owner.ctx)).toEqual([
    expect.objectContaining({ id: owner.user.id, invited: false }),
    expect.objectContaining({ id, invited: true, role: "viewer" }),
  ]);
  await accept(tokenIn(mail?.body));
  expect((await listTeam(owner.ctx))[1]).toMatchObject({ name: "Grace", invited: false });
  const signedIn = await signIn(service, {
    kind: "merchant",
    email,
    password: NEW,
    code: null,
    address: newId(),
    userAgent: null,
  });
  expect(signedIn).toMatchObject({ result: "ok", user: { role: "viewer" } });
  expect(await acts()).toEqual(["team.member_invited", "team.invitation_accepted", "settings.signed_in"]);
  await expect(inviteMember(owner.ctx, { email, name: null, role: "viewer" })).rejects.toMatchObject({
    param: "email",
  });
});

test("an invitation that is resent has a new link, and the old one stops working", async () => {
  const { owner, accept } = await setup();
  const email = `${newId()}@team.example`;
  const id = idOf({ id: await inviteMember(owner.ctx, { email, name: null, role: "operator" }) });
  await resendInvitation(owner.ctx, { id });
  const [newer, older] = (await mailsTo(db, email)).map(({ body }) => tokenIn(body));
  await expect(accept(older as string)).rejects.toMatchObject({ code: "resource_not_found" });
  await accept(newer as string);
  await expect(resendInvitation(owner.ctx, { id })).rejects.toMatchObject({ code: "invalid_state" });
});

test("repeated invitations and removals can't flood a mailbox", async () => {
  const { owner, newUser } = await setup();
  const other = await newUser("owner");
  const email = `${newId()}@stranger.example`;
  const invite = async (ctx = owner.ctx) => {
    const id = await inviteMember(ctx, { email, name: null, role: "viewer" });
    await removeMember(ctx, { id: idOf({ id }) });
  };
  for (let i = 0; i < 5; i++) await invite(i % 2 ? owner.ctx : other.ctx);
  for (const ctx of [owner.ctx, other.ctx]) await expect(invite(ctx)).rejects.toMatchObject({ code: "rate_limited" });
  expect(await mailsTo(db, email)).toHaveLength(5);
  // Other merchants' invitations are counted separately, up to the limit per mailbox.
  for (let i = 0; i < 3; i++) {
    const { ctx } = (await setup()).owner;
    for (let j = 0; j < 5; j++) await invite(ctx);
  }
  await expect(invite((await setup()).owner.ctx)).rejects.toMatchObject({ code: "rate_limited" });
  expect(await mailsTo(db, email)).toHaveLength(20);
});

test("concurrent invitations stay within the limit, resent ones included", async () => {
  const { owner } = await setup();
  const id = idOf({ id: await inviteMember(owner.ctx, { email: `${newId()}@t.example`, name: null, role: "viewer" }) });
  for (let i = 0; i < 4; i++) await resendInvitation(owner.ctx, { id });
  const answers = await Promise.allSettled(
    Array.from({ length: 32 }, () =>
      inviteMember(owner.ctx, { email: `${newId()}@team.example`, name: null, role: "viewer" }),
    ),
  );
  expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(25);
});

test("concurrent resending stays within the limit of each invitation", async () => {
  const { owner } = await setup();
  const email = `${newId()}@team.example`;
  const id = idOf({ id: await inviteMember(owner.ctx, { email, name: null, role: "viewer" }) });
  const answers = await Promise.allSettled(Array.from({ length: 10 }, () => resendInvitation(owner.ctx, { id })));
  expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
  expect(await mailsTo(db, email)).toHaveLength(5);
});

test("an invitation that is accepted while it is resent ends as one or the other", async () => {
  const { owner, accept } = await setup();
  for (let i = 0; i < 5; i++) {
    const email = `${newId()}@team.example`;
    const id = await inviteMember(owner.ctx, { email, name: null, role: "viewer" });
    const token = tokenIn((await mailsTo(db, email))[0]?.body);
    const [, accepted] = await Promise.allSettled([resendInvitation(owner.ctx, { id: idOf({ id }) }), accept(token)]);
    const member = (await listTeam(owner.ctx)).find((person) => person.id === id);
    expect(member?.invited).toBe(accepted.status === "rejected");
  }
});

test("the last owner stays an owner; an invited one does not count yet", async () => {
  const { owner } = await setup();
  await inviteMember(owner.ctx, { email: `${newId()}@team.example`, name: null, role: "owner" });
  await expect(changeRole(owner.ctx, { id: idOf(owner.user), role: "viewer" })).rejects.toMatchObject({
    code: "invalid_state",
  });
});

test("two owners who demote each other concurrently leave one", async () => {
  const { owner, newUser } = await setup();
  const other = await newUser("owner");
  const answers = await Promise.allSettled([
    changeRole(owner.ctx, { id: idOf(other.user), role: "viewer" }),
    changeRole(other.ctx, { id: idOf(owner.user), role: "viewer" }),
    removeMember(owner.ctx, { id: idOf(other.user) }),
    removeMember(other.ctx, { id: idOf(owner.user) }),
  ]);
  expect(answers.some(({ status }) => status === "fulfilled")).toBe(true);
  const owners = (await listTeam(owner.ctx)).filter(({ role }) => role === "owner");
  expect(owners).toHaveLength(1);
});

test("a removed member loses access immediately, their shared views stay, and their actions keep their address", async () => {
  const { owner, newUser, merchant, acts } = await setup();
  const other = await newUser("owner", { name: "Grace" });
  const view = { name: "Declined", query: "status=DECLINED", user: other.user.id };
  await db.sql`insert into saved_views (environment_id, id, user_id, name, query, shared) values
    (${merchant.test.id}, ${newId()}, ${view.user}, ${view.name}, ${view.query}, true),
    (${merchant.test.id}, ${newId()}, ${view.user}, 'Mine', ${view.query}, false)`;
  // The heir has a view of that name, but of another list.
  await db.sql`insert into saved_views (environment_id, id, user_id, list, name, query, shared) values
    (${merchant.test.id}, ${newId()}, ${owner.user.id}, 'invoices', 'declined', 'status=OPEN', false)`;
  await updateBusiness(other.ctx, { name: "Renamed" });
  await removeMember(owner.ctx, { id: idOf(other.user) });
  expect(await isSessionAlive(db, other.sessionId)).toBe(false);
  const left = await db.sql`
    select list, name, user_id from saved_views where environment_id = ${merchant.test.id} order by list`;
  expect([...left]).toEqual([
    { list: "invoices", name: "declined", user_id: owner.user.id },
    { list: "transactions", name: "Declined", user_id: owner.user.id },
  ]);
  const { rows } = await listActivity(owner.ctx, { timeZone: "UTC" });
  expect(rows.map(({ action, actor }) => [action, actor.name])).toEqual([
    ["team.member_removed", "Ada"],
    ["settings.business_updated", other.user.email],
  ]);
  expect(await acts()).toEqual(["settings.business_updated", "team.member_removed"]);
  // The address can be invited again.
  await inviteMember(owner.ctx, { email: other.user.email, name: null, role: "viewer" });
  await expect(removeMember(owner.ctx, { id: idOf(owner.user) })).rejects.toThrow(/yourself/);
});

test("another merchant's members are not found", async () => {
  const { owner, stranger: otherMerchant, service } = await setup();
  const foreign = await createTestUser(db, { merchantId: otherMerchant.id, role: "viewer" });
  const missing = { code: "resource_not_found" };
  await expect(changeRole(owner.ctx, { id: idOf(foreign), role: "owner" })).rejects.toMatchObject(missing);
  await expect(removeMember(owner.ctx, { id: idOf(foreign) })).rejects.toMatchObject(missing);
  await expect(resendInvitation(owner.ctx, { id: idOf(foreign) })).rejects.toMatchObject(missing);
  await expect(removeMember(owner.ctx, { id: "nonsense" })).rejects.toMatchObject(missing);
  const elsewhere = testContext(service, otherMerchant.test, { actor: { type: "user", id: foreign.id } });
  expect((await listTeam(elsewhere)).map(({ id }) => id)).toEqual([foreign.id]);
});

test("a user sees and ends their own sessions only, the current one marked", async () => {
  const { owner, signedIn, newUser } = await setup();
  const second = await signedIn(owner.user);
  const third = await signedIn(owner.user);
  const other = await newUser("viewer");
  const listed = await listOwnSessions(owner.ctx, { sessionId: owner.sessionId });
  expect(listed[0]).toMatchObject({ id: owner.sessionId, current: true });
  expect(listed.map(({ id }) => id).toSorted()).toEqual([owner, second, third].map((s) => s.sessionId).toSorted());
  const foreign = encodeId("session", other.sessionId);
  await expect(endOwnSession(owner.ctx, { id: foreign })).rejects.toMatchObject({ code: "resource_not_found" });
  await endOwnSession(owner.ctx, { id: encodeId("session", second.sessionId) });
  expect(await isSessionAlive(db, second.sessionId)).toBe(false);
  expect(await endOtherSessions(owner.ctx, { sessionId: owner.sessionId })).toBe(1);
  expect(await isSessionAlive(db, owner.sessionId)).toBe(true);
  expect(await isSessionAlive(db, other.sessionId)).toBe(true);
});

test("the history joins both modes' keys and the support staff's look-ups, newest first, page by page", async () => {
  const { owner, merchant, service, newUser, stranger: otherMerchant } = await setup();
  const staff = await newUser("staff", { name: "Sam of support" });
  const by = { actor: owner.ctx.actor };
  await createApiKey(service, { environmentId: merchant.test.id, name: "A", permissions: ["payment.read"], ...by });
  await recordStaffAct(
    service,
    { userId: staff.user.id },
    { action: "support.viewed_merchant", merchantId: merchant.id },
  );
  await recordStaffAct(
    service,
    { userId: staff.user.id },
    { action: "support.viewed_merchant", merchantId: otherMerchant.id },
  );
  await createApiKey(service, { environmentId: merchant.live.id, name: "B", permissions: ["payment.read"], ...by });
  const { rows, next } = await listActivity(owner.ctx, { timeZone: "UTC" });
  expect(next).toBeNull();
  expect(rows.map(({ action, mode, actor }) => [action, mode, actor.name])).toEqual([
    ["api_key.created", "live", "Ada"],
    ["support.viewed_merchant", null, "Cardlane support"],
    ["api_key.created", "test", "Ada"],
  ]);
  expect(JSON.stringify(rows)).not.toContain("Sam of support");
  for (let i = 0; i < 55; i++) await updateBusiness(owner.ctx, { name: `Name ${i}` });
  const first = await listActivity(owner.ctx, { timeZone: "UTC" });
  const rest = await listActivity(owner.ctx, { before: first.next, timeZone: "UTC" });
  expect(first.rows).toHaveLength(50);
  expect(rest.rows.map(({ action }) => action)).toEqual([
    ...Array(5).fill("settings.business_updated"),
    ...rows.map(({ action }) => action),
  ]);
});

test("a change of the business records what changed, and an unknown time zone is rejected", async () => {
  const { owner, merchant } = await setup();
  await updateBusiness(owner.ctx, { website: "https://shop.example", time_zone: "America/New_York" });
  await updateBusiness(owner.ctx, { website: "https://shop.example" });
  await expect(updateBusiness(owner.ctx, { time_zone: "Mars/Olympus" })).rejects.toMatchObject({ param: "time_zone" });
  expect(await actsOf(db, merchant.live.id)).toEqual([
    {
      action: "settings.business_updated",
      detail: { changes: { website: [null, "https://shop.example"], time_zone: ["UTC", "America/New_York"] } },
    },
  ]);
  const [row] = await db.sql`select time_zone from merchants where id = ${merchant.id}`;
  expect(row?.time_zone).toBe("America/New_York");
});

test("preferences keep unchanged values", async () => {
  const { owner } = await setup();
  expect(await updatePreferences(owner.ctx, { times: "utc" })).toEqual({ times: "utc" });
  expect(await updatePreferences(owner.ctx, { shortcuts: false })).toEqual({ times: "utc", shortcuts: false });
});
