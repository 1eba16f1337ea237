import { describe, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { CARDS, subscriptionTenant } from "@/e2e/fixtures/subscriptions";
import { FIRST_INVOICES, type InvoiceQuery, parseInvoices } from "@/lib/contract/invoices/list";
import { getInvoiceDetail } from "./invoice-detail";
import { exportInvoices, searchInvoiceTable } from "./search-invoices";

const { db } = await testDatabase({ max: 10 });

async function shop() {
  const tenant = await subscriptionTenant(db);
  const subscribe = async (customer_id: string, card: string = CARDS.good, terms = {}) => {
    const body = {
      plan_id: await tenant.plan(terms),
      customer_id,
      customer_email: `${customer_id}@Shop.example`,
      payment_method_id: await tenant.card(card, customer_id),
    };
    return (await tenant.create(body)).body.id as string;
  };
  const ada = await subscribe("ada");
  await subscribe("bert", CARDS.poorLater);
  await subscribe("carla", CARDS.good, { currency: "EUR", full_price: 500 });
  await tenant.travel("2026-02-28T10:00:00.000Z");
  await tenant.travel("2026-03-31T10:00:00.000Z");
  const search = async (query: Partial<InvoiceQuery>) =>
    searchInvoiceTable(tenant.context(), { ...FIRST_INVOICES, ...query }, "UTC");
  const numbers = async (query: Partial<InvoiceQuery>) => (await search(query)).data.map(({ number }) => number);
  return { tenant, ada, search, numbers };
}

describe("the list of invoices", () => {
  test("finds by number, id, subscription, part of the e-mail address and status", async () => {
    const { ada, search, numbers } = await shop();
    const all = await search({});
    expect([all.data.length, all.total]).toEqual([9, 9]);
    expect(await numbers({ q: "INV-000004" })).toEqual(["INV-000004"]);
    expect(await numbers({ q: "inv-4" })).toEqual(["INV-000004"]);
    const [first] = all.data;
    expect(await numbers({ q: first?.id ?? "" })).toEqual([first?.number]);
    const own = all.data.filter(({ subscription_id }) => subscription_id === ada).map(({ number }) => number);
    expect(await numbers({ q: ada })).toEqual(own);
    expect(await numbers({ q: "ADA@shop" })).toEqual(own);
    expect(await numbers({ customer_id: "ada" })).toEqual(own);
    expect(await numbers({ q: "nobody" })).toEqual([]);
    expect(await numbers({ subscription_id: "sub_broken" })).toEqual([]);
    expect((await search({ status: ["OPEN"] })).data).toMatchObject([
      { customer_id: "bert", customer_email: "bert@Shop.example" },
    ]);
    expect(await numbers({ payment: ["failed"] })).toEqual(await numbers({ status: ["OPEN"] }));
  });

  test("sums the whole list by currency, and its export has the same rows", async () => {
    const { tenant, search } = await shop();
    const { sums, data } = await search({});
    const [open] = await db.sql<{ open: number; paid: number }[]>`
      select sum(amount_due) filter (where status = 'OPEN')::float8 as open, sum(amount_paid)::float8 as paid
      from invoices where environment_id = ${tenant.environmentId} and currency = 'USD'`;
    expect(sums).toEqual([
      { currency: "USD", due: (open?.open ?? 0) + (open?.paid ?? 0), ...open },
      { currency: "EUR", due: 1_500, paid: 1_500, open: 0 },
    ]);
    const opened = await exportInvoices(tenant.context(), FIRST_INVOICES, "UTC");
    const rows = [];
    for await (const batch of opened.batches) rows.push(...batch);
    await opened.close();
    expect([opened.total, rows]).toEqual([9, [...data]]);
  });

  test.each([
    ["created_at", "desc"],
    ["created_at", "asc"],
    ["amount_due", "desc"],
    ["status", "asc"],
    ["customer_id", "desc"],
  ] as const)("pages by cursor without gaps, sorted by %s %s, and back again", async (field, order) => {
    const { search } = await shop();
    const sort = { field, order };
    const all = (await search({ sort })).data.map(({ id }) => id);
    expect(new Set(all).size).toBe(9);
    const middle = all[4] ?? "";
    const after = await search({ sort, after: middle });
    expect([after.data.map(({ id }) => id), after.has_before, after.has_after]).toEqual([all.slice(5), true, false]);
    const before = await search({ sort, before: middle });
    expect([before.data.map(({ id }) => id), before.has_before]).toEqual([all.slice(0, 4), false]);
  });

  test("names what it can't read in an address", () => {
    const { query, problems } = parseInvoices(new URLSearchParams("status=LATE&payment=failed"));
    expect(query.payment).toEqual(["failed"]);
    expect(problems.map(({ param }) => param)).toEqual(["status"]);
  });

  test("shows no other merchant's invoices", async () => {
    const { tenant } = await shop();
    const other = await subscriptionTenant(db);
    const { data, total, sums } = await searchInvoiceTable(other.context(), FIRST_INVOICES, "UTC");
    expect([data, total, sums]).toEqual([[], 0, []]);
    const [own] = (await searchInvoiceTable(tenant.context(), FIRST_INVOICES, "UTC")).data;
    await expect(getInvoiceDetail(other.context(), { id: own?.id ?? "" })).rejects.toMatchObject({
      code: "resource_not_found",
    });
  });
});

describe("an invoice's page", () => {
  test("says what happens next, and why its payments failed", async () => {
    const { tenant, search } = await shop();
    const [open] = (await search({ status: ["OPEN"] })).data;
    const detail = () => getInvoiceDetail(tenant.context(), { id: open?.id ?? "" });
    expect(await detail()).toMatchObject({
      available_actions: ["pay", "void", "mark-uncollectible"],
      next: { kind: "attempt", at: open?.next_attempt_at },
      payments: [{ status: "DECLINED", automatic: true, decline: { code: "insufficient_funds" } }],
      timeline: [
        { kind: "created" },
        { kind: "failed", said: "Insufficient funds.", next_attempt_at: open?.next_attempt_at },
      ],
    });
    const good = await tenant.card(CARDS.good, "bert");
    await tenant.pay(open?.id ?? "", { payment_method_id: good });
    expect(await detail()).toMatchObject({
      available_actions: [],
      next: null,
      payments: [{ automatic: true }, { status: "CAPTURED", automatic: false }],
      timeline: [{ kind: "created" }, { kind: "failed" }, { kind: "paid" }],
    });
  });

  test("waits for another card once the card is refused for good", async () => {
    const tenant = await subscriptionTenant(db);
    const terms = { type: "SUBSCRIPTION_FREE_TRIAL", trial_period_value: 7, trial_period_unit: "DAYS" } as const;
    const body = { plan_id: await tenant.plan(terms), payment_method_id: await tenant.card(CARDS.stolen) };
    const { id } = (await tenant.create(body)).body;
    await tenant.travel("2026-02-07T10:00:00.000Z");
    const [invoice] = await tenant.invoices(id);
    expect(await getInvoiceDetail(tenant.context(), { id: invoice?.id ?? "" })).toMatchObject({
      next: { kind: "card", removed: false },
      subscription: { status: "PAST_DUE" },
    });
    await tenant.pause(id);
    expect(await getInvoiceDetail(tenant.context(), { id: invoice?.id ?? "" })).toMatchObject({
      next: { kind: "paused" },
    });
  });
});
