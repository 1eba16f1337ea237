import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { decideSandboxDispute } from "@/db/queries/sandbox/disputes";
import { testDatabase } from "@/e2e/fixtures/database";
import { openDispute } from "@/e2e/fixtures/disputes";
import { eventsAsTold } from "@/e2e/fixtures/events";
import { testContext, testIdempotency } from "@/e2e/fixtures/factories";
import { latch } from "@/e2e/fixtures/latch";
import { moneyTenant } from "@/e2e/fixtures/money";
import { AppError } from "@/lib/contract/errors";
import { newId } from "@/lib/ids";
import type { Processor } from "@/lib/processor/port";
import { createRegistry } from "@/lib/processor/registry";
import { sha256 } from "@/lib/secret";
import { verifyBooks } from "../reconciliation/verify-books";
import { getBalance } from "../settlement/balance";
import { getDispute } from "./read-disputes";
import { recordDispute } from "./record-dispute";
import { acceptDispute, submitDispute } from "./respond";
import { updateDispute } from "./update-evidence";

const { db } = await testDatabase();

const broken = async () => (await verifyBooks(db)).checks.filter(({ count }) => count > 0).map(({ check }) => check);

const REFUND = { amount: 1_000, acknowledge_dispute: true };

/** A disputed payment at the sandbox, with evidence; `beforeResponse` runs before each response reaches it. */
async function disputed(beforeResponse: () => Promise<void> = async () => {}) {
  const tenant = await moneyTenant(db);
  const sandbox = tenant.service.processors.builtIn("test") as Processor;
  const sent: string[] = [];
  const processor: Processor = {
    ...sandbox,
    async respondToDispute(request) {
      sent.push(request.kind);
      await beforeResponse();
      return (sandbox.respondToDispute as NonNullable<Processor["respondToDispute"]>)(request);
    },
  };
  const service = { ...tenant.service, processors: createRegistry({ sandbox: processor }) };
  const { body: payment } = await tenant.create();
  const dispute = await openDispute({ service, db, environmentId: tenant.environmentId }, payment.id);
  const { id } = dispute;
  const ctx = testContext(service, tenant.merchant.test);
  await updateDispute(ctx, { id, evidence: { notes: "Signed for." } });
  return {
    tenant,
    service,
    payment,
    dispute,
    ctx,
    sent,
    now: () => getDispute(ctx, { id }),
    async respond(kind: "submit" | "accept") {
      const path = `/v1/disputes/${id}/${kind}`;
      const asked = testContext(service, tenant.merchant.test, {
        idempotency: testIdempotency(randomUUID(), sha256(path), null),
        request: { id: newId(), endpoint: `${kind}Dispute`, path },
      });
      try {
        const { status } = await (kind === "submit" ? submitDispute : acceptDispute)(asked, { id });
        return { kind, status };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return { kind, status: error.status };
      }
    },
    async told() {
      const events = (await eventsAsTold(db, tenant.environmentId)).map(({ event }) => event);
      return events.filter(({ data }) => data.object.object === "dispute").map(({ type }) => type);
    },
  };
}

test("of a submission and an acceptance at once one reaches the bank, and the other is refused", async () => {
  for (let round = 0; round < 5; round++) {
    const { respond, sent, now, told } = await disputed();
    const results = await Promise.all([respond("submit"), respond("accept")]);
    const [winner, ...others] = results.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    expect(results.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
    expect(sent).toEqual([winner?.kind]);
    const [status, event] =
      winner?.kind === "submit"
        ? ["UNDER_REVIEW", "dispute.evidence_submitted"]
        : (["ACCEPTED", "dispute.accepted"] as const);
    expect((await now()).status).toBe(status);
    expect(await told()).toEqual(["dispute.opened", "dispute.updated", event]);
  }
  expect(await broken()).toEqual([]);
});

test("evidence that is removed while its submission begins is not submitted without any", async () => {
  const { service, dispute, respond, ctx, sent, now } = await disputed();
  const { processors } = service;
  let removing: Promise<unknown> | undefined;
  service.processors = {
    ...processors,
    async reporter(name) {
      // Between the submission's first read of the dispute and its intent.
      removing ??= updateDispute(ctx, { id: dispute.id, evidence: { notes: null } });
      await removing;
      return processors.reporter(name);
    },
  };
  expect(await respond("submit")).toEqual({ kind: "submit", status: 400 });
  expect([sent, (await now()).status]).toEqual([[], "NEEDS_RESPONSE"]);
});

test("a repeat that reaches the bank while the first call is being decided counts as the same response", async () => {
  const { tenant, service, dispute } = await disputed();
  const account = tenant.environmentId;
  const evidence = { texts: { notes: "Signed for." }, shippedAt: null, files: [] };
  const request = { kind: "submit" as const, account, dispute: dispute.name, reference: newId(), evidence };
  let repeat: Promise<unknown> | undefined;
  await db.sql.begin(async (tx) => {
    const first = { id: dispute.name, account, reference: request.reference, now: new Date() };
    await decideSandboxDispute(tx, first, "under_review");
    repeat = service.processors.builtIn("test")?.respondToDispute?.(request);
    const waiting = () => db.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(waiting).toHaveLength(1);
  });
  expect(await repeat).toEqual({ kind: "sent" });
});

test("a refund that acknowledges the dispute passes until the dispute is accepted, and none afterwards", async () => {
  const { reached, release, hold } = latch();
  const { tenant, payment, respond, now } = await disputed(hold);
  const accepting = respond("accept");
  await reached;
  expect((await tenant.act("refund", payment.id, { amount: 1_000 })).code).toBe("payment_disputed");
  expect((await tenant.act("refund", payment.id, REFUND)).status).toBe(201);
  release();
  expect((await accepting).status).toBe(200);
  expect((await now()).status).toBe("ACCEPTED");
  expect((await tenant.act("refund", payment.id, REFUND)).code).toBe("payment_disputed");
  expect((await tenant.get(payment.id)).amount_refunded).toBe(1_000);
  expect(await broken()).toEqual([]);
});

test("of refunds that begin while a dispute is accepted each is made once or refused, and the books agree", async () => {
  const { tenant, payment, respond } = await disputed();
  const results = await Promise.all([
    respond("accept").then(() => null),
    ...Array.from({ length: 8 }, () => tenant.act("refund", payment.id, REFUND)),
  ]);
  const refunds = results.filter((result) => result !== null);
  for (const { code } of refunds) expect([null, "payment_disputed"]).toContain(code);
  const made = refunds.filter(({ code }) => code === null).length;
  expect((await tenant.get(payment.id)).amount_refunded).toBe(made * REFUND.amount);
  expect(await broken()).toEqual([]);
});

test("a report that arrives after a dispute was won, with what was read before, neither reopens it nor moves money", async () => {
  const { tenant, service, payment, dispute, ctx, now, told } = await disputed();
  await dispute.becomes({ status: "under_review", respond_by: null });
  const sandbox = service.processors.builtIn("test") as Processor;
  const { reached, release, hold } = latch();
  const slow = {
    ...sandbox,
    async readDispute(id: string) {
      const read = (await sandbox.readDispute?.(id)) ?? null;
      await hold();
      return read;
    },
  };
  const [operation] = await tenant.operations(payment.id);
  const late = recordDispute(
    service,
    { processor: slow, mode: "test", environmentId: tenant.environmentId },
    {
      id: newId(),
      dispute: dispute.name,
      account: tenant.environmentId,
      reference: operation?.id as string,
    },
  );
  await reached;
  await dispute.becomes({ status: "won" });
  const before = [await now(), await getBalance(ctx), await told()];
  expect(before[2]).toEqual(["dispute.opened", "dispute.updated", "dispute.evidence_submitted", "dispute.won"]);
  release();
  expect(await late).toBe(true);
  expect([await now(), await getBalance(ctx), await told()]).toEqual(before);
  expect(await tenant.get(payment.id)).toMatchObject({ dispute: { status: "WON" }, amount_refundable: 10_000 });
  expect(await broken()).toEqual([]);
});
