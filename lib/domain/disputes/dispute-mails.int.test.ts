import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { openDispute } from "@/e2e/fixtures/disputes";
import { moneyTenant } from "@/e2e/fixtures/money";
import { createTestUser } from "@/e2e/fixtures/users";
import { MERCHANT_ROLES, type MerchantRole } from "@/lib/contract/permissions";
import type { Dispute } from "@/lib/processor/records";
import { notifyOfDisputes } from "./dispute-mails";

const { db } = await testDatabase();
const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

async function disputed(overrides: Partial<Dispute> = {}, roles: readonly MerchantRole[] = ["owner"]) {
  const tenant = await moneyTenant(db);
  const { service, environmentId, merchant } = tenant;
  const emails = new Map<string, MerchantRole>();
  for (const role of roles) emails.set((await createTestUser(db, { merchantId: merchant.id, role })).email, role);
  const { body: payment } = await tenant.create();
  const dispute = await openDispute({ service, db, environmentId }, payment.id, overrides);
  return {
    ...dispute,
    /** Runs the job in several processes until it finds nothing. */
    run: async () => {
      const jobs = () => Promise.all([notifyOfDisputes(service), notifyOfDisputes(service)]);
      while ((await jobs()).some((count) => count > 0));
    },
    mails: async () => {
      const rows = await db.sql<{ recipient: string; subject: string; body: string }[]>`
        select recipient, subject, body from mail_outbox where recipient = any(${[...emails.keys()]}) order by id`;
      return rows.map(({ recipient, subject, body }) => ({ role: emails.get(recipient) ?? "nobody", subject, body }));
    },
    dueSoon: async () => {
      const events = await db.sql<{ sequence: number; previous: object }[]>`
        select sequence, data -> 'previous' as previous from events
        where environment_id = ${environmentId} and type = 'dispute.due_soon'`;
      return [...events];
    },
    /** Brings the deadline nearer. */
    approach: (days: number) => db.sql`
      update disputes set respond_by = now() + make_interval(secs => ${days * 86_400}) where environment_id = ${environmentId}`,
  };
}

test("those who look after money are mailed once when a dispute opens, and once two days before its deadline", async () => {
  const { id, run, mails, approach, dueSoon } = await disputed({ respond_by: inDays(6) }, MERCHANT_ROLES);
  await run();
  await run();
  expect((await mails()).map(({ role }) => role).toSorted()).toEqual(["admin", "finance", "owner"]);
  const [opened] = await mails();
  expect(opened?.subject).toBe("Test mode: A payment is disputed: $100.00 USD");
  expect(opened?.body).toContain(`/test/disputes/${id}`);
  expect(opened?.body).toMatch(/Respond with evidence by .*, or the amount is lost:/);
  await approach(2.1);
  await run();
  expect(await mails()).toHaveLength(3);
  expect(await dueSoon()).toEqual([]);
  await approach(1.9);
  await run();
  await run();
  expect(await dueSoon()).toEqual([{ sequence: 2, previous: {} }]);
  const later = (await mails()).slice(3);
  expect(later.map(({ role }) => role).toSorted()).toEqual(["admin", "finance", "owner"]);
  expect(later[0]?.subject).toMatch(/^Test mode: Respond by \w{3} \d+(, \d{4})? to the dispute of \$100\.00 USD$/);
});

test("a dispute that opens within two days of its deadline is mailed once", async () => {
  const { run, mails } = await disputed({ respond_by: inDays(1) });
  await run();
  await run();
  expect((await mails()).map(({ subject }) => subject)).toEqual(["Test mode: A payment is disputed: $100.00 USD"]);
});

test("a job that dies before its commit has neither mailed nor recorded the notice", async () => {
  const { run, mails } = await disputed();
  const dying = db.orm.transaction(async (tx) => {
    await notifyOfDisputes({ db: { orm: tx } as unknown as typeof db, baseUrl: "http://localhost" });
    throw new Error("killed");
  });
  await expect(dying).rejects.toThrow("killed");
  expect(await mails()).toEqual([]);
  await run();
  expect(await mails()).toHaveLength(1);
});

test("a notice that can't be written holds no other one, and the others are sent once", async () => {
  const blocked = await disputed({ respond_by: inDays(3) });
  const others = [await disputed({ respond_by: inDays(4) }), await disputed({ respond_by: inDays(5) })];
  const fails = (id: string) => db.sql`
    update disputes set currency = 'no currency' where processor_dispute_id = ${id}`;
  await fails(blocked.name);
  const jobs = () => notifyOfDisputes({ db, baseUrl: "http://localhost" });
  while ((await jobs().catch(() => 0)) > 0);
  await expect(jobs()).rejects.toThrow("no such currency");
  for (const { mails } of others) expect(await mails()).toHaveLength(1);
  expect(await blocked.mails()).toEqual([]);
  await db.sql`update disputes set currency = 'USD' where processor_dispute_id = ${blocked.name}`;
  await blocked.run();
  for (const { mails } of [blocked, ...others]) expect(await mails()).toHaveLength(1);
});

test.each(["won", "lost", "accepted"] as const)("a dispute that is already %s is not mailed", async (status) => {
  const { run, mails } = await disputed({ status, respond_by: null });
  await run();
  expect(await mails()).toEqual([]);
});

test("no reminder follows once evidence is submitted or the deadline has passed", async () => {
  const submitted = await disputed({ respond_by: inDays(6) });
  const late = await disputed({ respond_by: inDays(6) });
  await submitted.run();
  await submitted.becomes({ status: "under_review", respond_by: null });
  await late.approach(-0.1);
  await submitted.run();
  expect(await submitted.mails()).toHaveLength(1);
  expect(await late.mails()).toHaveLength(1);
});
