import { describe, expect, test } from "vitest";
import { CARD, CHALLENGED, codeOf, countPayments, DECLINED, openShop } from "@/e2e/fixtures/checkout";
import { testDatabase } from "@/e2e/fixtures/database";
import { eventsAsTold } from "@/e2e/fixtures/events";
import { testContext } from "@/e2e/fixtures/factories";
import { consentTexts } from "@/lib/contract/checkout/consent";
import { decodeId } from "@/lib/contract/ids";
import { getPaymentMethod, listPaymentMethods } from "../payment-methods/payment-methods";
import { continueChallenge, findChallenge } from "../payments/challenges";

const { db } = await testDatabase({ max: 20 });

const SETUP = { mode: "setup", customer_id: "ann", amount: null, currency: null };

/** A merchant with a setup session, and the sentence that its form shows. */
async function openSetup(body: object = {}) {
  const shop = await openShop(db, { ...SETUP, ...body });
  const { merchant, service } = shop.tenant;
  const [row] = await db.sql<{ name: string }[]>`select name from merchants where id = ${merchant.test.merchantId}`;
  const consent = consentTexts(row?.name ?? "", null).en;
  const ctx = () => testContext(service, merchant.test);
  const methods = async () => (await listPaymentMethods(ctx(), { customer_id: "ann" })).data;
  return { ...shop, ctx, consent, methods };
}

const challengeToken = (url: string | undefined) => (url ?? "").replace(/^.*\/challenge\//, "");

describe("a setup session", () => {
  test("stores the checked card with the shopper's agreement, and charges nothing", async () => {
    const shop = await openSetup({ return_url: "https://shop.example/account" });
    expect(await shop.get()).toMatchObject({ mode: "setup", amount: null, currency: null, payment_method_id: null });
    const { state } = await shop.pay({ consent: shop.consent });
    const session = await shop.get();
    expect(session).toMatchObject({ status: "COMPLETED", payment_id: null, subscription_id: null, attempts_left: 4 });
    expect(state).toMatchObject({ status: "COMPLETED", payment: null, payment_method_id: session.payment_method_id });
    expect(state.return_url).toContain(`payment_method_id=${session.payment_method_id}`);
    const method = await getPaymentMethod(shop.ctx(), { id: session.payment_method_id ?? "" });
    expect(method).toMatchObject({
      customer_id: "ann",
      status: "ACTIVE",
      card: { last4: "4242" },
      consent: { text: shop.consent, ip: expect.any(String), at: expect.any(String) },
    });
    expect(await countPayments(db, shop.tenant)).toEqual({ all: 0, paid: 0 });
    const events = (await eventsAsTold(db, shop.tenant.environmentId)).map(({ event }) => event);
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      "client_session.completed",
      "client_session.created",
      "payment_method.created",
    ]);
    expect(events.find(({ type }) => type === "client_session.completed")?.data).toMatchObject({
      object: session,
      previous: { status: "OPEN", payment_method_id: null },
    });
  });

  test("takes no card without the shopper's agreement to the sentence that was shown", async () => {
    const shop = await openSetup();
    expect(await codeOf(shop.pay())).toBe("missing_parameter");
    expect(await codeOf(shop.pay({ consent: `${shop.consent} Or so.` }))).toBe("invalid_state");
    expect(await shop.methods()).toEqual([]);
    expect((await shop.state()).attempts_left).toBe(5);
  });

  test("a declined card is stored nowhere, and the shopper tries another one", async () => {
    const shop = await openSetup();
    const { state } = await shop.pay({ card: DECLINED, consent: shop.consent });
    expect(state).toMatchObject({ status: "OPEN", failure: "card_declined", attempts_left: 4 });
    expect(await shop.methods()).toEqual([]);
    expect((await shop.pay({ consent: shop.consent })).state.status).toBe("COMPLETED");
    expect(await shop.methods()).toHaveLength(1);
  });

  test("closes after five declined cards", async () => {
    const shop = await openSetup();
    for (let i = 0; i < 5; i++) await shop.pay({ card: DECLINED, consent: shop.consent });
    expect(await shop.state()).toMatchObject({ status: "EXPIRED", attempts_left: 0 });
    expect((await shop.get()).status).toBe("EXPIRED");
    expect(await codeOf(shop.pay({ consent: shop.consent }))).toBe("invalid_state");
  });

  test.each([
    ["passed", "COMPLETED", 1],
    ["failed", "OPEN", 0],
    ["abandoned", "OPEN", 0],
  ] as const)("waits for the issuer's challenge: %s", async (result, status, stored) => {
    const shop = await openSetup();
    const { state } = await shop.pay({ card: CHALLENGED, consent: shop.consent });
    expect(state).toMatchObject({ status: "REQUIRES_ACTION", payment: null, action: { url: expect.any(String) } });
    expect(await codeOf(shop.pay({ consent: shop.consent }))).toBe("invalid_state");
    expect(await shop.methods()).toEqual([]);
    const { service } = shop.tenant;
    const challenge = await findChallenge(service, challengeToken(state.action?.url));
    if (!challenge) throw new Error("there is no challenge");
    expect(challenge).toMatchObject({ status: "REQUIRES_ACTION", amount: null, isSandbox: true, processorUrl: null });
    await Promise.all([1, 2, 3].map(() => continueChallenge(service, challenge, result)));
    const after = await shop.state();
    expect(after).toMatchObject({ status, failure: stored ? null : "authentication_failed" });
    expect(await shop.methods()).toHaveLength(stored);
    if (stored) expect((await shop.methods())[0]?.consent?.text).toBe(shop.consent);
  });

  test("a challenge's token with another code leads nowhere", async () => {
    const shop = await openSetup();
    const { state } = await shop.pay({ card: CHALLENGED, consent: shop.consent });
    const token = challengeToken(state.action?.url);
    expect(
      await findChallenge(shop.tenant.service, `${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`),
    ).toBeNull();
  });

  test("an unfinished challenge releases the session after half an hour", async () => {
    const shop = await openSetup();
    await shop.pay({ card: CHALLENGED, consent: shop.consent });
    await db.sql`update client_sessions set card_check = jsonb_set(card_check, '{until}', to_jsonb(now() - interval '1 second'))
      where id = ${decodeId("clientSession", shop.id)}`;
    expect((await shop.state()).status).toBe("OPEN");
    expect((await shop.pay({ consent: shop.consent })).state.status).toBe("COMPLETED");
  });

  test("a challenge that is passed after its time counts as failed, and its card is removed", async () => {
    const shop = await openSetup();
    const { state } = await shop.pay({ card: CHALLENGED, consent: shop.consent });
    await db.sql`update client_sessions set card_check = jsonb_set(card_check, '{until}', to_jsonb(now() - interval '1 second'))
      where id = ${decodeId("clientSession", shop.id)}`;
    const { service } = shop.tenant;
    const challenge = await findChallenge(service, challengeToken(state.action?.url));
    if (!challenge) throw new Error("there is no challenge");
    await continueChallenge(service, challenge, "passed");
    expect(await shop.state()).toMatchObject({ status: "OPEN", failure: "authentication_failed" });
    expect(await shop.methods()).toEqual([]);
    const stored = await db.sql`select outcome, removed_at is not null as removed from sandbox_processor.stored_cards
      where account = ${shop.tenant.environmentId}`;
    expect(stored).toMatchObject([{ outcome: "approved", removed: true }]);
  });

  test("a request that died during the check is not continued once its session has expired", async () => {
    const shop = await openSetup();
    const { processors } = shop.tenant.service;
    const choose = processors.choose.bind(processors);
    const storeCard = () => Promise.reject(new Error("the process dies"));
    Object.assign(processors, {
      async choose(...given: Parameters<typeof choose>) {
        const at = await choose(...given);
        return at && { ...at, processor: { ...at.processor, storeCard } };
      },
    });
    await expect(shop.pay({ attempt: "a", consent: shop.consent })).rejects.toThrow("the process dies");
    Object.assign(processors, { choose });
    await db.sql`update client_sessions set expires_at = now() - interval '1 second',
      card_check = jsonb_set(card_check, '{until}', to_jsonb(now() - interval '1 second'))
      where id = ${decodeId("clientSession", shop.id)}`;
    expect(await codeOf(shop.pay({ attempt: "a", consent: shop.consent }))).toBe("invalid_state");
    expect(await shop.methods()).toEqual([]);
  });

  test("ten clicks and ten tabs store one card", async () => {
    const clicks = await openSetup();
    await Promise.all(Array.from({ length: 10 }, () => clicks.pay({ attempt: "a", consent: clicks.consent })));
    expect(await clicks.methods()).toHaveLength(1);
    const tabs = await openSetup();
    const ends = await Promise.all(Array.from({ length: 10 }, () => codeOf(tabs.pay({ consent: tabs.consent }))));
    expect(ends.filter((end) => end === "ok").length).toBeGreaterThan(0);
    expect(new Set(ends.filter((end) => end !== "ok"))).toEqual(new Set(["invalid_state"]));
    expect(await tabs.methods()).toHaveLength(1);
    expect((await tabs.get()).status).toBe("COMPLETED");
  });

  test("a lost response is recovered under the same reference, within the attempt", async () => {
    const shop = await openSetup();
    const { state } = await shop.pay({ card: { ...CARD, number: "4000000000001976" }, consent: shop.consent });
    expect(state.status).toBe("COMPLETED");
    expect(await shop.methods()).toHaveLength(1);
  });

  test("a check without any outcome counts as failed, and the shopper may try again", async () => {
    const shop = await openSetup();
    const { state } = await shop.pay({ card: { ...CARD, number: "4000000000001968" }, consent: shop.consent });
    expect(state).toMatchObject({ status: "OPEN", failure: "processing_error", attempts_left: 4 });
    expect((await shop.pay({ consent: shop.consent })).state.status).toBe("COMPLETED");
  });

  test("a request that died during the check is continued by its repeat, with one card", async () => {
    const shop = await openSetup();
    const { processors } = shop.tenant.service;
    const original = processors.choose.bind(processors);
    let dies = true;
    Object.assign(processors, {
      async choose(...given: Parameters<typeof original>) {
        const at = await original(...given);
        if (!at || !dies) return at;
        const storeCard = async (request: never) => {
          await at.processor.storeCard?.(request);
          throw new Error("the process dies");
        };
        return { ...at, processor: { ...at.processor, storeCard } };
      },
    });
    await expect(shop.pay({ attempt: "a", consent: shop.consent })).rejects.toThrow("the process dies");
    expect((await shop.state()).status).toBe("PROCESSING");
    dies = false;
    expect((await shop.pay({ attempt: "a", consent: shop.consent })).state.status).toBe("COMPLETED");
    expect(await shop.methods()).toHaveLength(1);
    expect((await shop.state()).attempts_left).toBe(4);
  });

  test("a session that is cancelled during a challenge stores no card", async () => {
    const shop = await openSetup();
    const { state } = await shop.pay({ card: CHALLENGED, consent: shop.consent });
    await shop.cancel();
    const challenge = await findChallenge(shop.tenant.service, challengeToken(state.action?.url));
    if (challenge) await continueChallenge(shop.tenant.service, challenge, "passed");
    expect(await shop.methods()).toEqual([]);
    expect((await shop.get()).status).toBe("CANCELLED");
  });
});
