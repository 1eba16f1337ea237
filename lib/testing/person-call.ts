import type { Database } from "@/db/client";
import { insertSession } from "@/db/queries/accounts/sessions";
import type { UserRow } from "@/db/schema/accounts";
import { sessionCookieName } from "@/lib/auth/session-cookie";
import type { UserRole } from "@/lib/contract/permissions";
import type { Service } from "@/lib/domain/context";
import { newId } from "@/lib/ids";
import { testContext, testTenant } from "./factories";
import { createTestUser } from "./people";
import { sessionToken } from "./session-token";

/** A merchant of the test's own, with people who are signed in. */
export async function testPeople(db: Database, overrides: Partial<Service> = {}) {
  const tenant = await testTenant(db, overrides);
  /** A person, a session of theirs, and calls as they make them from the dashboard. */
  const person = async (role: UserRole = "owner", more: Partial<UserRow> = {}) => {
    const user = await createTestUser(db, { merchantId: role === "staff" ? null : tenant.merchant.id, role, ...more });
    return { user, ...(await signedIn(user)) };
  };
  const signedIn = async (user: UserRow) => {
    const sessionId = newId();
    await insertSession(db.orm, {
      ...{
        id: sessionId,
        userId: user.id,
        address: "203.0.113.7",
        userAgent: null,
        mfa: user.role === "staff",
        livesHours: 1,
      },
    });
    const ctx = testContext(tenant.service, tenant.merchant.test, { actor: { type: "user", id: user.id } });
    return { ctx, sessionId };
  };
  return { ...tenant, person, signedIn };
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

/** The Cookie header of a browser that is signed in. */
export async function cookieOf(service: Service, person: { user: UserRow; sessionId: string }): Promise<string> {
  const audience = person.user.role === "staff" ? "staff" : "merchant";
  return `${sessionCookieName(audience, service.baseUrl)}=${await sessionToken(service, audience, person.sessionId)}`;
}
