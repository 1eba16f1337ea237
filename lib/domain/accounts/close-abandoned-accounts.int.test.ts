import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { actsOf } from "@/e2e/fixtures/users";
import { newId } from "@/lib/ids";
import { createApiKey } from "../api-keys/issue-keys";
import { signInWithTicket } from "./sign-in";
import { closeAbandonedAccounts, signUp } from "./sign-up";

const { db } = await testDatabase();
const service = testService(db);

/** An account opened `days` ago, with one sign-in at that time. */
async function opened(days = 31) {
  const email = `${newId()}@stranger.example`;
  const account = await signUp(service, {
    businessName: "Left alone",
    name: "Ann",
    email,
    password: "a long enough phrase 7",
    timeZone: "UTC",
    address: newId(),
    requestId: null,
  });
  await signInWithTicket(service, { ticket: account.ticket, address: newId(), userAgent: null });
  const back = db.sql`make_interval(days => ${days}::int)`;
  await db.sql`update merchants set created_at = created_at - ${back} where id = ${account.merchantId}`;
  await db.sql`update users set created_at = created_at - ${back} where id = ${account.userId}`;
  await db.sql`update user_sessions set last_seen_at = last_seen_at - ${back} where user_id = ${account.userId}`;
  const [live] = await db.sql<{ id: string }[]>`
    select id from environments where merchant_id = ${account.merchantId} and mode = 'live'`;
  return { ...account, live: live?.id as string };
}

const usersOf = ({ merchantId }: { merchantId: string }) =>
  db.sql`select email from users where merchant_id = ${merchantId}`;

test("an unused account without a verified address is closed after 30 days", async () => {
  const [old, young] = [await opened(31), await opened(29)];
  expect(await closeAbandonedAccounts(service, 0)).toBe(1);
  expect(await usersOf(old)).toHaveLength(0);
  expect(await usersOf(young)).toHaveLength(1);
  const [merchant] = await db.sql`select name from merchants where id = ${old.merchantId}`;
  expect(merchant).toEqual({ name: "Closed account" });
  expect((await actsOf(db, old.live)).map(({ action }) => action)).toEqual([
    "settings.account_opened",
    "settings.signed_in",
    "settings.account_closed",
  ]);
  expect(await closeAbandonedAccounts(service, 0)).toBe(0);
});

test("a verified address, a visit, a suspension or any data keeps an account open", async () => {
  const verified = await opened();
  await db.sql`update users set owns_email = true, email_verified_at = now() where id = ${verified.userId}`;
  const visited = await opened();
  await db.sql`update user_sessions set last_seen_at = now() - interval '29 days' where user_id = ${visited.userId}`;
  const withKey = await opened();
  const [environment] = await db.sql<{ id: string }[]>`
    select id from environments where merchant_id = ${withKey.merchantId} and mode = 'test'`;
  await createApiKey(service, { environmentId: environment?.id as string, name: "K", permissions: ["payment.read"] });
  const suspended = await opened();
  await db.sql`update merchants set suspended_at = now() where id = ${suspended.merchantId}`;
  expect(await closeAbandonedAccounts(service, 0)).toBe(0);
  for (const account of [verified, visited, withKey, suspended]) expect(await usersOf(account)).toHaveLength(1);
});
