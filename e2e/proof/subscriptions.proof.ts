import fc from "fast-check";
import { DateTime } from "luxon";
import { expect, test } from "vitest";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { testDatabase } from "../fixtures/database";
import { CARDS, type SubscriptionTenant, subscriptionTenant } from "../fixtures/subscriptions";
import { reportFigure } from "./figures";
import { type ModelCard, type ModelPlan, SubscriptionModel } from "./subscription-model";

const RUNS = Number(process.env.PROOF_HISTORIES ?? 20);
const MAX_YEARS_MS = 3 * 365 * 86_400_000;

const { db } = await testDatabase({ max: 20 });

const plan = fc.constantFrom(0, 1, 2, 3);
const quantity = fc.integer({ min: 1, max: 4 });
/** Hours in which no zone of the model changes its clocks. */
const step = fc.record({
  days: fc.integer({ min: 0, max: 70 }),
  seconds: fc.integer({ min: 10 * 3600, max: 14 * 3600 }),
  act: fc.oneof(
    { weight: 6, arbitrary: fc.constant({ kind: "wait" } as const) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("card" as const),
        card: fc.constantFrom<ModelCard>("good", "good", "poor", "stolen"),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("later" as const), plan, quantity }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("now" as const),
        plan,
        quantity,
        proration: fc.constantFrom("credit" as const, "none" as const),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: "pause" } as const) },
    { weight: 3, arbitrary: fc.constant({ kind: "resume" } as const) },
    { weight: 1, arbitrary: fc.constant({ kind: "retry" } as const) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("end" as const),
        to: fc.constantFrom("VOID" as const, "UNCOLLECTIBLE" as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancelAtEnd" as const), value: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("extend" as const), trial: fc.integer({ min: 1, max: 60 }) }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: "cancel" } as const) },
  ),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const history = fc.record({
  start: fc
    .integer({ min: 0, max: 1_500 })
    .map((day) => new Date(Date.UTC(2024, 0, 29 + day, 12, 7, 31, 250)).toISOString()),
  zone: fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Kiritimati"),
  currency: fc.constantFrom("USD", "JPY", "KWD"),
  trial: fc.option(fc.integer({ min: 1, max: 90 })),
  dunning: fc.record({
    steps: fc.oneof(fc.constant([3, 5, 7]), fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 })),
    after: fc.constantFrom("CANCEL" as const, "KEEP" as const),
  }),
  plan,
  quantity,
  steps: fc.array(step, { minLength: 4, maxLength: 30 }),
});

const INTERVALS = [
  { price: 1_999, value: 1, unit: "MONTHS" },
  { price: 3_501, value: 1, unit: "MONTHS" },
  { price: 777, value: 2, unit: "WEEKS" },
  { price: 20_003, value: 12, unit: "MONTHS" },
] as const;

type World = {
  tenant: SubscriptionTenant;
  model: SubscriptionModel;
  id: string;
  plans: ModelPlan[];
  cards: Record<ModelCard, string>;
};

async function begin(of: typeof history extends fc.Arbitrary<infer T> ? T : never): Promise<World> {
  const tenant = await subscriptionTenant(db, { start: of.start });
  await tenant.settings({ dunning_steps: of.dunning.steps, after_last_attempt: of.dunning.after });
  const plans: ModelPlan[] = [];
  for (const { price, value, unit } of INTERVALS) {
    const id = await tenant.plan({
      full_price: price,
      currency: of.currency,
      billing_frequency_value: value,
      billing_frequency_unit: unit,
    });
    plans.push({ id, price, value, unit });
  }
  const cards = {
    good: await tenant.card(),
    poor: await tenant.card(CARDS.alwaysPoor),
    stolen: await tenant.card(CARDS.stolen),
  };
  const chosen = plans[of.plan] as ModelPlan;
  const trialEnd = of.trial && DateTime.fromISO(of.start, { zone: of.zone }).plus({ days: of.trial });
  const made = await tenant.create({
    plan_id: chosen.id,
    payment_method_id: cards.good,
    quantity: of.quantity,
    time_zone: of.zone,
    ...(trialEnd && { trial_end_at: trialEnd.toUTC().toISO({ precision: "milliseconds" }) }),
  });
  expect(made.status).toBe(201);
  const model = new SubscriptionModel(
    of.zone,
    of.dunning,
    { plan: chosen, quantity: of.quantity },
    of.trial ?? null,
    of.start,
  );
  return { tenant, model, id: made.body.id, plans, cards };
}

async function act({ tenant, model, id, plans, cards }: World, { act: one }: Step, now: string): Promise<void> {
  const terms = (index: number, of: number) => ({ plan: plans[index] as ModelPlan, quantity: of });
  switch (one.kind) {
    case "wait":
      return;
    case "card": {
      const { status } = await tenant.update(id, { payment_method_id: cards[one.card] });
      expect(status).toBe(model.setCard(one.card, now) ? 200 : 409);
      return;
    }
    case "later": {
      const body = { plan_id: plans[one.plan]?.id, quantity: one.quantity };
      expect((await tenant.change(id, body)).status).toBe(model.changeLater(terms(one.plan, one.quantity)));
      return;
    }
    case "now": {
      const { plan: index, quantity: of, proration } = one;
      const body = { plan_id: plans[index]?.id, quantity: of, when: "now", proration };
      expect((await tenant.change(id, body)).status).toBe(model.changeNow(terms(index, of), proration, now));
      return;
    }
    case "pause":
      expect((await tenant.pause(id)).status).toBe(model.pause() ? 200 : 409);
      return;
    case "resume":
      expect((await tenant.resume(id)).status).toBe(model.resume(now));
      return;
    case "retry":
      expect((await tenant.retry(id)).status).toBe(model.retry(now));
      return;
    case "end": {
      const open = (await tenant.invoices(id)).find(({ status }) => status === "OPEN");
      const ended = model.endInvoice(one.to);
      expect(open === undefined).toBe(ended === null);
      if (open) expect((await tenant[one.to === "VOID" ? "void" : "giveUp"](open.id)).status).toBe(200);
      return;
    }
    case "cancelAtEnd": {
      const { status } = await tenant.update(id, { cancel_at_period_end: one.value });
      expect(status).toBe(model.isRunning ? 200 : 409);
      if (model.isRunning) model.cancelsAtEnd = one.value;
      return;
    }
    case "extend": {
      const end = DateTime.fromISO(now, { zone: model.zone }).plus({ days: one.trial }).toUTC();
      const trial_end_at = end.toISO({ precision: "milliseconds" }) ?? "";
      const { status } = await tenant.update(id, { trial_end_at });
      expect(status).toBe(model.extend(trial_end_at, now) ? 200 : 409);
      return;
    }
    case "cancel":
      expect((await tenant.cancel(id, { reason: "enough" })).status).toBe(model.cancel("enough") ? 200 : 409);
      return;
    default:
      return one satisfies never;
  }
}

async function compare({ tenant, model, id }: World): Promise<void> {
  const row = await tenant.get(id);
  const pending = model.pending && { plan_id: model.pending.plan.id, quantity: model.pending.quantity, at: model.end };
  expect(row).toMatchObject({
    status: model.status,
    anchor_at: model.anchor,
    credit: model.credit,
    quantity: model.terms.quantity,
    plan_id: model.terms.plan.id,
    pending_change: pending,
    cancel_reason: model.reason,
    period: { number: model.number, start_at: model.start, end_at: model.end },
  });
  const invoices = (await tenant.invoices(id)).map((invoice) => ({
    kind: invoice.kind,
    number: invoice.period.number,
    start: invoice.period.start_at,
    end: invoice.period.end_at,
    total: invoice.total,
    creditUsed: invoice.credit_used,
    due: invoice.amount_due,
    status: invoice.status,
    attempts: invoice.attempts,
    next: invoice.next_attempt_at,
  }));
  expect(invoices).toEqual(model.invoices.map(({ step: _, ...invoice }) => invoice));
}

test(`subscriptions match the contract's model to the cent and the second in ${RUNS} random histories`, async () => {
  let invoices = 0;
  await fc.assert(
    fc.asyncProperty(history, async (given) => {
      const world = await begin(given);
      let now = given.start;
      for (const one of given.steps) {
        const day = new Date(Date.parse(now.slice(0, 10)) + one.days * 86_400_000).getTime();
        const target = new Date(Math.max(day + one.seconds * 1000, Date.parse(now) + 1000)).toISOString();
        if (Date.parse(target) - Date.parse(given.start) > MAX_YEARS_MS) break;
        for (let due = world.model.nextDue(); due !== null && due <= target; due = world.model.nextDue()) {
          now = due > now ? due : now;
          world.model.run(now);
          await world.tenant.travel(now);
        }
        now = target;
        await world.tenant.setClock(now);
        await act(world, one, now);
        world.model.run(now);
        await world.tenant.run();
        await compare(world);
      }
      invoices += world.model.invoices.length;
    }),
    { numRuns: RUNS, ...(process.env.PROOF_SEED && { seed: Number(process.env.PROOF_SEED) }) },
  );
  const broken = (await verifyBooks(db)).checks.filter(({ count }) => count > 0);
  expect(broken.map(({ check, rows }) => [check, rows[0]])).toEqual([]);
  reportFigure(`${RUNS} histories, ${invoices} invoices`);
});
