import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import { createPaymentMethodBody } from "@/lib/contract/payment-methods/payment-method";
import { createPaymentMethod } from "@/lib/domain/payment-methods/store-card";
import { advanceTestClock } from "@/lib/domain/test-clock/test-clock";
import { idTime, newId } from "@/lib/ids";
import { CARDS } from "../fixtures/subscriptions";
import type { BillingVerb } from "./billing";
import type { Answer, Ask, Shop } from "./shop";
import type { Stage } from "./stage";

const DAY_MS = 86_400_000;
const PAUSES_MS = [0, 0, 5, 50, 500, 2_500, 9_000, 15_000];
const POLL_MS = 2_000;
/** Looks at an advancing clock: longer than a dead process's lease on it. */
const MAX_POLLS = 60;

/** Requests of other clients, each with a body. */
type Act = readonly [BillingVerb, (plan: string, card: string) => Record<string, unknown>];
const ACTS: readonly Act[] = [
  ["change", (plan_id) => ({ plan_id, when: "now" })],
  ["change", (plan_id) => ({ plan_id, quantity: 2 })],
  ["update", (_, payment_method_id) => ({ payment_method_id })],
  ["update", () => ({ cancel_at_period_end: true })],
  ["pause", () => ({})],
  ["pause", () => ({})],
  ["resume", () => ({})],
  ["resume", () => ({})],
  ["cancel", () => ({})],
  ["cancel", () => ({ refund: "prorated" })],
  ["retry", () => ({})],
  ["pay", () => ({})],
  ["pay", (_, payment_method_id) => ({ payment_method_id })],
  ["void", () => ({})],
];

/** A customer subscribes, other clients act on the subscription, and the clock advances over its renewals. */
export async function subscription(stage: Stage): Promise<void> {
  const { shop, random, client } = stage;
  const { world } = shop;
  shop.use("billing");
  const [plans, cards] = await setUp(stage);
  const isTrial = random.chance(0.3);
  const made = { id: null as string | null, isGivenUp: world.plan.without.includes("subscriber") };
  const learn = (answer: Answer | null) => {
    const id = answer && answer.status < 300 ? (JSON.parse(answer.text) as { id: string }).id : null;
    made.id ??= id;
  };
  const body = {
    plan_id: plans[0],
    customer_id: "subscriber",
    payment_method_id: random.pick(cards),
    ...(isTrial && { trial_end_at: new Date(world.nowMs + DAY_MS).toISOString() }),
  };
  const ask: Ask = { key: "subscriber", what: "billing", verb: "subscribe", target: "", body };
  const tries = 1 + random.int(3);
  client("subscriber", 0, async () => {
    learn(await stage.persist(ask, tries));
    made.isGivenUp = true;
  });
  if (random.chance(0.3)) {
    client("subscriber repeat", random.pick(PAUSES_MS), async () => learn(await stage.persist(ask, 2)));
  }
  const known = async (): Promise<string | null> => {
    await world.park("waits for the subscription", { isReady: () => made.id !== null || made.isGivenUp });
    return made.id;
  };

  // While the clock advances, writes are refused: acts meet the engine once it has stopped before a renewal.
  const clock = { hasStopped: world.plan.without.includes("clock") };
  const count = 2 + random.int(4);
  for (let i = 1; i <= count; i++) {
    const [verb, bodyOf] = random.pick(ACTS);
    const name = `${verb}${i}`;
    const [pauseMs, attempts, twice] = [random.pick(PAUSES_MS), 1 + random.int(3), random.chance(0.2)];
    const given = bodyOf(random.pick(plans), random.pick(cards));
    const isLate = random.chance(0.6);
    const work = async () => {
      const id = await known();
      if (isLate) await world.park("waits for the clock", { isReady: () => clock.hasStopped });
      await world.timer.wait(isLate ? Math.min(pauseMs, 5_000) : pauseMs);
      const target = verb === "pay" || verb === "void" ? id && (await latestInvoice(shop)) : id;
      if (target) await stage.persist({ key: name, what: "billing", verb, target, body: given }, attempts);
    };
    client(name, 0, work);
    if (twice && verb !== "pay" && verb !== "void") client(`${name} repeat`, random.pick(PAUSES_MS), work);
  }

  const leaps = Array.from({ length: 1 + random.int(3) }, () => random.pick([1, 2, 4, 9]) * DAY_MS);
  const leadMs = random.pick([500, 1_500, 3_000]);
  client("clock", random.pick(PAUSES_MS), async () => {
    await known();
    for (const leapMs of leaps) await advance(shop, leapMs, leadMs);
    clock.hasStopped = true;
    shop.use("billing");
  });
}

/** Two daily plans, and cards of one customer. */
async function setUp({ shop, setUp: prepare, random }: Stage): Promise<[plans: string[], cards: string[]]> {
  const plans: string[] = [];
  for (const price of [1_999, 777]) {
    const id = newId();
    await shop.ground.monitor`
      insert into plans (environment_id, id, type, name, currency, full_price, status, billing_frequency_value,
        billing_frequency_unit, created_at, updated_at)
      values (${shop.environment.id}, ${id}, 'SUBSCRIPTION_NO_TRIAL', ${`Plan ${price}`}, 'USD', ${price}, 'ACTIVE', 1,
        'DAYS', ${idTime(id)}, ${idTime(id)})`;
    plans.push(encodeId("plan", id));
  }
  const cards: string[] = [];
  for (const number of [CARDS.good, random.pick([CARDS.good, CARDS.poorLater, CARDS.alwaysPoor, CARDS.stolen])]) {
    const card = { number, exp_month: 12, exp_year: 2040, cvv: "123" };
    const body = createPaymentMethodBody.parse({ customer_id: "subscriber", card });
    const reply = await prepare("a stored card", (service) =>
      createPaymentMethod(shop.call(service, "createPaymentMethod"), body),
    );
    cards.push(String(JSON.parse(reply.body).id));
  }
  return [plans, cards];
}

function latestInvoice({ world, ground, environment }: Shop): Promise<string | null> {
  return world.perform("reads an invoice", async () => {
    const [row] = await ground.monitor<{ id: string }[]>`
      select id from invoices where environment_id = ${environment.id} and event_sequence > 0 order by number desc limit 1`;
    return row ? encodeId("invoice", row.id) : null;
  });
}

/** Advances the clock by about `leapMs`, to shortly before a renewal, and waits for it. */
async function advance(shop: Shop, leapMs: number, leadMs: number): Promise<void> {
  const { world } = shop;
  const process = world.schedule.pick(shop.living.length > 0 ? shop.living : [shop.start()]);
  await world.park("advances the clock");
  const { ms, anchorMs } = await lookAtClock(shop);
  const sinceAnchorMs = anchorMs === null ? leadMs : (ms - anchorMs) % DAY_MS;
  const to = new Date(ms + leapMs - sinceAnchorMs - leadMs).toISOString();
  if (process.isDead) return;
  await shop.within(process, "clock", async (service) => {
    await advanceTestClock(shop.call(service, "advanceTestClock"), { to }).catch((error: unknown) => {
      // The clock has passed that time, or advances for an earlier request whose response was lost.
      if (!(error instanceof AppError)) shop.onlyOutages(error);
    });
  });
  for (let i = 0; i < MAX_POLLS && (await lookAtClock(shop)).isAdvancing; i++) await world.timer.wait(POLL_MS);
}

const lookAtClock = (shop: Shop) => shop.world.perform("reads the clock", () => readClock(shop));

/**
 * The environment's time, which its test clock sets, and the anchor of its subscription; null without one.
 */
export async function readClock({ world, ground, environment }: Shop) {
  const [row] = await ground.monitor<{ frozen: number | null; offset: number; anchor: number | null }[]>`
    select (extract(epoch from clock_frozen_at) * 1000)::float8 as frozen, clock_offset_ms::float8 as offset,
      (select (extract(epoch from max(anchor_at)) * 1000)::float8 from subscriptions s where s.environment_id = e.id) as anchor
    from environments e where id = ${environment.id}`;
  if (!row) throw new Error("the environment is gone");
  return { ms: row.frozen ?? world.nowMs + row.offset, anchorMs: row.anchor, isAdvancing: row.frozen !== null };
}
