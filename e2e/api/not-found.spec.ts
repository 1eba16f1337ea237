import { createClientSession } from "@/lib/contract/checkout/operations";
import { encodeId, type IdKind } from "@/lib/contract/ids";
import type { Operation } from "@/lib/contract/operation";
import { OPERATIONS } from "@/lib/contract/operations";
import { createPayment, listPayments } from "@/lib/contract/payments/operations";
import { listPlans } from "@/lib/contract/plans/operations";
import { listTransactions, searchTransactions } from "@/lib/contract/transactions/operations";
import { newId } from "@/lib/ids";
import type { Answer, Api } from "../client";
import type { Tenant } from "../fixtures";
import { expect, test } from "../fixtures";
import { aPayment, authorized, chargeOf, newPlan, newSession } from "../samples";

const WITH_ID = OPERATIONS.filter(({ path }) => path.includes("{id}"));

const KINDS: Record<string, IdKind> = {
  payments: "payment",
  transactions: "transaction",
  "subscription-plans": "plan",
  "client-sessions": "clientSession",
};
const kindOf = (operation: Operation) => KINDS[operation.path.split("/")[2] ?? ""] as IdKind;

async function makeOne({ api }: Pick<Tenant, "api">, kind: IdKind): Promise<string> {
  if (kind === "plan") return (await newPlan(api)).id;
  if (kind === "clientSession") return (await newSession(api)).id;
  const payment = await authorized(api);
  return kind === "payment" ? payment.id : chargeOf(payment).id;
}

/** An answer without what may differ: the request's id and the id that the caller sent. */
function bytes(answer: Answer, id: string): string {
  const { request_id } = answer.problem("resource_not_found");
  const text = answer.text.replaceAll(request_id, "REQUEST");
  return text.replaceAll(encodeURIComponent(id), "ID").replaceAll(JSON.stringify(id).slice(1, -1), "ID");
}

const ask = (api: Api, operation: Operation, id: string) =>
  api.call(operation, { id, ...(operation.body && { body: {} }) });

const MALFORMED = [
  "xyz",
  "pay_",
  "pay_01",
  `pay_${"z".repeat(26)}`,
  `pay_${"0".repeat(27)}`,
  "PAY_01JZ0000000000000000000000",
  "00000000-0000-0000-0000-000000000000",
  "1 or 1=1",
  "a'--",
  "{id}",
  "ünïcode",
  "a/b",
  "a?b#c",
  "%",
  "\u0000",
  "__proto__",
  "constructor",
  "toString",
  "x".repeat(255),
];

for (const operation of WITH_ID) {
  test(`${operation.method} ${operation.path}: unknown, malformed and foreign ids are the same 404`, async ({
    tenant,
    stranger,
  }) => {
    const kind = kindOf(operation);
    const unknown = encodeId(kind, newId());
    const expected = bytes(await ask(tenant.api, operation, unknown), unknown);
    const theirs = await makeOne(stranger, kind);
    const mine = await makeOne(tenant, kind);
    const others = Object.values(KINDS).map((other) => encodeId(other, newId()));
    for (const id of [theirs, ...others.filter((other) => !other.startsWith(unknown.slice(0, 4))), ...MALFORMED]) {
      expect(bytes(await ask(tenant.api, operation, id), id), id).toBe(expected);
    }
    expect(bytes(await ask(tenant.live, operation, mine), mine)).toBe(expected);
    if (kind === "plan" || kind === "clientSession") {
      const live = await makeOne({ api: tenant.live }, kind);
      expect(bytes(await ask(tenant.api, operation, live), live)).toBe(expected);
    }
  });
}

test("a foreign plan is an unknown plan, in payments and in client sessions", async ({ api, stranger }) => {
  const theirs = (await newPlan(stranger.api, { status: "ACTIVE" })).id;
  const unknown = encodeId("plan", newId());
  for (const [operation, body] of [
    [createPayment, aPayment()],
    [createClientSession, {}],
  ] as const) {
    const answers = [];
    for (const plan_id of [theirs, unknown]) {
      answers.push(bytes(await api.call<Operation>(operation, { body: { ...body, plan_id } }), plan_id));
    }
    expect(answers[0]).toBe(answers[1]);
  }
});

test("a foreign id to start after is an unknown id", async ({ api, stranger }) => {
  const payment = await authorized(stranger.api);
  const plan = await newPlan(stranger.api);
  for (const [operation, theirs, unknown] of [
    [listPayments, payment.id, encodeId("payment", newId())],
    [listTransactions, chargeOf(payment).id, encodeId("transaction", newId())],
    [searchTransactions, chargeOf(payment).id, encodeId("transaction", newId())],
    [listPlans, plan.id, encodeId("plan", newId())],
  ] as const) {
    const answers = [];
    for (const id of [theirs, unknown, "garbage"]) {
      const starting_after =
        operation.method === "GET" ? { query: { starting_after: id } } : { body: { starting_after: id } };
      const answer = await api.call<Operation>(operation, starting_after);
      const { request_id } = JSON.parse(answer.text);
      answers.push(`${answer.status} ${answer.text.replaceAll(id, "ID").replaceAll(request_id, "REQUEST")}`);
    }
    expect(new Set(answers).size, answers.join("\n")).toBe(1);
    expect(answers[0]).toMatch(/^40[04] /);
  }
});

test("nobody sees anything of another merchant or of the other environment in a list", async ({ tenant, stranger }) => {
  await authorized(tenant.api, { customer_id: "shared" });
  await newPlan(tenant.api);
  for (const api of [stranger.api, tenant.live]) {
    for (const operation of [listPayments, listTransactions, listPlans] as const) {
      expect((await api.call<Operation>(operation)).ok()).toMatchObject({ data: [], total: 0 });
    }
    const search = await api.call(searchTransactions, { body: { filters: { customer_id: "shared" } } });
    expect(search.ok().total).toBe(0);
  }
});
