import { describe, expect, test } from "vitest";
import { otherCompany } from "@/e2e/doubles/other/company";
import { createOtherProcessor, type OtherOptions } from "@/e2e/doubles/other/processor";
import { createOtherStore, faultsOfOtherStore } from "@/e2e/doubles/other/store";
import { testDatabase } from "@/e2e/fixtures/database";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { holds, losesAnswer, type Step, says, throwsAfter } from "@/e2e/fixtures/scripted-processor";
import { decodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { createRegistry } from "@/lib/processor/registry";
import { continuePayment, voidLateApproval } from "./follow-up";
import { processReport } from "./process-reports";

const { db } = await testDatabase({ own: true });
await createOtherStore(db.sql);
const company = otherCompany(db.sql);

const MANUAL = { capture_method: "manual" };
const CHALLENGED = { card: { number: "4000000000003220", exp_month: 12, exp_year: 2040, cvv: "123" } };

const tenantOf = (options: Omit<OtherOptions, "sql"> = {}) =>
  moneyTenant(db, { processors: createRegistry({ sandbox: createOtherProcessor({ sql: db.sql, ...options }) }) });

describe("an approval after the payment has ended here", () => {
  const declines = says({ kind: "declined", decline_code: "authentication_failed" });
  /** The processor executes the payment, and here it counts as declined. */
  const lies: Step = async (real) => {
    await real();
    return { kind: "declined", decline_code: "generic_decline" };
  };
  /**
   * Leaves out `processor_knows_our_operations`, which breaks because the test declined in the processor's
   * name.
   */
  async function expectUndone(tenant: MoneyTenant, held: object): Promise<void> {
    const broken = (await verifyBooks(db)).checks.filter(({ count }) => count > 0).map(({ check }) => check);
    expect(broken.filter((check) => check !== "processor_knows_our_operations")).toEqual([]);
    const faults = (await faultsOfOtherStore(db)).map(({ check }) => check);
    expect(faults).not.toContain("processor_moved_the_same_money");
    const [row] = await db.sql`select status, amount_captured, amount_refunded from other_processor.intents
      where account = ${tenant.environmentId}`;
    expect(row).toEqual({ status: "approved", ...held });
  }
  const voidsOf = async (tenant: MoneyTenant, id: string) =>
    (await tenant.operations(id)).filter(({ kind }) => kind === "void");
  const voidedAt = async (tenant: MoneyTenant) =>
    (await db.sql`select voided from other_processor.intents where account = ${tenant.environmentId}`)[0]?.voided;
  const reportOn = async (tenant: MoneyTenant, id: string) => {
    const [authorize] = await tenant.operations(id);
    const from = await tenant.service.processors.reporter("other");
    if (!from) throw new Error("the other processor reports");
    const report = { id: "n", account: tenant.environmentId, reference: authorize?.id ?? "" };
    return () => processReport(tenant.service, from, report);
  };

  test.each([
    [{}, { amount_captured: 10_000, amount_refunded: 10_000 }],
    [MANUAL, { amount_captured: 0, amount_refunded: 0 }],
  ])("is undone, once, of a payment that was declined first: %o", async (body, held) => {
    const tenant = await tenantOf();
    tenant.script.next(lies);
    const declined = await tenant.create(body, { key: "k" });
    expect(declined).toMatchObject({ status: 402, code: "card_declined" });
    const id = declined.body.payment_id as string;
    const report = await reportOn(tenant, id);
    for (const taken of await Promise.all(Array.from({ length: 8 }, report))) expect(typeof taken).toBe("boolean");
    expect(await report()).toBe(true);
    expect(await voidsOf(tenant, id)).toMatchObject([{ state: "succeeded" }]);
    expect(await voidedAt(tenant)).toBe(body === MANUAL);
    expect(await tenant.get(id)).toMatchObject({ status: "DECLINED", amount_captured: 0, amount_refunded: 0 });
    expect(await tenant.create(body, { key: "k" })).toMatchObject({ status: 402, text: declined.text, replayed: true });
    await expectUndone(tenant, held);
  });

  test("is not reversed by a process that read the payment before another reversed it", async () => {
    const tenant = await tenantOf();
    tenant.script.next(lies);
    const id = (await tenant.create()).body.payment_id as string;
    const [read] = await db.sql<{ id: string; version: number }[]>`
      select id, version from payments where environment_id = ${tenant.environmentId}`;
    if (!read) throw new Error("the payment is there");
    const giveBack = () => voidLateApproval(tenant.service, tenant.merchant.test, read);
    expect(await giveBack()).toMatchObject({ kind: "finished" });
    expect(await giveBack()).toMatchObject({ kind: "refused" });
    expect(await voidsOf(tenant, id)).toHaveLength(1);
    const paid = await tenant.create();
    const [captured] = await db.sql<{ id: string; version: number }[]>`
      select id, version from payments where environment_id = ${tenant.environmentId} and status = 'CAPTURED'`;
    const refused = voidLateApproval(tenant.service, tenant.merchant.test, captured ?? read);
    expect(await refused).toMatchObject({ kind: "refused" });
    expect(await tenant.get(paid.body.id)).toMatchObject({ status: "CAPTURED", amount_refunded: 0 });
  });

  test.each([losesAnswer, throwsAfter])(
    "is reversed once, although the response to that is lost: %o",
    async (fault) => {
      const tenant = await tenantOf();
      tenant.script.next(lies);
      const id = (await tenant.create()).body.payment_id as string;
      const report = await reportOn(tenant, id);
      tenant.script.next((inquires) => inquires(), fault);
      expect(await report()).toBe(true);
      expect(await voidsOf(tenant, id)).toMatchObject([{ state: "open" }]);
      expect(await report()).toBe(true);
      await tenant.endLeases();
      await tenant.complete();
      expect(await voidsOf(tenant, id)).toMatchObject([{ state: "succeeded" }]);
      await expectUndone(tenant, { amount_captured: 10_000, amount_refunded: 10_000 });
    },
  );

  test("is booked or reversed if the shopper passes at the moment when the challenge is abandoned", async () => {
    const tenant = await tenantOf({ challenges: "its own page" });
    const { body } = await tenant.create(CHALLENGED);
    const report = await reportOn(tenant, body.id);
    const held = holds();
    tenant.script.next(() => held.step(() => declines(async () => ({ kind: "not_found" })) as never));
    const ending = continuePayment(
      ...([tenant.service, tenant.merchant.test, decodeId("payment", body.id) ?? "", "abandoned"] as const),
    );
    await held.reached;
    await company.answerChallenge(body.next_action.redirect_to_url.url, true);
    // The operation that abandons it is still in progress, so the report has to be redelivered.
    expect(await report()).toBe(false);
    held.release();
    await ending;
    expect(await tenant.get(body.id)).toMatchObject({ status: "DECLINED" });
    expect(await report()).toBe(true);
    expect(await report()).toBe(true);
    expect(await voidsOf(tenant, body.id)).toMatchObject([{ state: "succeeded" }]);
    await expectUndone(tenant, { amount_captured: 10_000, amount_refunded: 10_000 });
  });

  test("completes the payment if the process that abandoned the challenge crashed midway", async () => {
    const tenant = await tenantOf({ challenges: "its own page" });
    const { body } = await tenant.create(CHALLENGED);
    const report = await reportOn(tenant, body.id);
    tenant.script.next(says({ kind: "unknown", reason: "the connection was lost" }));
    await continuePayment(tenant.service, tenant.merchant.test, decodeId("payment", body.id) ?? "", "abandoned");
    await company.answerChallenge(body.next_action.redirect_to_url.url, true);
    await tenant.endLeases();
    expect(await report()).toBe(true);
    expect(await tenant.get(body.id)).toMatchObject({ status: "CAPTURED" });
    await expectUndone(tenant, { amount_captured: 10_000, amount_refunded: 0 });
  });
});
