import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { isSessionAlive, mailsTo, testUsers } from "@/e2e/fixtures/users";
import { newId } from "@/lib/ids";
import { inviteMember, listTeam } from "../team/team";
import { requestPasswordReset } from "./password";
import { removeOldSignIns } from "./sessions";

const { db } = await testDatabase();

/** Backdates a user's sessions and links, and the mail to the address. */
async function age(email: string, days: number): Promise<void> {
  const back = db.sql`make_interval(days => ${days}::int)`;
  await db.sql`update user_sessions s set created_at = s.created_at - ${back}, expires_at = s.expires_at - ${back},
    revoked_at = s.revoked_at - ${back} from users u where u.id = s.user_id and u.email = ${email}`;
  await db.sql`update user_tokens t set created_at = t.created_at - ${back}, expires_at = t.expires_at - ${back},
    used_at = t.used_at - ${back} from users u where u.id = t.user_id and u.email = ${email}`;
  await db.sql`update mail_outbox set created_at = created_at - ${back} where recipient = ${email}`;
}

const tokensOf = (userId: string) => db.sql`select purpose from user_tokens where user_id = ${userId}`;

test("sessions, links and mail that ended over a month ago are removed; newer ones are kept", async () => {
  const { newUser, signedIn, service } = await testUsers(db);
  const old = await newUser("owner");
  const young = await newUser("owner");
  const ended = await signedIn(young.user);
  await db.sql`update user_sessions set revoked_at = now() - interval '31 days' where id = ${ended.sessionId}`;
  for (const { user } of [old, young]) await requestPasswordReset(service, { email: user.email, address: newId() });
  await age(old.user.email, 31);
  expect(await removeOldSignIns(service)).toBe(4);
  expect(await isSessionAlive(db, old.sessionId)).toBe(false);
  expect(await isSessionAlive(db, young.sessionId)).toBe(true);
  expect(await tokensOf(old.user.id)).toHaveLength(0);
  expect(await tokensOf(young.user.id)).toHaveLength(1);
  expect(await mailsTo(db, old.user.email)).toEqual([]);
  expect(await mailsTo(db, young.user.email)).toHaveLength(1);
});

test("an unused invitation is kept, however old", async () => {
  const { newUser, service } = await testUsers(db);
  const owner = await newUser("owner");
  const email = `${newId()}@invited.example`;
  const id = await inviteMember(owner.ctx, { email, name: null, role: "owner" });
  await age(email, 400);
  await removeOldSignIns(service);
  expect((await listTeam(owner.ctx)).find((member) => member.id === id)).toMatchObject({ invited: true });
});
