import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  CARD,
  CHALLENGED,
  codeOf,
  countPayments,
  DECLINED,
  expectCleanBooks,
  expireSessions,
} from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { TEST_SECRET, testIdempotency } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { linkShops } from "@/e2e/fixtures/payment-links";
import { holds, losesAnswer } from "@/e2e/fixtures/scripted-processor";
import { checkoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { decodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { createSecret } from "@/lib/secret";
import { rotateSecret } from "../secret-keys";
import { cancelClientSession, createClientSession, listClientSessions } from "./client-sessions";
import { findPaymentLink, openPaymentLink, removeUntriedSessions } from "./open-link";
import { findCheckout, payClientSession, tokenizeForSession } from "./pay-session";

const { db } = await testDatabase({ max: 20 });
const { contextOf, newPlan, rowsOf, sell } = linkShops(db);

describe("a reusable link", () => {
  test("gives every shopper a session, and a browser back the one it can still pay", async () => {
    const shop = await sell();
    const [first, second] = [await shop.opened(), await shop.opened()];
    expect(second).not.toBe(first);
    expect(await shop.opened(first)).toBe(first);
    expect((await shop.pay(first)).state.status).toBe("COMPLETED");
    const third = await shop.opened(first);
    expect(third).not.toBe(first);
    expect((await shop.pay(third)).state.status).toBe("COMPLETED");
    expect(await shop.get()).toMatchObject({
      status: "ACTIVE",
      opened: 3,
      sales: { count: 2, capped: false, captured: [{ currency: "USD", amount: 3_998 }] },
    });
    await expectCleanBooks(db);
  });

  test("doesn't use another link's session or the merchant's own for its shopper", async () => {
    const [shop, other] = [await sell(), await sell()];
    const foreign = await other.opened();
    expect(await shop.opened(foreign)).not.toBe(foreign);
    const own = JSON.parse((await createClientSession(contextOf(shop.tenant), OWN_SESSION)).body);
    expect(await shop.opened(own.client_session_token)).not.toBe(own.client_session_token);
    expect(await shop.opened("not a token")).toMatch(/^cst_/);
  });

  test("returns a browser whose payment is in progress to it", async () => {
    const shop = await sell();
    const token = await shop.opened();
    const hold = holds();
    shop.tenant.script.next(hold.step);
    const paying = shop.pay(token);
    await hold.reached;
    expect(await shop.opened(token)).toBe(token);
    hold.release();
    expect((await paying).state.status).toBe("COMPLETED");
  });

  test("charges the shopper the price that the form showed, even if the link has changed since", async () => {
    const shop = await sell();
    const token = await shop.opened();
    await shop.change({ description: "A big poster" });
    expect((await findCheckout(shop.tenant.service, token))?.row.description).toBe("A poster");
    const { state } = await shop.pay(token);
    expect(await shop.tenant.get(state.payment?.id ?? "")).toMatchObject({ description: "A poster", amount: 1_999 });
  });

  test("gives a returning browser a form with the current texts", async () => {
    const shop = await sell();
    const token = await shop.opened();
    await shop.change({ description: "A big poster" });
    const again = await shop.opened(token);
    expect(again).not.toBe(token);
    const { state } = await shop.pay(again);
    expect(await shop.tenant.get(state.payment?.id ?? "")).toMatchObject({ description: "A big poster" });
  });

  test("puts the link's id on the payment, and emits no event for visitors", async () => {
    const shop = await sell();
    const { state } = await shop.pay(await shop.opened());
    expect(await shop.tenant.get(state.payment?.id ?? "")).toMatchObject({
      description: "A poster",
      amount: 1_999,
      metadata: { payment_link_id: shop.link.id },
    });
    const events = await db.sql`select type from events where environment_id = ${shop.tenant.environmentId}`;
    expect(events.map(({ type }) => type)).not.toContain("client_session.created");
    expect(events.map(({ type }) => type)).toContain("payment.captured");
  });
});

const OWN_SESSION = {
  mode: "payment" as const,
  plan_id: null,
  amount: 100,
  currency: "USD",
  customer_id: null,
  customer_email: null,
  customer_name: null,
  billing_address: null,
  capture_method: "automatic" as const,
  allowed_origins: [],
  return_url: null,
  appearance: null,
  metadata: {},
};

describe("a single-use link", () => {
  test("gives all concurrent visitors one session", async () => {
    const shop = await sell({ single_use: true });
    const tokens = await Promise.all(Array.from({ length: 12 }, () => shop.opened()));
    expect(new Set(tokens).size).toBe(1);
    expect(await rowsOf(shop.tenant)).toEqual({ all: 1, open: 1 });
    expect(await shop.get()).toMatchObject({ opened: 1 });
  });

  test("is paid once by concurrent shoppers, and is sold from then on", async () => {
    const shop = await sell({ single_use: true });
    const openAndPay = async () => {
      const found = await shop.open();
      return "token" in found ? codeOf(shop.pay(found.token)) : found.status;
    };
    const outcomes = await Promise.all(Array.from({ length: 10 }, openAndPay));
    expect(outcomes.filter((code) => code === "ok")).toHaveLength(1);
    expect(await countPayments(db, shop.tenant)).toEqual({ all: 1, paid: 1 });
    expect(await shop.open()).toEqual({ status: "COMPLETED" });
    expect((await shop.get()).status).toBe("COMPLETED");
    await expectCleanBooks(db);
  });

  test("stays with a session whose payment is in progress, though it and the link have expired", async () => {
    const shop = await sell({ single_use: true });
    const token = await shop.opened();
    const hold = holds();
    shop.tenant.script.next(hold.step);
    const paying = shop.pay(token);
    await hold.reached;
    await expireSessions(db, shop.tenant);
    expect(await shop.opened()).toBe(token);
    await shop.change({ active: false });
    expect(await shop.opened()).toBe(token);
    hold.release();
    expect((await paying).state.status).toBe("COMPLETED");
    await shop.change({ active: true });
    expect(await shop.open()).toEqual({ status: "COMPLETED" });
    expect(await countPayments(db, shop.tenant)).toEqual({ all: 1, paid: 1 });
    await expectCleanBooks(db);
  });

  test("stays with a session whose payment has an unknown outcome", async () => {
    const shop = await sell({ single_use: true });
    const token = await shop.opened();
    shop.tenant.script.next(losesAnswer);
    expect((await shop.pay(token)).state.status).toBe("PROCESSING");
    await expireSessions(db, shop.tenant);
    expect(await shop.opened()).toBe(token);
    expect(await codeOf(shop.pay(token))).toBe("invalid_state");
    await shop.tenant.endLeases();
    await shop.tenant.complete();
    expect(await shop.open()).toEqual({ status: "COMPLETED" });
    expect(await countPayments(db, shop.tenant)).toEqual({ all: 1, paid: 1 });
  });

  test("stays with a session that waits for its shopper's bank", async () => {
    const shop = await sell({ single_use: true });
    const token = await shop.opened();
    expect((await shop.pay(token, CHALLENGED)).state.status).toBe("REQUIRES_ACTION");
    await expireSessions(db, shop.tenant);
    expect(await shop.opened()).toBe(token);
  });

  test("replaces a session that is over, whose cards then pay nothing, even by an earlier token", async () => {
    const shop = await sell({ single_use: true });
    const old = await shop.opened();
    const { payment_token } = await shop.pay(old, CARD, { mode: "tokenize" });
    await expireSessions(db, shop.tenant);
    const [fresh, again] = await Promise.all([shop.opened(), shop.opened()]);
    expect(fresh).not.toBe(old);
    expect(again).toBe(fresh);
    expect(await rowsOf(shop.tenant)).toEqual({ all: 2, open: 1 });
    const paid = await shop.tenant.create({ amount: 1_999, currency: "USD", payment_token: payment_token?.id });
    expect(paid.status).not.toBe(201);
    expect(await codeOf(shop.pay(old))).toBe("invalid_state");
    expect((await shop.pay(fresh)).state.status).toBe("COMPLETED");
    expect(await countPayments(db, shop.tenant)).toEqual({ all: 1, paid: 1 });
  });

  test("replaces a session that is cancelled or has no attempts left", async () => {
    const shop = await sell({ single_use: true });
    const tokens = [await shop.opened()];
    const found = await findCheckout(shop.tenant.service, tokens[0] ?? "");
    const { data } = await listClientSessions(contextOf(shop.tenant), { payment_link_id: shop.link.id });
    expect((await listClientSessions(contextOf(shop.tenant), {})).total, "nobody tried to pay it").toBe(0);
    await cancelClientSession(contextOf(shop.tenant), { id: data[0]?.id ?? "" });
    expect(found?.row.status).toBe("OPEN");
    tokens.push(await shop.opened());
    for (let i = 0; i < 5; i++) await shop.pay(tokens[1] ?? "", DECLINED);
    tokens.push(await shop.opened());
    expect(new Set(tokens).size).toBe(3);
    expect((await shop.pay(tokens[2] ?? "")).state.status).toBe("COMPLETED");
  });

  test("that is paid and opened at the very moment in which its session is replaced is paid once", async () => {
    const tenant = await moneyTenant(db);
    for (let round = 0; round < 8; round++) {
      const plan = await newPlan(tenant, { name: `Poster ${round}` });
      const shop = await sell({ plan_id: plan.id, single_use: true }, tenant);
      const old = await shop.opened();
      // The open session's price now differs from the plan's, so the next visitor's session replaces it.
      await plan.reprice(7);
      const [paid, replaced] = await Promise.all([codeOf(shop.pay(old)), shop.open(), shop.open()]);
      const token = "token" in replaced ? replaced.token : null;
      if (paid === "ok") expect(token === null || token === old).toBe(true);
      else expect(token).not.toBe(old);
      if (token !== null) await codeOf(shop.pay(token));
      expect((await shop.get()).sales.count).toBe(1);
    }
    await expectCleanBooks(db);
  });

  test("loses nothing if opening it fails midway", async () => {
    const shop = await sell({ single_use: true });
    await db.sql.unsafe(`create function refuse_opening() returns trigger language plpgsql as $$
      begin if new.id = '${decodeId("paymentLink", shop.link.id)}' then raise exception 'broken'; end if; return new; end $$`);
    await db.sql.unsafe(
      "create trigger refuse_opening before update of session_id on payment_links for each row execute function refuse_opening()",
    );
    await expect(shop.open()).rejects.toMatchObject({ cause: { message: "broken" } });
    expect(await rowsOf(shop.tenant)).toEqual({ all: 0, open: 0 });
    await db.sql.unsafe("drop trigger refuse_opening on payment_links");
    expect((await shop.pay(await shop.opened())).state.status).toBe("COMPLETED");
  });

  test("leads to the same form after the service's secret has changed", async () => {
    const shop = await sell({ single_use: true });
    const token = await shop.opened();
    const next = "another secret for the links, 32 characters and more";
    await rotateSecret(db.orm, createSecret(next, [TEST_SECRET]));
    const service = { ...shop.tenant.service, secret: createSecret(next) };
    const found = await findPaymentLink(service, shop.address);
    if (found === null) throw new Error("the link is there");
    expect(await openPaymentLink(service, found, { known: null, beforeNew: () => {} })).toEqual({ token });
    await rotateSecret(db.orm, createSecret(TEST_SECRET, [next]));
  });
});

describe("a link that no longer sells", () => {
  test("begins no attempt once it is switched off, even one that was looked at before", async () => {
    const shop = await sell();
    const token = await shop.opened();
    const { payment_token } = await shop.pay(token, CARD, { mode: "tokenize" });
    const checkout = await findCheckout(shop.tenant.service, token);
    if (checkout === null) throw new Error("the session is there");
    await shop.change({ active: false });
    const body = checkoutAttemptBody.parse({ attempt: "a", card: CARD });
    const shopper = () =>
      contextOf(shop.tenant, {
        actor: { type: "shopper", id: newId() },
        idempotency: testIdempotency(randomUUID(), Buffer.alloc(32), null),
      });
    const late = (operation: typeof payClientSession | typeof tokenizeForSession) =>
      codeOf(Promise.resolve(operation(shopper(), checkout, body)));
    expect(await late(payClientSession)).toBe("invalid_state");
    expect(await late(tokenizeForSession)).toBe("invalid_state");
    expect(await codeOf(shop.pay(token))).toBe("plan_not_active");
    expect((await shop.state(token)).status).toBe("CANCELLED");
    const paid = await shop.tenant.create({ amount: 1_999, currency: "USD", payment_token: payment_token?.id });
    expect(paid.status).not.toBe(201);
    expect(await shop.open()).toEqual({ status: "INACTIVE" });
    expect(await countPayments(db, shop.tenant)).toEqual({ all: 0, paid: 0 });

    await shop.change({ active: true });
    expect((await shop.pay(token)).state.status).toBe("COMPLETED");
  });

  test("lets a payment in progress finish", async () => {
    const shop = await sell();
    const token = await shop.opened();
    const hold = holds();
    shop.tenant.script.next(hold.step);
    const paying = shop.pay(token);
    await hold.reached;
    await shop.change({ active: false });
    hold.release();
    expect((await paying).state.status).toBe("COMPLETED");
    await expectCleanBooks(db);
  });

  test("ends with its time, and its sessions do not outlive it", async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const shop = await sell({ expires_at: soon });
    const token = await shop.opened();
    expect((await shop.state(token)).expires_at).toBe(soon);
    await db.sql`update payment_links set expires_at = now() - interval '1 second' where token = ${shop.address}`;
    expect((await shop.state(token)).status).toBe("EXPIRED");
    expect(await codeOf(shop.pay(token))).toBe("plan_not_active");
    expect(await shop.open()).toEqual({ status: "EXPIRED" });
    await shop.change({ expires_at: null });
    expect(await shop.status()).toBe("ACTIVE");
  });

  test("follows its plan: the price is that of the opening, and a plan that is not for sale ends it", async () => {
    const tenant = await moneyTenant(db);
    const plan = await newPlan(tenant);
    const shop = await sell({ plan_id: plan.id }, tenant);
    await plan.reprice(7);
    expect(await shop.get()).toMatchObject({ amount: 700, plan_name: "Poster" });
    expect((await shop.pay(await shop.opened())).state.status).toBe("COMPLETED");
    expect((await shop.get()).sales.captured).toEqual([{ currency: "USD", amount: 700 }]);
    await plan.stop();
    expect(await shop.open()).toEqual({ status: "PLAN_INACTIVE" });
  });
});

describe("sessions of visitors", () => {
  test("are deleted a week after they expired; sessions with an attempt, and a single-use link's own, stay", async () => {
    const tenant = await moneyTenant(db);
    const [many, once] = [await sell({}, tenant), await sell({ single_use: true }, tenant)];
    await many.opened();
    const tried = await many.opened();
    await many.pay(tried, DECLINED);
    const tokenized = await many.opened();
    await many.pay(tokenized, CARD, { mode: "tokenize" });
    const held = await once.opened();
    const age = (interval: string) =>
      db.sql`update client_sessions set expires_at = now() - ${interval}::interval where environment_id = ${tenant.environmentId}`;
    await age("6 days");
    await removeUntriedSessions(tenant.service);
    expect((await rowsOf(tenant)).all).toBe(4);
    await age("8 days");
    await removeUntriedSessions(tenant.service);
    expect((await rowsOf(tenant)).all).toBe(3);
    for (const token of [tried, tokenized, held]) expect(await findCheckout(tenant.service, token)).not.toBeNull();
    expect((await many.get()).opened).toBe(3);
    await expectCleanBooks(db);
  });
});
