import { describe, expect, test } from "vitest";
import type { UserRow } from "@/db/schema/accounts";
import { testDatabase } from "@/e2e/fixtures/database";
import { skippingTimer, testContext } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { createTestUser, mailsTo } from "@/e2e/fixtures/users";
import { type ApprovalRequest, type RequestedAct, requestedAct } from "@/lib/contract/approvals/approvals";
import type { RoleRuleAction } from "@/lib/contract/approvals/words";
import { eventSchema } from "@/lib/contract/events/event";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { type MerchantRole, ROLE_PERMISSIONS } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import { setKeyState } from "../api-keys/change-keys";
import { editApiKey, issueApiKey, widens } from "../api-keys/issue-keys";
import { getApiKey } from "../api-keys/read-keys";
import { listEvents } from "../events/read-events";
import { verifyBooks } from "../reconciliation/verify-books";
import { getBankAccount, updateBankAccount } from "../settlement/payouts";
import { changeRole, removeMember } from "../team/team";
import { collectKey, requestAct } from "./acts";
import { approveRequest } from "./approve";
import { mailApprovals } from "./mail-approvals";
import { findMenuCount, getRequest, listRequests, rejectRequest, withdrawRequest } from "./requests";
import { getRule, NO_RULE, requireAlone, updateRule } from "./rules";

const { db } = await testDatabase({ max: 20 });

const ACCOUNT = { holder: "Shop", bank_name: "Bank", country: "US", account_number: "0001112345" };
const KEY = { name: "Shop server", permissions: ["payment.read" as const], expires_at: null, ip_allow_list: [] };

/** A team of two owners, an admin and a developer, in live mode by default, none of whom may act alone. */
async function team(mode: Mode = "live") {
  const tenant = await moneyTenant(db, { timer: skippingTimer() });
  const environment = tenant.merchant[mode];
  const person = (role: MerchantRole, name: string) =>
    createTestUser(db, { merchantId: tenant.merchant.id, role, name });
  const ctxOf = (user: UserRow) => testContext(tenant.service, environment, { actor: { type: "user", id: user.id } });
  const memberOf = ({ id, name, email, role }: UserRow) => ({
    userId: id,
    name,
    email,
    role,
    permissions: new Set(ROLE_PERMISSIONS[role]),
  });
  const [owner, admin, developer, other] = await Promise.all([
    person("owner", "Olga"),
    person("admin", "Adam"),
    person("developer", "Dora"),
    person("owner", "Omar"),
  ]);
  const rule = (action: RoleRuleAction, roles: MerchantRole[]) =>
    updateRule(ctxOf(owner), { action, ...NO_RULE, roles });
  await rule("BANK_ACCOUNT", ["owner", "admin"]);
  await rule("LIVE_KEY", ["owner", "admin", "developer"]);
  const request = (by: UserRow, act: Omit<RequestedAct, "reason">) =>
    requestAct(ctxOf(by), { ...act, reason: "We moved" } as RequestedAct, memberOf(by));
  return {
    ...tenant,
    environmentId: environment.id,
    owner,
    admin,
    developer,
    other,
    ctxOf,
    memberOf,
    rule,
    request,
    account: (by = owner, parameters = ACCOUNT) => request(by, { action: "BANK_ACCOUNT", parameters } as never),
    key: (by = developer, parameters: object = { act: "CREATE", ...KEY }) =>
      request(by, { action: "LIVE_KEY", parameters } as never),
    approve: (by: UserRow, { id }: ApprovalRequest) => approveRequest(ctxOf(by), { id, user: memberOf(by) }),
    reject: (by: UserRow, { id }: ApprovalRequest) => rejectRequest(ctxOf(by), { id, user: memberOf(by) }),
    withdraw: (by: UserRow, { id }: ApprovalRequest) => withdrawRequest(ctxOf(by), { id, user: memberOf(by) }),
    collect: (by: UserRow, { id }: ApprovalRequest) => collectKey(ctxOf(by), { id, user: memberOf(by) }),
    read: ({ id }: ApprovalRequest, by = owner) => getRequest(ctxOf(by), { id, user: memberOf(by) }),
    /** A key that existed before the rule. */
    async existing() {
      const system = testContext(tenant.service, environment);
      return (await issueApiKey(system, KEY)).api_key;
    },
    keys: async () => {
      const rows = await db.sql`select count(*)::int as count from api_keys where environment_id = ${environment.id}`;
      return rows[0]?.count as number;
    },
  };
}

const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => "done",
    (error: { code?: string; extra?: { approval_required?: true } }) =>
      error.extra?.approval_required ? "approval_required" : (error.code ?? String(error)),
  );

describe("the bank account", () => {
  test("changes once a colleague approves, with both names, and neither alone nor by its requester", async () => {
    const { account, approve, owner, admin, ctxOf, environmentId, developer } = await team("test");
    for (const user of [owner, admin]) {
      expect(await outcome(updateBankAccount(ctxOf(user), ACCOUNT))).toBe("approval_required");
    }
    const made = await account();
    expect(made.parameters).toEqual({
      bank_account: {
        before: { holder: "Test account", bank_name: "Sandbox Bank", country: "US", last4: "6789" },
        after: { holder: "Shop", bank_name: "Bank", country: "US", last4: "2345" },
      },
    });
    expect(JSON.stringify(made)).not.toContain(ACCOUNT.account_number);
    expect(await outcome(approve(owner, made))).toBe("permission_denied");
    expect(await outcome(approve(developer, made))).toBe("permission_denied");
    expect(await approve(admin, made)).toMatchObject({ status: "APPROVED", decided_by: { name: "Adam" } });
    expect(await approve(admin, made)).toMatchObject({ status: "APPROVED" });
    expect(await getBankAccount(ctxOf(owner))).toMatchObject({ last4: "2345" });
    const acts = await db.sql`select action, actor ->> 'id' as by, detail ->> 'name' as name from audit_log
      where environment_id = ${environmentId} and action in ('approval_request.approved', 'settings.bank_account_updated')
      order by id`;
    expect(acts).toEqual([
      { action: "approval_request.approved", by: admin.id, name: "Olga" },
      { action: "settings.bank_account_updated", by: admin.id, name: "Olga" },
    ]);
  });

  test("stays as it is if it was changed after the request, and the request says so", async () => {
    const { account, approve, rule, other, admin, ctxOf, read, owner } = await team("test");
    const made = await account();
    await db.sql`delete from approval_rules where environment_id = ${ctxOf(owner).environment.id}`;
    await updateBankAccount(ctxOf(other), { ...ACCOUNT, account_number: "9999" });
    await rule("BANK_ACCOUNT", ["owner"]);
    expect(await read(made)).toMatchObject({ status: "FAILED", comment: expect.stringContaining("changed") });
    expect(await outcome(approve(admin, made))).toBe("invalid_state");
    expect(await getBankAccount(ctxOf(owner))).toMatchObject({ last4: "9999" });
    expect(await account()).toMatchObject({ status: "PENDING" });
  });

  test("that was changed away and back leaves the request failed, with one mail and one entry", async () => {
    const { account, approve, admin, ctxOf, read, owner, environmentId, service } = await team("test");
    await db.sql`delete from approval_rules where environment_id = ${environmentId}`;
    await updateBankAccount(ctxOf(owner), { ...ACCOUNT, account_number: "1111" });
    const made = await account();
    for (const account_number of ["9999", "1111"])
      await updateBankAccount(ctxOf(owner), { ...ACCOUNT, account_number });
    expect(await read(made)).toMatchObject({ status: "FAILED", comment: expect.stringContaining("changed") });
    expect(await outcome(approve(admin, made))).toBe("invalid_state");
    expect(await getBankAccount(ctxOf(owner))).toMatchObject({ last4: "1111" });
    while ((await mailApprovals(service)) > 0);
    expect((await mailsTo(db, owner.email)).map(({ subject }) => subject)).toEqual([
      "Test mode: Not possible: another bank account for payouts",
    ]);
    const entries = await db.sql`select actor ->> 'id' as by, detail ->> 'name' as name from audit_log
      where environment_id = ${environmentId} and action = 'approval_request.failed'`;
    expect(entries).toEqual([{ by: owner.id, name: "Olga" }]);
  });

  test("is changed once or not at all by approvals, a rejection, a withdrawal and a removal at once", async () => {
    const { account, approve, reject, withdraw, owner, other, admin, ctxOf, read, environmentId } = await team("test");
    const updates = async () => {
      const rows = await db.sql`select count(*)::int as count from audit_log
        where environment_id = ${environmentId} and action = 'settings.bank_account_updated'`;
      return rows[0]?.count as number;
    };
    for (let round = 0; round < 12; round++) {
      const before = await updates();
      const made = await account(owner, { ...ACCOUNT, account_number: `55${round}000` });
      await Promise.all(
        [
          approve(admin, made),
          approve(other, made),
          approve(admin, made),
          ...(round % 3 === 0 ? [reject(other, made)] : []),
          ...(round % 3 === 1 ? [withdraw(owner, made)] : []),
        ].map(outcome),
      );
      const { status } = await read(made);
      expect(["APPROVED", "REJECTED", "WITHDRAWN"]).toContain(status);
      expect((await updates()) - before).toBe(status === "APPROVED" ? 1 : 0);
    }
    const made = await account(other);
    const before = await updates();
    await Promise.all([outcome(approve(admin, made)), removeMember(ctxOf(owner), { id: encodeId("user", other.id) })]);
    expect((await updates()) - before).toBe((await read(made)).status === "APPROVED" ? 1 : 0);
  });
});

describe("a live key", () => {
  test("has no secret until its requester collects it, once, after the approval", async () => {
    const { key, approve, collect, developer, admin, owner, ctxOf, keys, read } = await team();
    expect(await outcome(requireAlone(ctxOf(developer), "LIVE_KEY"))).toBe("approval_required");
    const made = await key();
    expect(await outcome(collect(developer, made))).toBe("invalid_state");
    const approved = await approve(admin, made);
    expect(approved).toMatchObject({ status: "APPROVED", result: null, collect_before: expect.any(String) });
    expect(await keys()).toBe(0);
    for (const user of [admin, owner]) expect(await outcome(collect(user, made))).toBe("permission_denied");
    expect((await read(made, developer)).available_actions).toEqual(["collect"]);
    const tabs = await Promise.allSettled([1, 2, 3].map(() => collect(developer, made)));
    const shown = tabs.filter((tab) => tab.status === "fulfilled").map(({ value }) => value);
    expect(shown).toEqual([
      {
        api_key: expect.objectContaining({ id: made.subject, status: "ACTIVE" }),
        secret: expect.stringMatching(/^sk_live_/),
      },
    ]);
    expect(await keys()).toBe(1);
    expect(await read(made, developer)).toMatchObject({
      result: made.subject,
      collect_before: null,
      available_actions: [],
    });
  });

  test("is requested once by its member, even in two tabs, and again once that request has ended", async () => {
    const { key, withdraw, developer, admin } = await team();
    const tabs = await Promise.all([1, 2, 3].map(() => outcome(key())));
    expect(tabs.toSorted()).toEqual(["done", "invalid_state", "invalid_state"]);
    await expect(key()).rejects.toThrow("The same key is waiting for approval already.");
    for (const other of [key(admin), key(developer, { act: "CREATE", ...KEY, name: "Second server" })]) await other;
    const [first] = await db.sql<{ id: string }[]>`select id from approval_requests
      where requested_by = ${developer.id} order by id limit 1`;
    await withdraw(developer, { id: encodeId("approval", first?.id as string) } as ApprovalRequest);
    expect(await key()).toMatchObject({ status: "PENDING" });
  });

  test("is read by its requester who has become a viewer, and is not offered to them to collect", async () => {
    const { key, approve, read, developer, admin, owner, ctxOf } = await team();
    const made = await key();
    await approve(admin, made);
    await changeRole(ctxOf(owner), { id: encodeId("user", developer.id), role: "viewer" });
    const viewer = { ...developer, role: "viewer" as const };
    expect(await read(made, viewer)).toMatchObject({ status: "APPROVED", collect_before: null, available_actions: [] });
    await expect(read(await key(admin), viewer)).rejects.toMatchObject({ code: "permission_denied" });
  });

  test("is mailed to its approver and its requester with its settings, without its name and addresses", async () => {
    const { key, approve, admin, owner, service } = await team();
    const limits = { refund_max: 5_000, refunds_per_day: 1, refund_amount_per_day: null, currency: "USD" };
    const permissions = ["payment.read", "transaction.refund"];
    const settings = { permissions, limits, expires_at: "2099-01-02T03:04:05.000Z", ip_allow_list: ["203.0.113.7"] };
    const made = await key(owner, { act: "CREATE", ...KEY, ...settings });
    while ((await mailApprovals(service)) > 0);
    await approve(admin, made);
    while ((await mailApprovals(service)) > 0);
    for (const user of [admin, owner]) {
      const [mail] = await mailsTo(db, user.email);
      for (const text of [
        "Permissions: payment.read, transaction.refund\n",
        "Refund limits: $50.00 a refund, 1 refund a day\n",
        "Expires: Fri, Jan 2, 2099, 03:04:05 UTC\n",
        "Addresses: 1 entry in its allow list\n",
      ])
        expect(mail?.body).toContain(text);
      for (const text of [KEY.name, "203.0.113.7"]) expect(mail?.body).not.toContain(text);
    }
  });

  test("that nobody collects is given up after seven days", async () => {
    const { key, approve, collect, developer, admin, keys } = await team();
    const made = await key();
    await approve(admin, made);
    await db.sql`update approval_requests set decided_at = decided_at - interval '7 days' where id = ${decodeId("approval", made.id)}`;
    expect(await outcome(collect(developer, made))).toBe("invalid_state");
    expect(await keys()).toBe(0);
  });

  test("gets more rights only with approval, and fewer alone", async () => {
    const { existing, key, approve, developer, admin, ctxOf } = await team();
    const { id, updated_at } = await existing();
    const more = { ...KEY, permissions: ["payment.read" as const, "transaction.read" as const] };
    expect(await outcome(editApiKey(ctxOf(developer), { id, updated_at, ...more }))).toBe("approval_required");
    const made = await key(developer, { act: "CHANGE", subject: id, ...more });
    expect(await approve(admin, made)).toMatchObject({ status: "APPROVED" });
    const changed = await getApiKey(ctxOf(admin), { id });
    expect(changed.permissions).toEqual(more.permissions);
    await editApiKey(ctxOf(developer), { id, ...KEY, updated_at: changed.updated_at });
    expect((await getApiKey(ctxOf(admin), { id })).permissions).toEqual(KEY.permissions);
  });

  test("is rotated and enabled as approved, and not if it changed after the request", async () => {
    const { existing, key, approve, collect, developer, admin, ctxOf, read } = await team();
    const old = await existing();
    const rotation = await key(developer, { act: "ROTATE", subject: old.id, overlap_hours: 0 });
    await approve(admin, rotation);
    const { api_key, secret } = await collect(developer, rotation);
    expect(secret).toMatch(/^sk_live_/);
    expect(api_key).toMatchObject({ rotated_from: old.id, name: old.name });
    await setKeyState(ctxOf(developer), { id: api_key.id, action: "disable" });
    const enabling = await key(developer, { act: "ENABLE", subject: api_key.id });
    await approve(admin, enabling);
    expect(await getApiKey(ctxOf(admin), { id: api_key.id })).toMatchObject({ status: "ACTIVE" });
    const late = await key(developer, { act: "ROTATE", subject: api_key.id, overlap_hours: 1 });
    await setKeyState(ctxOf(admin), { id: api_key.id, action: "revoke" });
    expect(await read(late)).toMatchObject({ status: "FAILED", comment: expect.stringContaining("changed or ended") });
    expect(await outcome(approve(admin, late))).toBe("invalid_state");
  });

  test("is asked for only by those who may manage such a key, and not in test mode", async () => {
    const { key, developer, owner, ctxOf, request } = await team();
    expect(await outcome(key(developer, { act: "CREATE", ...KEY, permissions: ["transaction.refund"] }))).toBe(
      "permission_denied",
    );
    expect(await outcome(request(developer, { action: "BANK_ACCOUNT", parameters: ACCOUNT } as never))).toBe(
      "permission_denied",
    );
    const made = await key(developer);
    await changeRole(ctxOf(owner), { id: encodeId("user", developer.id), role: "viewer" });
    expect(
      (await getRequest(ctxOf(owner), { id: made.id, user: { userId: owner.id, name: "", email: "", role: "owner" } }))
        .status,
    ).toBe("WITHDRAWN");
    const test = await team("test");
    expect(await outcome(test.key())).toBe("invalid_state");
    await expect(requireAlone(test.ctxOf(test.developer), "LIVE_KEY")).resolves.toBeUndefined();
  });

  test.each([
    ["the same", {}, false],
    ["another name", { name: "Other" }, false],
    ["fewer permissions", { permissions: [] }, false],
    ["another permission", { permissions: ["payment.read", "balance.read"] }, true],
    ["an earlier expiry", { expires_at: "2027-01-01T00:00:00.000Z" }, false],
    ["no expiry", { expires_at: null }, true],
    ["another address", { ip_allow_list: ["10.0.0.2"] }, true],
    ["any address", { ip_allow_list: [] }, true],
    ["no limits", { limits: null }, true],
    [
      "a lower limit",
      { limits: { refund_max: 5, refunds_per_day: 1, refund_amount_per_day: null, currency: "USD" } },
      false,
    ],
    [
      "a higher limit",
      { limits: { refund_max: 11, refunds_per_day: 1, refund_amount_per_day: null, currency: "USD" } },
      true,
    ],
    [
      "another currency",
      { limits: { refund_max: 10, refunds_per_day: 1, refund_amount_per_day: null, currency: "JPY" } },
      true,
    ],
  ])("with %s can do more: %#", (_, change, isWider) => {
    const before = {
      name: "Server",
      permissions: ["payment.read"],
      expires_at: "2027-06-01T00:00:00.000Z",
      ip_allow_list: ["10.0.0.1"],
      limits: { refund_max: 10, refunds_per_day: 1, refund_amount_per_day: null, currency: "USD" },
    };
    expect(widens(before, { ...before, ...change })).toBe(isWider);
  });
});

describe("a rule that binds its owner", () => {
  const WEAKER = { action: "BANK_ACCOUNT" as const, roles: ["admin" as const] };

  test("is weakened with approval only, and made stricter alone", async () => {
    const { owner, other, ctxOf, request, approve, rule } = await team();
    expect(await outcome(updateRule(ctxOf(owner), { ...NO_RULE, ...WEAKER }))).toBe("approval_required");
    const made = await request(owner, { action: "APPROVAL_RULE", parameters: WEAKER } as never);
    expect(await outcome(approve(owner, made))).toBe("permission_denied");
    await approve(other, made);
    expect((await getRule(ctxOf(owner), "BANK_ACCOUNT")).roles).toEqual(["admin"]);
    expect(await outcome(rule("BANK_ACCOUNT", ["owner", "admin"]))).toBe("done");
    const strict = { action: "REFUND" as const, roles: ["owner" as const], above_usd: 50, day_usd: null };
    await updateRule(ctxOf(owner), { ...strict, finance_decides: false });
    expect(await outcome(updateRule(ctxOf(owner), { ...strict, above_usd: 60, finance_decides: false }))).toBe(
      "approval_required",
    );
    expect(await outcome(updateRule(ctxOf(owner), { ...strict, above_usd: 40, finance_decides: false }))).toBe("done");
    expect(await outcome(updateRule(ctxOf(owner), { ...strict, above_usd: 40, finance_decides: true }))).toBe(
      "approval_required",
    );
  });

  test("that was changed away and back leaves the request to weaken it failed", async () => {
    const { owner, other, request, approve, rule, read } = await team();
    const made = await request(owner, { action: "APPROVAL_RULE", parameters: WEAKER } as never);
    await rule("BANK_ACCOUNT", ["owner", "admin"]);
    expect(await read(made)).toMatchObject({ status: "PENDING" });
    await rule("LIVE_KEY", ["owner", "admin", "developer"]);
    expect(await read(made)).toMatchObject({ status: "PENDING" });
    await db.sql`update approval_rules set roles = '{owner}' where action = 'BANK_ACCOUNT' and environment_id in (
      select environment_id from approval_requests where id = ${decodeId("approval", made.id)})`;
    await rule("BANK_ACCOUNT", ["owner", "admin", "developer"]);
    await db.sql`update approval_rules set roles = '{owner,admin}' where action = 'BANK_ACCOUNT' and environment_id in (
      select environment_id from approval_requests where id = ${decodeId("approval", made.id)})`;
    expect(await read(made)).toMatchObject({ status: "FAILED" });
    expect(await outcome(approve(other, made))).toBe("invalid_state");
  });

  test("can't be requested without an amount for refunds, which would bind nobody", () => {
    const parameters = { action: "REFUND", roles: ["owner"], above_usd: null, day_usd: null, finance_decides: false };
    const act = { action: "APPROVAL_RULE", parameters, reason: "We moved" };
    expect(requestedAct.safeParse(act).error?.issues).toMatchObject([{ path: ["parameters", "above_usd"] }]);
    expect(requestedAct.safeParse({ ...act, parameters: { ...parameters, day_usd: 5 } }).success).toBe(true);
  });

  test("is lifted alone by an owner whom nobody could approve", async () => {
    const { owner, other, admin, ctxOf, rule } = await team();
    await removeMember(ctxOf(owner), { id: encodeId("user", admin.id) });
    expect(await outcome(rule("BANK_ACCOUNT", []))).toBe("approval_required");
    await removeMember(ctxOf(owner), { id: encodeId("user", other.id) });
    expect(await outcome(rule("BANK_ACCOUNT", []))).toBe("done");
  });
});

test("each role sees the requests of what it may do, and counts those it decides", async () => {
  const { account, key, owner, admin, developer, other, ctxOf, memberOf, read } = await team();
  const [bank, made] = [await account(), await key()];
  const seen = async (user: UserRow) => {
    const page = { isOpen: true, limit: 10, offset: 0, user: memberOf(user) };
    return (await listRequests(ctxOf(user), page)).data.map(({ action }) => action);
  };
  expect(await seen(developer)).toEqual(["LIVE_KEY"]);
  expect(await seen(admin)).toEqual(["LIVE_KEY", "BANK_ACCOUNT"]);
  expect(await outcome(read(bank, developer))).toBe("permission_denied");
  expect(await read(made, developer)).toMatchObject({ available_actions: ["withdraw"] });
  const count = (user: UserRow) => findMenuCount(ctxOf(user), memberOf(user));
  expect([await count(owner), await count(other), await count(admin), await count(developer)]).toEqual([1, 2, 2, 0]);
});

test("events report a request and its decision, without names and numbers of accounts", async () => {
  const { account, key, approve, reject, owner, other, ctxOf, service } = await team();
  const [bank, made] = [await account(), await key()];
  await approve(other, bank);
  await reject(other, made);
  const { data } = await listEvents(ctxOf(owner), { limit: 100 });
  const events = data.filter(({ type }) => type.startsWith("approval_request."));
  expect(events.map(({ type, sequence, data: { object } }) => [type, sequence, object.id]).toReversed()).toEqual([
    ["approval_request.created", 1, bank.id],
    ["approval_request.created", 1, made.id],
    ["approval_request.approved", 2, bank.id],
    ["approval_request.rejected", 2, made.id],
  ]);
  for (const event of events) {
    expect(eventSchema(event.type).parse(event)).toEqual(event);
    for (const text of ["Olga", "Omar", "Dora", ACCOUNT.account_number])
      expect(JSON.stringify(event)).not.toContain(text);
  }
  while ((await mailApprovals(service)) > 0);
  expect((await mailsTo(db, owner.email)).map(({ subject }) => subject)).toContain(
    "Approved: another bank account for payouts",
  );
  expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
});
