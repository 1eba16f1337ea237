import { describe, expect, test } from "vitest";
import { approvalShop, expectBalancedBooks, REFUND_RULE } from "@/e2e/fixtures/approvals";
import { testDatabase } from "@/e2e/fixtures/database";
import type { RefundRule } from "@/lib/contract/approvals/approvals";
import { findRuleRefusal, getRule, requireUnbound, updateRule } from "./rules";

const { db } = await testDatabase({ max: 20 });

const shop = (rule: Partial<RefundRule> = {}) => approvalShop(db, rule);

describe("a rule for refunds", () => {
  test("binds its roles only, above its amount only, by payment and by transaction; keys are not bound", async () => {
    const { refund, operator, owner, payment, act, get } = await shop();
    expect(await refund(operator, 5_001)).toMatchObject({
      status: 403,
      code: "permission_denied",
      body: { extra: { approval_required: true } },
    });
    const charge = (await get(payment)).transactions[0]?.id as string;
    expect(await refund(operator, 5_001, charge)).toMatchObject({ status: 403 });
    expect(await refund(operator)).toMatchObject({ status: 403 });
    expect(await refund(operator, 5_000)).toMatchObject({ status: 201 });
    expect(await refund(owner, 4_000)).toMatchObject({ status: 201 });
    expect(await act("refund", payment, { amount: 1_000 })).toMatchObject({ status: 201 });
    await expectBalancedBooks(db);
  });

  test("leaves the key free, so that the same request works once the rule allows it", async () => {
    const { refund, operator, owner, ctxOf, key } = await shop();
    expect(await refund(operator, 6_000, undefined, "again")).toMatchObject({ status: 403 });
    expect(await key("again")).toBeNull();
    await updateRule(ctxOf(owner), { action: "REFUND", ...REFUND_RULE, above_usd: 60 });
    expect(await refund(operator, 6_000, undefined, "again")).toMatchObject({ status: 201, replayed: false });
  });

  test("counts other currencies by their worth", async () => {
    const { refund, operator, create } = await shop();
    const euros = (await create({ currency: "EUR" })).body.id as string;
    expect(await refund(operator, 4_100, euros)).toMatchObject({ status: 403 });
    expect(await refund(operator, 4_000, euros)).toMatchObject({ status: 201 });
  });

  test("of a day holds for 40 concurrent refunds of one member, over payments", async () => {
    const { refund, operator, create, script } = await shop({ above_usd: null, day_usd: 7 });
    const payments = await Promise.all(Array.from({ length: 4 }, async () => (await create()).body.id as string));
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => refund(operator, 100, payments[i % 4])));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(7);
    expect(script.count("refund")).toBe(7);
    await db.sql`update approval_allowances set since = since - interval '25 hours' where user_id = ${operator.id}`;
    expect(await refund(operator, 700, payments[0])).toMatchObject({ status: 201 });
    await expectBalancedBooks(db);
  });

  test("keeps its members from managing keys that refund", async () => {
    const { ctxOf, operator, owner } = await shop();
    await expect(requireUnbound(ctxOf(operator), operator.id)).rejects.toMatchObject({ code: "permission_denied" });
    await expect(requireUnbound(ctxOf(owner), owner.id)).resolves.toBeUndefined();
    const small = { amount: 100, currency: "USD" };
    expect(await findRuleRefusal(ctxOf(operator), operator.id, small)).toBeNull();
  });

  test("is recorded with what it was", async () => {
    const { ctxOf, owner, environmentId } = await shop();
    expect(await getRule(ctxOf(owner), "REFUND")).toEqual(REFUND_RULE);
    await updateRule(ctxOf(owner), { action: "REFUND", ...REFUND_RULE, above_usd: 80 });
    const acts = await db.sql`select detail from audit_log
      where environment_id = ${environmentId} and action = 'settings.approvals_updated' order by id desc limit 1`;
    expect(acts).toEqual([{ detail: { mode: "test", changes: { above_usd: [50, 80] } } }]);
  });
});
