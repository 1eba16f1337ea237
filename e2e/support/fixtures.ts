import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { BrowserContext, Page } from "@playwright/test";
import type { Sql } from "@/db/client";
import { insertSession } from "@/db/queries/accounts/sessions";
import { sessionCookieName } from "@/lib/auth/session-cookie";
import { decodeId } from "@/lib/contract/ids";
import { createPayment } from "@/lib/contract/payments/operations";
import type { Payment } from "@/lib/contract/payments/payment";
import type { NewStaff } from "@/lib/domain/support/staff";
import { newId } from "@/lib/ids";
import { TEST_SECRET } from "@/lib/testing/factories";
import { sessionToken } from "@/lib/testing/session-token";
import { createTestStaff } from "@/lib/testing/staff";
import { test as base } from "../dashboard/fixtures";
import type { Tenant } from "../fixtures";
import { aPayment } from "../samples";

type SupportFixtures = {
  /** A member of the staff that no other test knows, signed in on `staffPage`. */
  staff: NewStaff & { userId: string };
  signInAsStaff: (context: BrowserContext, staff: { userId: string }) => Promise<void>;
  staffPage: Page;
};

export const test = base.extend<SupportFixtures>({
  staff: async ({ service }, use) => {
    await use(await createTestStaff(service));
  },
  signInAsStaff: async ({ db, service, baseUrl }, use) => {
    await use(async (context, { userId }) => {
      const id = newId();
      const session = { id, userId, address: "127.0.0.1", userAgent: "a test", mfa: true, livesHours: 1 };
      await insertSession(db.orm, session);
      const value = await sessionToken(service, "staff", id);
      await context.addCookies([{ name: sessionCookieName("staff", baseUrl), value, url: baseUrl }]);
    });
  },
  staffPage: async ({ page, staff, signInAsStaff }, use) => {
    await signInAsStaff(page.context(), staff);
    await use(page);
  },
});

/** Runs the command as an operator does, on the database behind the host. */
export async function runCreateStaff(email: string): Promise<NewStaff> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "scripts/create-staff.ts", "--email", email, "--name", "Sam", "--json"],
    { env: { ...process.env, DATABASE_URL: process.env.E2E_DATABASE_URL, CARDLANE_SECRET: TEST_SECRET } },
  );
  return JSON.parse(stdout) as NewStaff;
}

const LOST_ANSWER = "4000000000001976";
const TRIES = 20;

/**
 * A payment whose authorization was lost and is over a day old, so that it waits for staff. The service itself asks about
 * it within a second; then another one is made.
 */
export async function waitingPayment({ api, merchant }: Tenant, sql: Sql, amount: number): Promise<Payment> {
  for (let tries = 0; tries < TRIES; tries++) {
    const card = { number: LOST_ANSWER, exp_month: 12, exp_year: new Date().getUTCFullYear() + 3, cvv: "123" };
    const payment = (await api.call(createPayment, { body: aPayment({ amount, card }) })).ok(202);
    const aged = await sql`
      update operations set created_at = created_at - interval '25 hours'
      where environment_id = ${merchant.test.id} and payment_id = ${decodeId("payment", payment.id)} and state = 'open'
        and lease_until <= now()
      returning 1`;
    if (aged.length === 1) return payment;
  }
  throw new Error("every outcome was known before it could be made to wait");
}
