import type { BrowserContext, Page } from "@playwright/test";
import { insertSession } from "@/db/queries/accounts/sessions";
import { users } from "@/db/schema/accounts";
import { hashPassword } from "@/lib/auth/password";
import { sessionCookieName } from "@/lib/auth/session-cookie";
import type { MerchantRole } from "@/lib/contract/permissions";
import { newId } from "@/lib/ids";
import { sessionToken } from "@/lib/testing/session-token";
import { test as base } from "../browser";

export type SignedInPerson = { readonly userId: string; readonly email: string; readonly password: string };

type DashboardFixtures = {
  /** Makes a person of the test's merchant; the password is known and the second factor off. */
  newPerson: (role?: MerchantRole) => Promise<SignedInPerson>;
  /** A browser context in which that person is signed in. */
  signInAs: (context: BrowserContext, person: SignedInPerson) => Promise<void>;
  /** A page on which an owner of `tenant` is signed in. */
  owner: Page;
};

const PASSWORD = "a password of tests";
let passwordHash: Promise<string> | null = null;

/** A merchant of the test's own (`tenant`), people of it, and pages where they are signed in. */
export const test = base.extend<DashboardFixtures>({
  newPerson: async ({ db, tenant }, use) => {
    await use(async (role = "owner") => {
      passwordHash ??= hashPassword(PASSWORD);
      const person = { id: newId(), email: `${role}-${newId().slice(-12)}@shop.example` };
      await db.orm.insert(users).values({
        ...person,
        merchant_id: tenant.merchant.id,
        name: `Test ${role}`,
        password_hash: await passwordHash,
        role,
        owns_email: true,
        email_verified_at: new Date().toISOString(),
      });
      return { userId: person.id, email: person.email, password: PASSWORD };
    });
  },
  signInAs: async ({ db, service, baseUrl }, use) => {
    await use(async (context, person) => {
      const id = newId();
      await insertSession(db.orm, {
        id,
        userId: person.userId,
        address: "127.0.0.1",
        userAgent: "a test",
        mfa: false,
        livesHours: 1,
      });
      const value = await sessionToken(service, "merchant", id);
      await context.addCookies([{ name: sessionCookieName("merchant", baseUrl), value, url: baseUrl }]);
    });
  },
  owner: async ({ page, newPerson, signInAs }, use) => {
    await signInAs(page.context(), await newPerson("owner"));
    await use(page);
  },
  // Paths in tests are relative to the host.
  baseURL: async ({ baseUrl }, use) => {
    await use(baseUrl);
  },
});
