import { encode } from "next-auth/jwt";
import type { Database } from "@/db/client";
import { insertSession } from "@/db/queries/accounts/sessions";
import { type UserRow, users } from "@/db/schema/accounts";
import { hashPassword } from "@/lib/auth/password";
import { sessionCookieName } from "@/lib/auth/session-cookie";
import type { Audience } from "@/lib/contract/accounts/proof";
import { decodeId } from "@/lib/contract/ids";
import type { UserRole } from "@/lib/contract/permissions";
import type { Service } from "@/lib/domain/context";
import { createStaff, type NewStaff, type StaffCall } from "@/lib/domain/support/staff";
import { newId } from "@/lib/ids";
import { testContext, testTenant } from "./factories";

export const TEST_PASSWORD = "correct horse battery";

/** One hash for all: it costs 20 ms each time. */
let passwordHash: Promise<string> | null = null;

/** A user with the password above, whose e-mail address nobody else has, and who proved that it is theirs. */
export async function createTestUser(
  db: Database,
  user: { merchantId: string | null; role: UserRole } & Partial<UserRow>,
): Promise<UserRow> {
  passwordHash ??= hashPassword(TEST_PASSWORD);
  const { merchantId, role, ...more } = user;
  const id = newId();
  const row = { id, email: `${id}@people.example`, password_hash: await passwordHash, merchant_id: merchantId, role };
  const proved = { owns_email: true, email_verified_at: new Date().toISOString() };
  const rows = await db.orm
    .insert(users)
    .values({ ...row, ...proved, ...more })
    .returning();
  return rows[0] as UserRow;
}

type SignedInUser = { user: UserRow; sessionId: string };

async function newSession(db: Database, userId: string, mfa: boolean): Promise<string> {
  const id = newId();
  await insertSession(db.orm, { id, userId, address: "127.0.0.1", userAgent: "a test", mfa, livesHours: 1 });
  return id;
}

/** A merchant of the test's own, with users who are signed in. */
export async function testUsers(db: Database, overrides: Partial<Service> = {}) {
  const tenant = await testTenant(db, overrides);
  /** A user, a session of theirs, and calls as they make them from the dashboard. */
  const newUser = async (role: UserRole = "owner", more: Partial<UserRow> = {}) => {
    const user = await createTestUser(db, { merchantId: role === "staff" ? null : tenant.merchant.id, role, ...more });
    return { user, ...(await signedIn(user)) };
  };
  const signedIn = async (user: UserRow) => {
    const sessionId = await newSession(db, user.id, user.role === "staff");
    const ctx = testContext(tenant.service, tenant.merchant.test, { actor: { type: "user", id: user.id } });
    return { ctx, sessionId };
  };
  return { ...tenant, newUser, signedIn };
}

/** Whether a session still counts. */
export async function isSessionAlive(db: Database, sessionId: string): Promise<boolean> {
  const rows = await db.sql`select 1 from user_sessions where id = ${sessionId} and revoked_at is null`;
  return rows.length === 1;
}

/** Mails to an address, the newest first. */
export async function mailsTo(db: Database, recipient: string): Promise<{ subject: string; body: string }[]> {
  return db.sql`select subject, body from mail_outbox where recipient = ${recipient} order by id desc`;
}

/** The token in a mail's link. */
export function tokenIn(body: string | undefined): string {
  const token = /\/(?:reset-password|verify-email)\/([\w-]+)/.exec(body ?? "")?.[1];
  if (!token) throw new Error("the mail has no link");
  return token;
}

/** The account's own history, the oldest first. */
export async function actsOf(db: Database, environmentId: string): Promise<{ action: string; detail: unknown }[]> {
  return db.sql`select action, detail from audit_log where environment_id = ${environmentId} order by id`;
}

/** A session's cookie, as next-auth writes it at a sign-in. `id` is the session's UUID. */
export const sessionCookie = async (service: Service, audience: Audience, id: string) => ({
  name: sessionCookieName(audience, service.baseUrl),
  value: await encode({ token: { session_id: id, audience }, secret: service.secret.sessionKey, salt: "" }),
});

/** The Cookie header of a browser that is signed in. */
export async function cookieOf(service: Service, { user, sessionId }: SignedInUser): Promise<string> {
  const { name, value } = await sessionCookie(service, user.role === "staff" ? "staff" : "merchant", sessionId);
  return `${name}=${value}`;
}

/** A new session of this user; its cookie. */
export async function signIn(service: Service, userId: string, audience: Audience) {
  return sessionCookie(service, audience, await newSession(service.db, userId, audience === "staff"));
}

/** A member of the support staff that no other test knows. */
export async function createTestStaff(service: Service): Promise<NewStaff & { userId: string }> {
  const staff = await createStaff(service, { email: `${newId()}@cardlane.test`, name: "Test staff" });
  return { ...staff, userId: decodeId("user", staff.staff_id) as string };
}

/** A way to make calls as one member of the staff. */
export async function staffCaller(service: Service): Promise<() => StaffCall> {
  const { userId } = await createTestStaff(service);
  return () => ({ service, staff: { userId }, request: { id: newId(), path: "/support" } });
}
