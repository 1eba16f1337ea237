import { describe, expect, test } from "vitest";
import type { UserRow } from "@/db/schema/accounts";
import { approvalShop, expectBalancedBooks } from "@/e2e/fixtures/approvals";
import { testDatabase } from "@/e2e/fixtures/database";
import { holds, losesAnswer, says } from "@/e2e/fixtures/scripted-processor";
import { mailsTo } from "@/e2e/fixtures/users";
import type { ApprovalRequest, RefundRule } from "@/lib/contract/approvals/approvals";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { newId } from "@/lib/ids";
import { changeRole, removeMember } from "../team/team";
import { mailApprovals } from "./mail-approvals";
import { listPaymentRequests, listRequests } from "./requests";

const { db } = await testDatabase({ max: 20 });

const shop = (rule: Partial<RefundRule> = {}) => approvalShop(db, rule);

const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => "done",
    (error: { code?: string }) => error.code ?? String(error),
  );

const one = (refunds: { amount: number }[]) => refunds.map(({ amount }) => amount);

describe("a request", () => {
  test("is approved by a colleague and refunds once, under its own key, with both names kept", async () => {
    const { request, approve, operator, admin, owner, count, refunds, environmentId, script, payment } = await shop();
    const made = await request();
    expect(made).toMatchObject({
      status: "PENDING",
      requested_by: { name: "Otto" },
      decided_by: null,
      subject: payment,
    });
    expect([await count(admin), await count(owner), await count(operator)]).toEqual([1, 1, 0]);
    const approved = await approve(admin, made);
    expect(approved).toMatchObject({
      status: "APPROVED",
      decided_by: { id: encodeId("user", admin.id), name: "Adam" },
      result: expect.stringMatching(/^txn_/),
    });
    expect(await approve(admin, made)).toEqual(approved);
    expect(await outcome(approve(owner, made))).toBe("invalid_state");
    expect(one(await refunds())).toEqual([8_000]);
    expect([script.count("refund"), await count(admin)]).toEqual([1, 0]);
    const [operation] =
      await db.sql`select idempotency_key, actor from operations where environment_id = ${environmentId} and kind = 'refund'`;
    expect(operation).toEqual({ idempotency_key: `${made.id}:refund`, actor: { type: "user", id: admin.id } });
    const acts = await db.sql`select action, actor ->> 'id' as by, detail from audit_log
      where environment_id = ${environmentId} and action like 'approval_request.%' order by id`;
    expect(acts).toEqual([
      { action: "approval_request.created", by: operator.id, detail: { reason: "The parcel is lost" } },
      { action: "approval_request.approved", by: admin.id, detail: { name: "Otto" } },
    ]);
    await expectBalancedBooks(db);
  });

  test("is never decided by its own member, in whatever role, nor by roles that may not", async () => {
    const { request, approve, reject, person, owner, admin, operator, ctxOf, refunds } = await shop({
      roles: ["admin"],
    });
    const made = await request(admin);
    for (const act of [approve, reject]) expect(await outcome(act(admin, made))).toBe("permission_denied");
    await changeRole(ctxOf(owner), { id: encodeId("user", admin.id), role: "owner" });
    expect(await outcome(approve({ ...admin, role: "owner" }, made))).toBe("permission_denied");
    for (const role of ["finance", "support", "viewer"] as const) {
      expect(await outcome(approve(await person(role, role), made))).toBe("permission_denied");
    }
    expect(await outcome(approve(operator, made))).toBe("permission_denied");
    // The session's role may be outdated and doesn't count: T1 reads the member's row.
    expect(await outcome(approve({ ...operator, role: "admin" }, made))).not.toBe("done");
    expect(await refunds()).toEqual([]);
    expect(await outcome(approve(owner, made))).toBe("done");
  });

  test("may be decided by finance if the rule says so", async () => {
    const { request, approve, person, count } = await shop({ finance_decides: true });
    const finance = await person("finance", "Fay");
    const made = await request();
    expect(await count(finance)).toBe(1);
    expect(await approve(finance, made)).toMatchObject({ status: "APPROVED", decided_by: { name: "Fay" } });
  });

  test("is one at a time for a payment, and refused if the payment does not allow it", async () => {
    const { request, withdraw, operator, admin, ctxOf, payment, memberOf } = await shop();
    const made = await request();
    expect(await outcome(request(operator, 1_000))).toBe("invalid_state");
    expect(await outcome(withdraw(admin, made))).toBe("permission_denied");
    expect(await withdraw(operator, made)).toMatchObject({ status: "WITHDRAWN" });
    expect(await outcome(request(operator, 10_001))).toBe("amount_exceeds_refundable");
    const second = await request(operator, 1_000);
    expect(second).toMatchObject({ status: "PENDING" });
    const listed = await listPaymentRequests(ctxOf(operator), { subject: payment, user: memberOf(operator) });
    expect(listed.map(({ id }) => id)).toEqual([second.id, made.id]);
  });

  test("ends after seven days, without a refund, and then another may be made", async () => {
    const { request, approve, reject, withdraw, operator, admin, age, read, count, refunds } = await shop();
    const made = await request();
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(7 * 86_400_000);
    await age(made, "7 days");
    expect(await read(made)).toMatchObject({ status: "EXPIRED" });
    for (const act of [() => approve(admin, made), () => reject(admin, made), () => withdraw(operator, made)]) {
      expect(await outcome(act())).toBe("invalid_state");
    }
    expect([await count(admin), await refunds()]).toEqual([0, []]);
    expect(await request()).toMatchObject({ status: "PENDING" });
  });

  test("fails, with a reason, when the payment was refunded otherwise", async () => {
    const { request, approve, refund, owner, admin, read, count, refunds, ctxOf, memberOf } = await shop();
    const made = await request();
    expect(await refund(owner, 5_000)).toMatchObject({ status: 201 });
    expect(await read(made)).toMatchObject({ status: "FAILED", comment: expect.stringContaining("no longer") });
    expect(await count(admin)).toBe(0);
    expect(await outcome(approve(admin, made))).toBe("invalid_state");
    expect(one(await refunds())).toEqual([5_000]);
    const { data } = await listRequests(ctxOf(owner), { isOpen: false, limit: 10, offset: 0, user: memberOf(owner) });
    expect(data.map(({ id, status }) => [id, status])).toEqual([[made.id, "FAILED"]]);
    expect(await request(undefined, 5_000)).toMatchObject({ status: "PENDING" });
  });

  test("that expired or can no longer be carried out is ended by a job, with one mail to its member", async () => {
    const { request, refund, owner, operator, environmentId, service, age, create } = await shop();
    const [made, expired] = [await request(), await request(operator, 8_000, (await create()).body.id)];
    const mailAll = async () => {
      while ((await mailApprovals(service)) > 0);
    };
    await mailAll();
    await refund(owner, 5_000);
    await age(expired, "7 days");
    await Promise.all([mailAll(), mailAll()]);
    const rows = await db.sql`select id, status, mail_due from approval_requests
      where environment_id = ${environmentId} order by id`;
    expect(rows).toEqual([
      { id: decodeId("approval", made.id), status: "FAILED", mail_due: false },
      { id: decodeId("approval", expired.id), status: "EXPIRED", mail_due: false },
    ]);
    const mails = await mailsTo(db, operator.email);
    expect(mails.map(({ subject }) => subject).toSorted()).toEqual([
      "Test mode: Expired: a refund of $80.00 USD",
      "Test mode: Not possible: a refund of $80.00 USD",
    ]);
    const bodyOf = (word: string) => mails.find(({ subject }) => subject.includes(word))?.body;
    expect(bodyOf("Not possible")).toContain("because the payment no longer allows it");
    expect(bodyOf("Expired")).toContain("Nobody decided your request within 7 days");
    expect(bodyOf("Expired")).toContain(`/test/approvals/${expired.id}`);
    const entries = await db.sql`select actor ->> 'type' as by, object_id, detail from audit_log
      where environment_id = ${environmentId} and action = 'approval_request.failed'`;
    const detail = { name: "Otto", reason: "The payment no longer allows this refund." };
    expect(entries).toEqual([{ by: "system", object_id: decodeId("approval", made.id), detail }]);
  });

  test("stays open while another refund of the payment is not decided", async () => {
    const { request, approve, refund, owner, admin, script, endLeases, complete, read } = await shop();
    const made = await request(undefined, 5_000);
    script.next(losesAnswer);
    expect(await refund(owner, 6_000)).toMatchObject({ status: 202 });
    // The other refund has reserved its amount, which is released if it fails.
    expect(await outcome(approve(admin, made))).toBe("outcome_pending");
    expect(await read(made)).toMatchObject({ status: "PENDING" });
    await endLeases();
    await complete();
    expect(await read(made)).toMatchObject({ status: "FAILED" });
  });

  test("ends when its member is removed, or may no longer refund", async () => {
    const { request, approve, person, owner, admin, ctxOf, read, refunds, create } = await shop();
    const [first, second] = [await person("operator", "Una"), await person("operator", "Uwe")];
    const made = await request(first);
    await removeMember(ctxOf(owner), { id: encodeId("user", first.id) });
    const other = await request(second, 8_000, (await create()).body.id);
    await changeRole(ctxOf(owner), { id: encodeId("user", second.id), role: "viewer" });
    for (const each of [made, other]) {
      expect(await read(each)).toMatchObject({ status: "WITHDRAWN" });
      expect(await outcome(approve(admin, each))).toBe("invalid_state");
    }
    expect(await refunds()).toEqual([]);
  });
});

test("a request made while its member lost the role for it fails, with the reason, and refunds nothing", async () => {
  const { request, approve, person, admin, owner, read, refunds, script } = await shop();
  const member = await person("operator", "Una");
  const made = await request(member);
  // The state that remains if the request is inserted right after the role has changed.
  await db.sql`update users set role = 'viewer' where id = ${member.id}`;
  expect(await outcome(approve(admin, made))).toBe("invalid_state");
  expect(await read(made)).toMatchObject({
    status: "FAILED",
    comment: "Una may no longer do this, so it can’t be approved.",
  });
  await expect(approve(owner, made)).rejects.toThrow("Una may no longer do this");
  expect([await refunds(), script.count("refund")]).toEqual([[], 0]);
  expect(await request()).toMatchObject({ status: "PENDING" });
});

test("a request stays open while its processor is not connected, and is approved afterwards", async () => {
  const { request, approve, admin, owner, service, read, refunds, merchant } = await shop();
  const made = await request();
  const { processors } = service;
  const at = await processors.find({ id: merchant.test.id, mode: "test" }, null);
  const connection = at && { ...at, connectionId: newId(), guarded: true };
  // Disconnected before the approval, and between its look-up and T1.
  for (const found of [[], [connection]]) {
    const answers = [...found];
    const disconnected = { ...processors, hasOthers: () => true, find: async () => answers.shift() ?? null };
    Object.assign(service, { processors: disconnected });
    for (const approver of [admin, owner]) {
      expect(await outcome(approve(approver, made))).toBe("processor_not_configured");
    }
    expect(await read(made)).toMatchObject({ status: "PENDING", comment: null });
  }
  Object.assign(service, { processors });
  expect(await approve(owner, made)).toMatchObject({ status: "APPROVED" });
  expect(one(await refunds())).toEqual([8_000]);
  await expectBalancedBooks(db);
});

describe("whatever happens at once, there is one refund or none", () => {
  const ROUNDS = 12;

  /** Runs two acts at once in several shops; returns each round's outcomes with its refunds and status. */
  async function race(acts: (s: Awaited<ReturnType<typeof shop>>, made: ApprovalRequest) => Promise<unknown>[]) {
    const s = await shop();
    const rounds = [];
    for (let i = 0; i < ROUNDS; i++) {
      const payment = (await s.create()).body.id as string;
      const made = await s.request(s.operator, 8_000, payment);
      const outcomes = await Promise.all(acts(s, made).map(outcome));
      const refunds = one(await s.refunds(payment));
      rounds.push({ outcomes, refunds, status: (await s.read(made)).status });
    }
    await expectBalancedBooks(db);
    return rounds;
  }

  test("two approvers, and one of them in two tabs", async () => {
    for (const { refunds, status, outcomes } of await race((s, made) => [
      s.approve(s.admin, made),
      s.approve(s.owner, made),
      s.approve(s.admin, made),
    ])) {
      expect([refunds, status]).toEqual([[8_000], "APPROVED"]);
      expect(outcomes).toContain("done");
    }
  });

  test("approve and withdraw", async () => {
    for (const { refunds, status, outcomes } of await race((s, made) => [
      s.approve(s.admin, made),
      s.withdraw(s.operator, made),
    ])) {
      expect(refunds).toEqual(status === "APPROVED" ? [8_000] : []);
      expect(["APPROVED", "WITHDRAWN"]).toContain(status);
      expect(outcomes.filter((each) => each === "done")).toHaveLength(1);
    }
  });

  test("approve and reject", async () => {
    for (const { refunds, status } of await race((s, made) => [s.approve(s.admin, made), s.reject(s.owner, made)])) {
      expect(refunds).toEqual(status === "APPROVED" ? [8_000] : []);
    }
  });

  test("approve and expiry", async () => {
    for (const { refunds, status } of await race((s, made) => [s.approve(s.admin, made), s.age(made, "7 days")])) {
      expect(refunds).toEqual(status === "APPROVED" ? [8_000] : []);
    }
  });

  test("approve, by the requester and by a colleague", async () => {
    for (const { refunds, status, outcomes } of await race((s, made) => [
      s.approve({ ...s.operator, role: "owner" }, made),
      s.approve(s.admin, made),
    ])) {
      expect([refunds, status, outcomes]).toEqual([[8_000], "APPROVED", ["permission_denied", "done"]]);
    }
  });

  test("approve and the removal of the requester", async () => {
    const s = await shop();
    for (let i = 0; i < ROUNDS; i++) {
      const member = await s.person("operator", "Una");
      const payment = (await s.create()).body.id as string;
      const made = await s.request(member, 8_000, payment);
      await Promise.all([
        outcome(s.approve(s.admin, made)),
        removeMember(s.ctxOf(s.owner), { id: encodeId("user", member.id) }),
      ]);
      const { status } = await s.read(made);
      expect(one(await s.refunds(payment))).toEqual(status === "APPROVED" ? [8_000] : []);
      expect(["APPROVED", "WITHDRAWN"]).toContain(status);
    }
    await expectBalancedBooks(db);
  });

  test("approve and another refund of the payment", async () => {
    for (const { refunds, status } of await race((s, made) => [
      s.approve(s.admin, made),
      s.refund(s.owner, 5_000, made.subject),
    ])) {
      expect([[8_000], [5_000]]).toContainEqual(refunds);
      expect(status).toBe(refunds[0] === 8_000 ? "APPROVED" : "FAILED");
    }
  });
});

describe("after a crash", () => {
  test("between the approval and the processor, recovery makes the refund once", async () => {
    const { request, approve, admin, owner, script, endLeases, complete, refunds, read } = await shop();
    const made = await request();
    const held = holds();
    script.next(async () => {
      await held.step(async () => ({ kind: "unknown", reason: "killed" }));
      return { kind: "unknown", reason: "killed" };
    });
    const dying = outcome(approve(admin, made));
    await held.reached;
    // Approval and intent are one commit, so the request is APPROVED while the processor has nothing yet.
    expect(await read(made)).toMatchObject({ status: "APPROVED", decided_by: { name: "Adam" } });
    expect(await outcome(approve(owner, made))).toBe("invalid_state");
    held.release();
    await dying;
    await endLeases();
    await complete();
    expect(one(await refunds())).toEqual([8_000]);
    expect((await refunds())[0]?.status).not.toBe("PENDING");
    expect(await approve(admin, made)).toMatchObject({ status: "APPROVED" });
    expect(one(await refunds())).toEqual([8_000]);
    await expectBalancedBooks(db);
  });

  test("with the response lost, the same approver and another one get the same refund", async () => {
    const { request, approve, admin, script, endLeases, complete, refunds } = await shop();
    const made = await request();
    script.next(losesAnswer);
    const first = await approve(admin, made);
    expect(first).toMatchObject({ status: "APPROVED" });
    await endLeases();
    await complete();
    expect(await approve(admin, made)).toMatchObject({ result: first.result });
    expect(one(await refunds())).toEqual([8_000]);
    await expectBalancedBooks(db);
  });

  test("a refund that the processor declines leaves the approval, and the money where it was", async () => {
    const { request, approve, admin, script, refunds, payment, get } = await shop();
    const made = await request();
    script.next(says({ kind: "declined", decline_code: "generic_decline" }));
    expect(await approve(admin, made)).toMatchObject({ status: "APPROVED" });
    expect((await refunds()).map(({ status }) => status)).toEqual(["FAILED"]);
    expect(await get(payment)).toMatchObject({ amount_refunded: 0 });
    const { checks } = await verifyBooks(db);
    expect(checks.find(({ check }) => check === "approval_is_one_refund")).toMatchObject({ count: 0 });
  });

  test("can be approved once the other refund, whose outcome was unknown, has failed", async () => {
    const { request, approve, refund, owner, admin, script, endLeases, complete, refunds } = await shop();
    const made = await request(undefined, 5_000);
    script.next(async () => ({ kind: "unknown", reason: "timeout" }));
    expect(await refund(owner, 6_000)).toMatchObject({ status: 202 });
    expect(await outcome(approve(admin, made))).toBe("outcome_pending");
    script.next(says({ kind: "declined", decline_code: "generic_decline" }));
    await endLeases();
    await complete();
    expect(await approve(admin, made)).toMatchObject({ status: "APPROVED" });
    expect((await refunds()).map(({ amount, status }) => [amount, status === "FAILED"])).toEqual([
      [6_000, true],
      [5_000, false],
    ]);
  });
});

test("mails tell those who may decide about a request once, and its member about the decision", async () => {
  const { request, approve, reject, withdraw, operator, owner, admin, person, service, create } = await shop();
  const finance = await person("finance", "Fay");
  const subjects = async (user: UserRow) => (await mailsTo(db, user.email)).map(({ subject }) => subject);
  const made = await request();
  const mailAll = async () => {
    while ((await mailApprovals(service)) > 0);
  };
  await Promise.all([mailAll(), mailAll()]);
  for (const user of [owner, admin])
    expect(await subjects(user)).toEqual(["Test mode: Approve a refund of $80.00 USD?"]);
  const [mail] = await mailsTo(db, admin.email);
  expect(mail?.body).toContain(`/test/approvals/${made.id}`);
  expect(mail?.body).toContain(operator.email);
  expect(mail?.body).not.toContain("The parcel is lost");
  expect([await subjects(operator), await subjects(finance)]).toEqual([[], []]);
  await approve(admin, made);
  await reject(owner, await request(operator, 6_000, (await create()).body.id));
  await withdraw(operator, await request(operator, 7_000, (await create()).body.id));
  await mailAll();
  expect((await subjects(operator)).toSorted()).toEqual([
    "Test mode: Approved: a refund of $80.00 USD",
    "Test mode: Rejected: a refund of $60.00 USD",
  ]);
  expect(await subjects(admin)).toHaveLength(1);
});
