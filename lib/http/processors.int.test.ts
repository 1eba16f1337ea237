import { afterAll, beforeAll, expect, test } from "vitest";
import { startDouble } from "@/e2e/doubles/stripe/double";
import { connectingService } from "@/e2e/fixtures/connections";
import { testDatabase } from "@/e2e/fixtures/database";
import { cookieOf, testUsers } from "@/e2e/fixtures/users";
import type { DashboardEndpoint } from "@/lib/contract/endpoint";
import type { MerchantRole } from "@/lib/contract/permissions";
import {
  changeConnection,
  checkConnection,
  compareProcessor,
  connectProcessor,
  disconnectProcessor,
  replaceRules,
} from "@/lib/contract/processors/connection";
import { createLogger } from "@/lib/log";
import type { Connector } from "@/lib/processor/connector";
import { STRIPE } from "@/lib/processor/stripe/connector";
import { provideService } from "./current-service";
import { dashboardRoutes } from "./dashboard-endpoints";

const { db } = await testDatabase();
const users = await testUsers(db);

/** Unique secrets that occur only in the bytes sent. Their last four characters are shown as a hint. */
const SECRETS = {
  works: "sk_test_canaryworks5e1f0c7a9b00",
  again: "sk_test_canaryagain77d20b61cc00",
  refused: "sk_test_canaryrefused90aa41ee00",
  malformed: "canarymalformed3b99f7d0000",
  signing: "whsec_canarysigning4de2b8000",
  wrongSigning: "canarywrongsigning8cc1d2000",
};
const secretWords = Object.values(SECRETS).map((secret) => /canary\w{12}/.exec(secret)?.[0] ?? "");

const lines: string[] = [];
const double = await startDouble({ secretKey: SECRETS.works });
const rolled = await startDouble({ secretKey: SECRETS.again });
afterAll(() => Promise.all([double.stop(), rolled.stop()]));
const toDouble: Connector = {
  ...STRIPE,
  create: (options) => {
    const { endpoint } = options.credentials.secret_key === SECRETS.again ? rolled : double;
    return STRIPE.create({ ...options, endpoint });
  },
};
const log = createLogger({ level: "trace", destination: { write: (line: string) => void lines.push(line) } });
const service = connectingService(db, { connectors: [toDouble] }, { log });
beforeAll(() => void provideService(service));

type Who = Awaited<ReturnType<typeof users.newUser>>;
type Params = { mode: "test" | "live"; id?: string };

async function ask(who: Who, { method, path }: DashboardEndpoint, params: Params, body: object = {}) {
  const headers = {
    host: "dashboard.test",
    "sec-fetch-site": "same-origin",
    "content-type": "application/json",
    cookie: await cookieOf(service, who),
  };
  const address = path.replace("{mode}", params.mode).replace("{id}", params.id ?? "");
  const sent = { method, headers, body: JSON.stringify(body) };
  const response = await dashboardRoutes[method](new Request(`http://dashboard.test${address}`, sent));
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}

const bodyWith = (secret_key: string) => ({ processor: "stripe", label: "Shop", credentials: { secret_key } });
const CHANGES: readonly [DashboardEndpoint, object][] = [
  [connectProcessor, bodyWith(SECRETS.refused)],
  [changeConnection, { label: "Other" }],
  [disconnectProcessor, {}],
  [replaceRules, { rules: [] }],
];

test.each<MerchantRole>(["viewer", "operator"])("%s changes nothing and sends no request", async (role) => {
  const person = await users.newUser(role);
  for (const [endpoint, body] of [...CHANGES, [checkConnection, {}], [compareProcessor, { days: 3 }]] as const) {
    const { status, body: refusal } = await ask(person, endpoint, { mode: "test", id: "conn_x" }, body);
    expect([endpoint.name, status, refusal.code]).toEqual([endpoint.name, 403, "permission_denied"]);
  }
});

test("in live mode every change needs re-authentication, a connection test does not; in test mode nothing does", async () => {
  const owner = await users.newUser("owner");
  await db.sql`update user_sessions set proved_at = now() - interval '11 minutes' where id = ${owner.sessionId}`;
  for (const [endpoint, body] of CHANGES) {
    const live = await ask(owner, endpoint, { mode: "live", id: "conn_x" }, body);
    expect([endpoint.name, live.status, live.body.proof_required]).toEqual([endpoint.name, 403, "password"]);
    const sandbox = await ask(owner, endpoint, { mode: "test", id: "conn_x" }, body);
    expect([endpoint.name, sandbox.body.proof_required]).toEqual([endpoint.name, undefined]);
    expect(sandbox.status).not.toBe(403);
  }
  expect((await ask(owner, checkConnection, { mode: "live", id: "conn_x" })).status).toBe(404);
  expect((await ask(owner, compareProcessor, { mode: "live", id: "conn_x" }, { days: 3 })).status).toBe(404);
  expect((await ask(owner, compareProcessor, { mode: "test", id: "conn_x" }, { days: 4 })).status).toBe(400);
});

test("another merchant's connection does not exist for any request", async () => {
  const strangers = await testUsers(db);
  const owner = await strangers.newUser("owner");
  const stranger = await users.newUser("owner");
  const made = await ask(owner, connectProcessor, { mode: "test" }, bodyWith(SECRETS.works));
  expect(made.status).toBe(201);
  for (const endpoint of [changeConnection, checkConnection, disconnectProcessor]) {
    const answer = await ask(stranger, endpoint, { mode: "test", id: made.body.id });
    expect([endpoint.name, answer.status]).toEqual([endpoint.name, 404]);
    const elsewhere = await ask(owner, endpoint, { mode: "live", id: made.body.id });
    expect([endpoint.name, elsewhere.status]).toEqual([endpoint.name, 404]);
  }
  const rules = { rules: [{ currency: "EUR", brand: null, connection_id: made.body.id }] };
  expect((await ask(stranger, replaceRules, { mode: "test" }, rules)).status).toBe(400);
});

test("credentials appear in no response, log line or database row, however they are sent", async () => {
  const owner = await users.newUser("owner");
  const answers: string[] = [];
  const send = async (...given: Parameters<typeof ask> extends [Who, ...infer Rest] ? Rest : never) => {
    const answer = await ask(owner, ...given);
    answers.push(answer.text);
    return answer;
  };
  const at = { mode: "test" } as const;
  expect((await send(connectProcessor, at, bodyWith(SECRETS.refused))).status).toBe(400);
  expect((await send(connectProcessor, at, bodyWith(SECRETS.malformed))).status).toBe(400);
  expect(
    (
      await send(connectProcessor, at, {
        ...bodyWith("x"),
        credentials: { secret_key: SECRETS.works, nothing: SECRETS.malformed },
      })
    ).status,
  ).toBe(400);
  double.faults.next("account", "silence");
  expect((await send(connectProcessor, at, bodyWith(SECRETS.works))).status).toBeGreaterThanOrEqual(500);
  const made = await send(connectProcessor, at, bodyWith(SECRETS.works));
  expect(made.status).toBe(201);
  const one = { ...at, id: made.body.id as string };
  const change = (credentials: object) => send(changeConnection, one, { credentials });
  expect((await change({ webhook_secret: SECRETS.wrongSigning })).status).toBe(400);
  expect((await change({ webhook_secret: SECRETS.signing })).status).toBe(200);
  expect((await change({ secret_key: SECRETS.again })).status).toBe(200);
  rolled.faults.next("account", "garbage");
  expect((await send(checkConnection, one)).body.check_problem).not.toBeNull();
  expect((await send(disconnectProcessor, one)).status).toBe(200);

  const tables = await db.sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
  expect(tables.length).toBeGreaterThan(30);
  const rows = await Promise.all(tables.map(({ name }) => db.sql.unsafe(`select t::text as row from ${name} t`)));
  const everything = [...answers, ...lines, ...rows.flat().map(({ row }) => String(row))].join("\n");
  expect(everything).toContain(made.body.id);
  expect(everything).toContain("settings.processor_connected");
  expect(secretWords.filter((word) => word === "" || everything.includes(word))).toEqual([]);
});
