import { beforeAll, describe, expect, it } from "vitest";
import { connect, type Sql } from "@/db/client";
import {
  listAbandonedChallenges,
  listExpiredAuthorizations,
  listUnreturnedApprovals,
} from "@/db/queries/payments/due-payments";
import { type Turns, takeDueOperations } from "@/db/queries/payments/operations";
import { failDueSandboxRefunds, listSandboxReports } from "@/db/queries/sandbox/reports";
import { testDatabase } from "@/e2e/fixtures/database";
import { BEFORE_ALL } from "@/lib/ids";
import { genericPlanOf, nodesOf, type Plan, planOf } from "./plans";

/**
 * The recovery worker looks for what is due as often as an operation ends: that may not cost more because one environment has very
 * many, which are due, or passed over, or given up.
 */
const { db, url } = await testDatabase({ own: true });
/** Nothing was ever written to it, or analyzed. */
const { db: fresh } = await testDatabase({ own: true });
const MANY = 100_000;
const environment = (n: number) => `0198c000-0000-7000-8000-00000000000${n}`;
const [LARGE, SMALL, GIVEN_UP] = [environment(1), environment(2), environment(3)] as const;
const TURNS: Turns = { after: BEFORE_ALL, most: 0, passedOver: [], busyPayments: [] };
const LEASE = { sendWithinMs: 8_000, heldForMs: 10_000 };
type Sent = { text: string; parameters: unknown[] };

beforeAll(async () => {
  for (const [id, count, age] of [
    [LARGE, MANY, "10 minutes"],
    [SMALL, 1, "10 minutes"],
    [GIVEN_UP, MANY, "25 hours"],
  ] as const) {
    await db.sql`insert into merchants (id, name) values (${id}, 'One')`;
    await db.sql`insert into environments (id, merchant_id, mode, fee_basis_points) values (${id}, ${id}, 'test', 290)`;
    await db.sql.begin(async (tx) => {
      // Without their payments.
      await tx`set local session_replication_role = replica`;
      await tx`
        insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, actor,
          lease_until, next_attempt_at, send_until, created_at)
        select ${id}, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'refund', 'open', 100, 'USD',
          '{"type":"system","id":null}', due, due, due, now() - ${age}::interval
        from (select now() - i * interval '1 ms' as due from generate_series(1, ${count}::int) i) times`;
    });
  }
  await db.sql`vacuum (analyze) operations`;
});

async function statementOf(work: (sql: Sql) => Promise<unknown>): Promise<Sent> {
  const recording = connect(url, { max: 1 });
  const sent: Sent[] = [];
  recording.sql.options.debug = (_connection, text, parameters) => void sent.push({ text, parameters });
  await work(recording.sql);
  await recording.close();
  const found = sent.find(({ text }) => text.includes("with recursive") || text.includes("lateral"));
  if (!found) throw new Error("nothing was looked for");
  return found;
}

/** Of nobody is anything taken. */
const taking = (turns: Partial<Turns>) => (sql: Sql) => takeDueOperations(sql, { ...TURNS, ...turns }, LEASE);

/** Index and conditions of each look-up. */
const lookUpsOf = (plan: Plan) =>
  nodesOf(plan)
    .filter((node) => node["Relation Name"] !== undefined && node["Node Type"] !== "ModifyTable")
    .map((node) => {
      const conditions = [...(node["Index Cond"] ?? "").matchAll(/\((\w+ [<>=]+)/g)].map(([, condition]) => condition);
      return `${node["Index Name"] ?? node["Node Type"]}: ${conditions.join(", ")}`;
    });

const TURN = { after: BEFORE_ALL, share: 25, most: 100 };

/** What is looked up by each; whether a payment past its time has been tried lately is looked up besides. */
describe.each([
  [
    "operations",
    taking({}),
    [
      "environments_pkey: id =",
      "operations_environment_id_id_pk: environment_id =, id =",
      "operations_open: environment_id =, next_attempt_at >, next_attempt_at <=, created_at >",
      "operations_open: environment_id >",
      "operations_open: environment_id >",
    ],
  ],
  [
    "authorizations",
    (sql: Sql) => listExpiredAuthorizations(sql, TURN),
    [
      "environments_pkey: id =",
      "payments_expiring: environment_id =, capture_before <=",
      "payments_expiring: environment_id >",
      "payments_expiring: environment_id >",
    ],
  ],
  [
    "challenges",
    (sql: Sql) => listAbandonedChallenges(sql, 30, TURN),
    [
      "environments_pkey: id =",
      "payments_waiting: environment_id =, updated_at <=",
      "payments_waiting: environment_id >",
      "payments_waiting: environment_id >",
    ],
  ],
  [
    "late approvals",
    (sql: Sql) => listUnreturnedApprovals(sql, TURN),
    [
      "environments_pkey: id =",
      "operations_late_approvals: environment_id >",
      "payments_environment_id_id_pk: environment_id =, id =",
    ],
  ],
  [
    "reports",
    (sql: Sql) => listSandboxReports(sql, TURN),
    ["sandbox_reports_open: account =", "sandbox_reports_open: account >", "sandbox_reports_open: account >"],
  ],
  [
    "failing refunds",
    (sql: Sql) => failDueSandboxRefunds(sql, TURN),
    [
      "charges_pkey: reference =",
      "charges_pkey: reference =",
      "operations_pkey: reference =",
      "reports_pkey: reference =",
      "sandbox_reports_open: account =",
      "sandbox_reports_open: account >",
      "sandbox_reports_open: account >",
    ],
  ],
])("%s that are due, planned for any values", (_, work, expected) => {
  it.each([
    ["empty", fresh],
    ["large", db],
  ])("on %s tables, are walked to, and found by their keys", async (_name, { sql }) => {
    const { text } = await statementOf(work);
    const plan = await genericPlanOf(sql, text);
    const own = (lookUp: string) => !lookUp.startsWith("operations_payment: ");
    expect(lookUpsOf(plan).filter(own).toSorted()).toEqual(expected);
  });
});

it.each([
  ["the first of 100,000 and the only one", {}, [LARGE, SMALL]],
  ["the only one, past 100,000 of an environment that has its share", { passedOver: [LARGE] }, [SMALL]],
  ["the only one, in the turn after that of 100,000", { after: LARGE }, [SMALL]],
  ["none, past 100,000 that were given up", { after: SMALL }, []],
])("%s: taken from few pages", async (_, turns, expected) => {
  const { text, parameters } = await statementOf(taking(turns));
  const undone = new Error("undone");
  const work = db.sql.begin(async (tx) => {
    const literal = (value: unknown) => (String(value) === "0" ? "'20'" : `'${value}'`);
    const own = text.replace(/\$(\d+)/g, (_all, number) => literal(parameters[Number(number) - 1]));
    const [row] = await tx.unsafe(`explain (analyze, buffers, format json) ${own}`).simple();
    expect(pagesOf(row)).toBeLessThan(1_500);
    const taken = await tx`select environment_id from operations where epoch > 1 order by 1`;
    expect(taken.map((one) => one.environment_id)).toEqual(expected);
    throw undone;
  });
  await expect(work).rejects.toBe(undone);
});

/** Of the 8,000 that the table has, the index not counted. */
function pagesOf(row: unknown): number {
  const plan = planOf(row) as Plan & Record<"Shared Hit Blocks" | "Shared Read Blocks", number>;
  return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
}
