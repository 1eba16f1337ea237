import { describe, expect, test } from "vitest";
import { connect } from "@/db/client";
import { CARD, CHALLENGED, codeOf, DECLINED, expectCleanBooks, openShop } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { eventsAsTold } from "@/e2e/fixtures/events";
import { testContext, testPaymentToken, testService } from "@/e2e/fixtures/factories";
import type { MoneyTenant } from "@/e2e/fixtures/money";
import { linkShops } from "@/e2e/fixtures/payment-links";
import { holds, losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { openReceiver, workUntil } from "@/e2e/fixtures/webhooks";
import { decodeId } from "@/lib/contract/ids";
import { getEvent } from "../events/read-events";
import { continuePayment } from "../payments/follow-up";
import { recoverOperations } from "../payments/recover-operations";
import { WebhookWorker } from "../webhooks/deliver";
import { createWebhookEndpoint } from "../webhooks/endpoints";
import { emitExpiredSessions } from "./expire-sessions";

const { db, url } = await testDatabase({ max: 20 });
const { sell } = linkShops(db);

/** Events of a session, oldest first. */
async function told({ environmentId }: MoneyTenant, id: string) {
  const events = (await eventsAsTold(db, environmentId)).map(({ event }) => event);
  return events.filter((event) => event.data.object.id === id);
}
const namesOf = async (tenant: MoneyTenant, id: string) =>
  (await told(tenant, id)).map(({ type, sequence }) => `${sequence} ${type}`);

const CREATED = "1 client_session.created";
const COMPLETED = [CREATED, "2 client_session.completed"];
const EXPIRED = [CREATED, "2 client_session.expired"];

/** Simulates the passage of time: open sessions are past their expiry. */
const passTime = ({ environmentId }: MoneyTenant) =>
  db.sql`update client_sessions set expires_at = least(expires_at, now()) - interval '1 minute'
    where environment_id = ${environmentId} and status = 'OPEN'`;

/** Simulates five concurrent processes, each with its own connections. */
async function fiveProcesses<T>(work: (service: ReturnType<typeof testService>) => Promise<T>): Promise<T[]> {
  const pools = Array.from({ length: 5 }, () => connect(url, { max: 3 }));
  try {
    return await Promise.all(pools.map((pool) => work(testService(pool))));
  } finally {
    await Promise.all(pools.map((pool) => pool.close()));
  }
}

describe("completed", () => {
  test("has the session as the API shows it, in the commit of its payment", async () => {
    const shop = await openShop(db, { metadata: { order: "42" }, capture_method: "manual" });
    const before = await shop.get();
    await shop.pay({ card: DECLINED });
    await shop.pay();
    expect(await namesOf(shop.tenant, shop.id)).toEqual(COMPLETED);
    const [, completed] = await told(shop.tenant, shop.id);
    const now = await shop.get();
    expect(now).toMatchObject({ status: "COMPLETED", attempts_left: 3, payment_id: expect.stringMatching(/^pay_/) });
    expect(completed?.data.object).toEqual(now);
    expect(completed?.data.previous).toEqual({
      status: "OPEN",
      payment_id: null,
      updated_at: expect.not.stringMatching(before.updated_at),
    });
    const shown = await getEvent(testContext(shop.tenant.service, shop.tenant.merchant.test), {
      id: completed?.id as string,
    });
    expect(shown).toEqual(completed);
    const commits = await db.sql`select distinct xid::text, operation_id from events
      where environment_id = ${shop.tenant.environmentId} and type in ('payment.authorized', 'client_session.completed')`;
    expect(commits).toHaveLength(1);
    await expectCleanBooks(db);
  });

  test("is emitted after a passed challenge, and not while it waits", async () => {
    const shop = await openShop(db);
    const { state } = await shop.pay({ card: CHALLENGED });
    expect(await namesOf(shop.tenant, shop.id)).toEqual([CREATED]);
    const { service, merchant } = shop.tenant;
    await continuePayment(service, merchant.test, decodeId("payment", state.payment?.id ?? "") as string, "passed");
    expect(await namesOf(shop.tenant, shop.id)).toEqual(COMPLETED);
    await expectCleanBooks(db);
  });

  test("is emitted once if five processes learn an unknown outcome", async () => {
    const shop = await openShop(db);
    shop.tenant.script.next(losesAnswer);
    await shop.pay();
    expect(await namesOf(shop.tenant, shop.id)).toEqual([CREATED]);
    await passTime(shop.tenant);
    await emitExpiredSessions(shop.tenant.service);
    expect(await codeOf(shop.cancel())).toBe("outcome_pending");
    await shop.tenant.endLeases();
    await fiveProcesses(async (service) => {
      await recoverOperations(service);
      await emitExpiredSessions(service);
    });
    expect(await namesOf(shop.tenant, shop.id)).toEqual(COMPLETED);
    expect((await told(shop.tenant, shop.id))[1]?.data.object).toEqual(await shop.get());
    await expectCleanBooks(db);
  });

  test("is emitted for a session that expired before an earlier token paid it", async () => {
    const shop = await openShop(db);
    const { tenant } = shop;
    const token = await testPaymentToken(testContext(tenant.service, tenant.merchant.test), {
      card: CARD,
      clientSessionId: decodeId("clientSession", shop.id),
    });
    await passTime(tenant);
    expect(await emitExpiredSessions(tenant.service)).toBe(1);
    expect(await tenant.create({ amount: 1_999, payment_token: token.id })).toMatchObject({ status: 201 });
    expect(await namesOf(tenant, shop.id)).toEqual([...EXPIRED, "3 client_session.completed"]);
    expect((await told(tenant, shop.id))[2]?.data.object).toEqual(await shop.get());
    await expectCleanBooks(db);
  });

  test("the outcome is recorded whatever the session's state, and no false event is emitted", async () => {
    const shop = await openShop(db);
    const { tenant } = shop;
    const held = holds();
    tenant.script.next(held.step);
    const paying = shop.pay();
    await held.reached;
    await db.sql`update client_sessions set status = 'CANCELLED', open_payment_id = null
      where environment_id = ${tenant.environmentId}`;
    held.release();
    await paying;
    const payments = await db.sql`select status from payments where environment_id = ${tenant.environmentId}`;
    expect([...payments]).toEqual([{ status: "CAPTURED" }]);
    expect(await namesOf(tenant, shop.id)).toEqual([CREATED]);
    await db.sql`update client_sessions s set status = 'COMPLETED', payment_id = p.id from payments p
      where s.environment_id = ${tenant.environmentId} and p.environment_id = s.environment_id`;
    await expectCleanBooks(db);
  });

  test("a session that a link opened emits nothing, paid or expired", async () => {
    const shop = await sell();
    await shop.pay(await shop.opened());
    await shop.opened();
    await passTime(shop.tenant);
    await emitExpiredSessions(shop.tenant.service);
    const types = await db.sql`select type from events where environment_id = ${shop.tenant.environmentId}`;
    expect(types.map(({ type }) => type)).toContain("payment.captured");
    expect(types.filter(({ type }) => type.startsWith("client_session."))).toEqual([]);
  });
});

describe("expired", () => {
  test("five processes emit one event per session, as the API shows it", async () => {
    const shop = await openShop(db);
    const sessions = [shop];
    for (let more = 0; more < 19; more++) sessions.push({ ...shop, ...(await shop.open()) });
    const before = await shop.get();
    expect(await emitExpiredSessions(shop.tenant.service)).toBe(0);
    await passTime(shop.tenant);
    const counts = await fiveProcesses(async (service) => {
      return (await emitExpiredSessions(service)) + (await emitExpiredSessions(service));
    });
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(20);
    expect(await emitExpiredSessions(shop.tenant.service)).toBe(0);
    for (const session of sessions) expect(await namesOf(shop.tenant, session.id)).toEqual(EXPIRED);
    const [, expired] = await told(shop.tenant, shop.id);
    const now = await shop.get();
    expect(expired?.data).toEqual({ object: now, previous: { status: "OPEN" } });
    expect(now).toEqual({ ...before, status: "EXPIRED", expires_at: now.expires_at });
    expect(await codeOf(shop.cancel())).toBe("invalid_state");
    expect(await namesOf(shop.tenant, shop.id)).toEqual(EXPIRED);
    await expectCleanBooks(db);
  });

  test("a process that dies after claiming a session emits nothing, and the next one does", async () => {
    const shop = await openShop(db);
    await passTime(shop.tenant);
    const doomed = connect(url, { max: 2, applicationName: "doomed" });
    const stopped = await db.sql.begin(async (tx) => {
      await tx`lock table events in exclusive mode`;
      const telling = emitExpiredSessions(testService(doomed)).catch((error: Error) => error);
      const taken = async () => {
        const rows = await db.sql`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'doomed' and wait_event_type = 'Lock'`;
        expect(rows).toHaveLength(1);
      };
      await expect
        .poll(() =>
          taken().then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
      return telling;
    });
    await doomed.close();
    expect(stopped).toBeInstanceOf(Error);
    expect(await namesOf(shop.tenant, shop.id)).toEqual([CREATED]);
    expect(await emitExpiredSessions(shop.tenant.service)).toBe(1);
    expect(await namesOf(shop.tenant, shop.id)).toEqual(EXPIRED);
  });

  test("is emitted after the last attempt, whatever the time", async () => {
    const shop = await openShop(db);
    for (let left = 5; left > 0; left--) await shop.pay({ card: DECLINED });
    expect(await shop.get()).toMatchObject({ status: "EXPIRED", attempts_left: 0 });
    // Expired; the job allows requests of the same moment a few seconds.
    await db.sql`update client_sessions set expires_at = expires_at - interval '5 s' where environment_id = ${shop.tenant.environmentId}`;
    expect(await emitExpiredSessions(shop.tenant.service)).toBe(1);
    expect(await namesOf(shop.tenant, shop.id)).toEqual(EXPIRED);
  });

  test("a session that has just expired is skipped: a request that began before may still pay it", async () => {
    const shop = await openShop(db);
    await db.sql`update client_sessions set expires_at = now() - interval '1 ms' where environment_id = ${shop.tenant.environmentId}`;
    expect(await emitExpiredSessions(shop.tenant.service)).toBe(0);
    await passTime(shop.tenant);
    expect(await emitExpiredSessions(shop.tenant.service)).toBe(1);
  });

  test("waits for a payment in progress, and is emitted once that is declined", async () => {
    const shop = await openShop(db);
    const held = holds();
    shop.tenant.script.next(held.step);
    const paying = shop.pay({ card: DECLINED });
    await held.reached;
    await passTime(shop.tenant);
    expect(await emitExpiredSessions(shop.tenant.service)).toBe(0);
    held.release();
    await paying;
    expect(await emitExpiredSessions(shop.tenant.service)).toBe(1);
    expect(await namesOf(shop.tenant, shop.id)).toEqual(EXPIRED);
  });

  test("is not emitted for sessions that were paid or cancelled before", async () => {
    const shop = await openShop(db);
    const other = await shop.open();
    await shop.pay();
    await other.cancel();
    await db.sql`update client_sessions set expires_at = now() - interval '1 day' where environment_id = ${shop.tenant.environmentId}`;
    expect(await emitExpiredSessions(shop.tenant.service)).toBe(0);
    expect(await namesOf(shop.tenant, other.id)).toEqual([CREATED, "2 client_session.cancelled"]);
  });

  test("a merchant with many expired sessions does not delay another's", async () => {
    const many = await openShop(db);
    await Promise.all(Array.from({ length: 120 }, () => many.open()));
    const few = await openShop(db);
    await passTime(many.tenant);
    await passTime(few.tenant);
    const { service } = few.tenant;
    expect(await emitExpiredSessions(service)).toBe(51);
    expect(await namesOf(few.tenant, few.id)).toEqual(EXPIRED);
    expect([await emitExpiredSessions(service), await emitExpiredSessions(service)]).toEqual([50, 21]);
    expect(await emitExpiredSessions(service)).toBe(0);
  });
});

test("webhooks deliver both events", async () => {
  const receiver = await openReceiver();
  try {
    const shop = await openShop(db);
    const { service, merchant } = shop.tenant;
    await createWebhookEndpoint(testContext(service, merchant.test), {
      url: receiver.url,
      description: null,
      payload: "full",
      signature: "v1",
      event_types: ["client_session.completed", "client_session.expired"],
    });
    const left = await shop.open();
    await shop.pay();
    await passTime(shop.tenant);
    await emitExpiredSessions(service);
    const worker = new WebhookWorker(service);
    await workUntil(worker, () => receiver.received.length === 2);
    await worker.settled();
    const brought = receiver.received.map(({ body }) => JSON.parse(body));
    const expected = [...(await told(shop.tenant, shop.id)), ...(await told(shop.tenant, left.id))];
    const byId = (one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id);
    expect(brought.toSorted(byId)).toEqual(expected.filter(({ sequence }) => sequence === 2).toSorted(byId));
  } finally {
    await receiver.close();
  }
});
