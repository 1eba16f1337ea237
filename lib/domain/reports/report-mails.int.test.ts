import { expect, test } from "vitest";
import { insertBookedPayment } from "@/e2e/fixtures/books";
import { testDatabase } from "@/e2e/fixtures/database";
import { mailsTo, testUsers } from "@/e2e/fixtures/users";
import { dayText } from "@/lib/contract/format";
import { encodeId } from "@/lib/contract/ids";
import type { MerchantRole } from "@/lib/contract/permissions";
import { dayInstants, presetDays } from "@/lib/contract/transactions/time-range";
import { environmentNow } from "../context";
import { changeRole, removeMember } from "../team/team";
import { findReportMail, mailReports, stopReportMail, updateReportMail } from "./report-mails";

const { db } = await testDatabase({ own: true });

/** A shop that captured in the month before, and a user who gets a report each month. */
async function shop(role: MerchantRole = "viewer") {
  const users = await testUsers(db);
  const environmentId = users.merchant.test.id;
  await insertBookedPayment(db, { environmentId, amount: 1_000, currency: "USD", feeBasisPoints: 290 });
  const now = new Date();
  const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 2);
  const offsetMs = nextMonth - now.getTime();
  await db.sql`update environments set clock_offset_ms = ${offsetMs} where id = ${environmentId}`;
  const owner = await users.newUser("owner");
  const { user, ctx: unmoved } = await users.newUser(role);
  const ctx = { ...unmoved, environment: { ...unmoved.environment, clock: { offsetMs, frozenAt: null } } };
  const due = async () => {
    const rows = await db.sql<{ due_at: string }[]>`select due_at from report_mails where user_id = ${user.id}`;
    return rows[0]?.due_at ?? null;
  };
  const becomeDue = () => db.sql`update report_mails set due_at = now() - interval '1 day' where user_id = ${user.id}`;
  const mails = () => mailsTo(db, user.email);
  await updateReportMail(ctx, { userId: user.id, type: "activity", every: "MONTH" });
  return { ...users, owner, user, ctx, due, becomeDue, mails };
}

test("a report is mailed once for each period, however many processes mail it", async () => {
  const { service, ctx, user, due, becomeDue, mails } = await shop();
  const now = environmentNow(ctx).getTime();
  const days = presetDays("last-month", "UTC", now);
  const next = await due();
  expect(Date.parse(next ?? "")).toBeGreaterThan(now);
  await mailReports(service);
  expect(await mails()).toEqual([]);
  await becomeDue();
  await Promise.all([mailReports(service), mailReports(service), mailReports(service)]);
  await mailReports(service);
  const [mail, ...others] = await mails();
  expect(others).toEqual([]);
  expect(mail?.subject).toBe(`Activity in test mode, ${dayText(days.from)} – ${dayText(days.to)}`);
  expect(mail?.body).toContain("USD: Captures 1, Gross $10.00, Refund count 0, Refunds $0.00, Fees $0.29, Net $9.71");
  expect(mail?.body).toContain(`/test/reports?created=${days.from}..${days.to}\n`);
  expect(await due()).toBe(next);
  await updateReportMail(ctx, { userId: user.id, type: "activity", every: null });
  expect(await findReportMail(ctx, user.id, "activity")).toBeNull();
});

test("a mail is due an hour after the week or month has ended in the business's time zone", async () => {
  const { ctx, user, due, merchant } = await shop();
  await db.sql`update merchants set time_zone = 'Asia/Tokyo' where id = ${merchant.id}`;
  const now = environmentNow(ctx).getTime();
  for (const [every, preset] of [
    ["WEEK", "this-week"],
    ["MONTH", "this-month"],
  ] as const) {
    await updateReportMail(ctx, { userId: user.id, type: "activity", every });
    const at = Date.parse((await due()) ?? "") - 3_600_000;
    const { from } = dayInstants(presetDays(preset, "Asia/Tokyo", now), "Asia/Tokyo");
    const last = preset === "this-week" ? "last-week" : "last-month";
    expect(at).toBeGreaterThan(now);
    expect(dayInstants(presetDays(last, "Asia/Tokyo", at), "Asia/Tokyo")).toEqual({ from, before: new Date(at) });
  }
});

test("who may no longer see reports, left, or has not confirmed the address gets none", async () => {
  const demoted = await shop();
  await changeRole(demoted.owner.ctx, { id: encodeId("user", demoted.user.id), role: "support" });
  await demoted.becomeDue();
  await mailReports(demoted.service);
  expect([await demoted.mails(), await demoted.due()]).toEqual([[], null]);
  const left = await shop();
  await removeMember(left.owner.ctx, { id: encodeId("user", left.user.id) });
  expect(await left.due()).toBeNull();
  const { ctx, user } = await left.newUser("viewer", { owns_email: false, email_verified_at: null });
  const chosen = updateReportMail(ctx, { userId: user.id, type: "fees", every: "WEEK" });
  await expect(chosen).rejects.toMatchObject({ code: "invalid_state" });
});

test("a mail's link stops that report of that user, without a sign-in", async () => {
  const { ctx, user, service, becomeDue, mails, due } = await shop();
  const other = { userId: user.id, type: "fees", every: "WEEK" } as const;
  await updateReportMail(ctx, other);
  await becomeDue();
  await mailReports(service);
  const activity = (await mails()).find(({ subject }) => subject.startsWith("Activity"));
  const token = /\/stop-report-mails\/(\S+)/.exec(activity?.body ?? "")?.[1] ?? "";
  for (const wrong of [token.slice(0, -1), token.replace(".activity.", ".fees."), `${token}.`, "none"])
    await expect(stopReportMail(service, wrong)).rejects.toMatchObject({ code: "resource_not_found" });
  expect(await due()).not.toBeNull();
  for (const _ of ["first", "again"]) expect(await stopReportMail(service, token)).toEqual({ type: "activity" });
  expect(await findReportMail(ctx, user.id, "activity")).toBeNull();
  expect(await findReportMail(ctx, user.id, "fees")).toBe("WEEK");
});
