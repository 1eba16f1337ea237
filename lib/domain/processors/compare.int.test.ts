import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { type MoneyTenant, moneyTenant } from "@/e2e/fixtures/money";
import { says } from "@/e2e/fixtures/scripted-processor";
import { decodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import type { Inquiry, Processor } from "@/lib/processor/port";
import type { StatementEntry } from "@/lib/processor/records";
import { compareWithProcessor } from "./compare";

const { db } = await testDatabase();
const MINUTE_MS = 60_000;

type Entry = StatementEntry;

/**
 * A merchant whose payments are at a connection. `list` is the
 * processor's own list, which matches until a test changes it.
 */
async function connected() {
  const tenant = await moneyTenant(db);
  const connectionId = newId();
  const list: Entry[] = [];
  const asked: { since: Date; until: Date }[] = [];
  let answers: (reference: string) => Inquiry = () => ({ kind: "not_found" });
  const processor: Processor = {
    ...(tenant.service.processors.builtIn("test") as Processor),
    name: connectionId,
    inquire: async ({ reference }) => answers(reference),
    async *statement(range) {
      asked.push(range);
      yield* list.filter(({ created_at }) => created_at >= range.since && created_at < range.until).toReversed();
    },
    dashboardUrl: ({ id }) => `https://processor.example/${id}`,
  };
  /** Moves the existing payments and refunds to the connection, and fills its list with them. */
  const settleDown = async () => {
    await db.sql.begin(async (tx) => {
      // A payment's connection can't be changed otherwise.
      await tx`set local session_replication_role = replica`;
      await tx`update payments set connection_id = ${connectionId} where environment_id = ${tenant.environmentId}`;
    });
    const rows = await db.sql<
      {
        id: string;
        kind: string;
        amount: number;
        currency: string;
        payment_id: string;
        created_at: string;
        state: string;
        status: string;
        amount_captured: number;
        amount_refunded: number;
      }[]
    >`
      select o.id, o.kind, o.amount, o.currency, o.payment_id, o.created_at, o.state, p.status, p.amount_captured, p.amount_refunded
      from operations o join payments p on p.environment_id = o.environment_id and p.id = o.payment_id
      where o.environment_id = ${tenant.environmentId} and o.kind in ('authorize', 'refund') and o.state <> 'open' order by o.id`;
    list.length = 0;
    for (const row of rows) {
      const common = {
        reference: row.id,
        amount: row.amount,
        currency: row.currency,
        created_at: new Date(row.created_at),
      };
      if (row.kind === "refund")
        list.push({
          ...common,
          kind: "refund",
          object: { kind: "refund", id: `re_${row.id}` },
          payment: `pi_${row.payment_id}`,
          state: row.state === "succeeded" ? "succeeded" : "failed",
        });
      else
        list.push({
          ...common,
          kind: "payment" as const,
          object: { kind: "payment_intent", id: `pi_${row.payment_id}` },
          captured: row.amount_captured,
          refunded: row.amount_refunded,
          state:
            row.amount_captured > 0
              ? "captured"
              : row.status === "AUTHORIZED"
                ? "authorized"
                : row.status === "VOIDED"
                  ? "voided"
                  : "declined",
        });
    }
  };
  // Ten minutes later, when no operation is in progress.
  const later = (ms = 10 * MINUTE_MS) => new Date(Date.now() + ms);
  const compare = (over: { since?: Date; until?: Date; at?: Date; processor?: Processor } = {}) =>
    compareWithProcessor(
      { ...tenant.service, clock: { now: () => over.at ?? later() } },
      {
        connectionId,
        processor: over.processor ?? processor,
        label: "Example",
        environmentIds: [tenant.environmentId],
        since: over.since ?? new Date(Date.now() - 60 * MINUTE_MS),
        until: over.until ?? later(MINUTE_MS),
      },
    );
  const entryOf = (payment: { id: string }) =>
    list.find(({ object }) => object.id === `pi_${decodeId("payment", payment.id)}`) as Entry;
  return {
    tenant,
    connectionId,
    processor,
    list,
    asked,
    settleDown,
    compare,
    entryOf,
    answer: (inquiry: (reference: string) => Inquiry) => {
      answers = inquiry;
    },
    change(payment: { id: string }, change: object) {
      const entry = entryOf(payment);
      list[list.indexOf(entry)] = { ...entry, ...change } as Entry;
    },
  };
}

const pay = async (tenant: MoneyTenant, body: object = {}) => (await tenant.create(body)).body;
const kindsOf = ({ differences }: { differences: readonly { kind: string; object: string }[] }) =>
  differences.map(({ kind, object }) => `${kind} ${object}`);

test("matching entries are counted without differences: by our references, and by the processor's ids if it has no reference", async () => {
  const { tenant, settleDown, compare, list, connectionId, change } = await connected();
  const captured = await pay(tenant);
  await tenant.act("refund", captured.id, { amount: 1_000 });
  await pay(tenant, { capture_method: "manual" });
  const voided = await pay(tenant, { capture_method: "manual" });
  await tenant.act("void", voided.id);
  await pay(tenant, { card: { number: "4000000000009995", exp_month: 12, exp_year: 2040, cvv: "123" } });
  await settleDown();
  const clean = { payments: 4, refunds: 1, under_way: 0, difference_count: 0, differences: [], unchecked: [] };
  expect(list).toHaveLength(5);
  expect(await compare()).toEqual(clean);
  const [operation] = await tenant.operations(captured.id);
  await db.sql`insert into processor_objects (environment_id, processor, object_id, kind, operation_id, payment_id)
    values (${tenant.environmentId}, ${connectionId}, ${`pi_${decodeId("payment", captured.id)}`}, 'payment_intent',
      ${operation?.id as string}, ${decodeId("payment", captured.id)})`;
  change(captured, { reference: null });
  expect(await compare()).toEqual(clean);
});

test("each kind of difference is reported, with both sides, ids, a link and a remedy", async () => {
  const { tenant, settleDown, compare, list, change, entryOf } = await connected();
  const [a, b, c, gone] = [await pay(tenant), await pay(tenant), await pay(tenant), await pay(tenant)];
  await tenant.act("refund", c.id, { amount: 500 });
  await settleDown();
  change(a, { captured: 9_000 });
  change(b, { state: "voided", captured: 0 });
  list.splice(list.indexOf(entryOf(gone)), 1);
  const refund = list.find(({ kind }) => kind === "refund") as Entry;
  list[list.indexOf(refund)] = { ...refund, state: "failed" } as Entry;
  const { created_at } = entryOf(a);
  list.push({
    kind: "refund",
    object: { kind: "refund", id: "re_by_hand" },
    reference: null,
    payment: "pi_x",
    state: "succeeded",
    amount: 300,
    currency: "USD",
    created_at,
  });
  const found = await compare();
  expect(found).toMatchObject({ payments: 4, refunds: 1, under_way: 0, difference_count: 5, unchecked: [] });
  expect(kindsOf(found).toSorted()).toEqual([
    ...[
      "amounts_differ payment",
      "only_here payment",
      "only_there refund",
      "states_differ payment",
      "states_differ refund",
    ],
  ]);
  const of = (payment: { id: string }) => found.differences.find(({ payment_id }) => payment_id === payment.id);
  expect(of(a)).toMatchObject({
    here: "Captured, $100.00 USD",
    there: "Captured, $100.00 USD, $90.00 USD captured",
    transaction_id: a.transactions[0].id,
    url: `https://processor.example/pi_${decodeId("payment", a.id)}`,
  });
  expect(of(gone)).toMatchObject({ here: "Captured, $100.00 USD", there: null, url: null });
  const byHand = found.differences.find(({ kind }) => kind === "only_there");
  expect(byHand).toMatchObject({ here: null, there: "Refund succeeded, $3.00 USD", payment_id: null });
  expect(byHand?.advice).toContain("do not refund it again here");
});

test("a second payment under one reference is reported as an extra charge", async () => {
  const { tenant, settleDown, compare, list, entryOf } = await connected();
  const payment = await pay(tenant);
  await settleDown();
  list.push({ ...entryOf(payment), object: { kind: "payment_intent", id: "pi_twice" } });
  const found = await compare();
  expect(found.differences).toMatchObject([{ kind: "only_there", payment_id: payment.id }]);
  expect(found.differences[0]?.advice).toContain("paid twice");
});

test("operations that are open, or were just now, are counted but are no differences; nor are entries that move no money", async () => {
  const { tenant, settleDown, compare, list, entryOf } = await connected();
  const open = await pay(tenant, {});
  tenant.script.next(says({ kind: "unknown", reason: "lost" }));
  await tenant.act("refund", open.id);
  const recent = await pay(tenant);
  await settleDown();
  const { created_at } = entryOf(recent);
  const foreign = { ...entryOf(recent), reference: null, created_at, captured: 0, refunded: 0 };
  list.push({ ...foreign, state: "declined", object: { kind: "payment_intent", id: "pi_d" } } as Entry);
  list.push({ ...foreign, state: "captured", captured: 1, object: { kind: "payment_intent", id: "pi_new" } } as Entry);
  list.splice(list.indexOf(entryOf(recent)), 1);
  const now = await compare({ at: new Date(), until: new Date() });
  expect(now).toMatchObject({ payments: 0, refunds: 0, under_way: 4, difference_count: 0 });
  expect(await compare()).toMatchObject({ payments: 1, under_way: 2, difference_count: 2 });
});

test("the status of entries missing from the list is checked before they are reported missing", async () => {
  const { tenant, settleDown, compare, list, answer } = await connected();
  await pay(tenant);
  await settleDown();
  list.length = 0;
  answer(() => ({ kind: "approved" }));
  expect(await compare()).toMatchObject({ payments: 1, difference_count: 0, unchecked: [] });
  answer(() => ({ kind: "unknown", reason: "503" }));
  expect(await compare()).toMatchObject({
    difference_count: 0,
    unchecked: [expect.stringContaining("no clear response")],
  });
  answer(() => ({ kind: "never" }));
  expect(kindsOf(await compare())).toEqual(["only_here payment"]);
});

test("periods join without a gap, and clocks may differ at their ends", async () => {
  const { tenant, settleDown, compare, list, asked, entryOf, change } = await connected();
  const payment = await pay(tenant);
  await settleDown();
  const at = entryOf(payment).created_at.getTime();
  const DAY_MS = 24 * 60 * MINUTE_MS;
  // Our payment is the first of its day, but just before midnight by the processor's clock.
  change(payment, { created_at: new Date(at - 400) });
  const found = await compare({
    since: new Date(at - 2 * DAY_MS),
    until: new Date(at + DAY_MS),
    at: new Date(at + DAY_MS),
  });
  expect(found).toMatchObject({ payments: 1, difference_count: 0, unchecked: [] });
  expect(asked).toHaveLength(3);
  for (const [index, { until }] of asked.slice(0, -1).entries()) expect(asked[index + 1]?.since).toEqual(until);
  expect(list).toHaveLength(1);
});

test("another environment's payments are not compared, whatever an entry's reference", async () => {
  const { tenant, settleDown, compare, list } = await connected();
  const other = await moneyTenant(db);
  const foreign = await pay(other);
  await pay(tenant);
  await settleDown();
  const [operation] = await other.operations(foreign.id);
  list.push({
    ...(list[0] as Entry),
    reference: operation?.id as string,
    object: { kind: "payment_intent", id: "pi_foreign" },
  });
  const found = await compare();
  expect(found).toMatchObject({ payments: 1, difference_count: 1 });
  expect(found.differences).toMatchObject([{ kind: "only_there", payment_id: null }]);
  expect(JSON.stringify(found)).not.toContain(foreign.id);
});

test("a processor without a list compares nothing, and reports that", async () => {
  const { tenant, settleDown, compare, processor } = await connected();
  await pay(tenant);
  await settleDown();
  const { statement: _, ...without } = processor;
  expect(await compare({ processor: without })).toEqual({
    payments: 0,
    refunds: 0,
    under_way: 1,
    difference_count: 0,
    differences: [],
    unchecked: [expect.stringMatching(/^Example has no list of payments.*: 1 payments and refunds/)],
  });
});
