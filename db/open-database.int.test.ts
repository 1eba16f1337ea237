import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { inRolesOf, testDatabase } from "@/e2e/fixtures/database";
import { moneyTenant } from "@/e2e/fixtures/money";
import { PGBOUNCER, startPgBouncer } from "@/e2e/fixtures/pgbouncer";
import { startTcpProxy } from "@/e2e/fixtures/tcp-proxy";
import { newId } from "@/lib/ids";
import { connect, connectSql } from "./client";
import { pickPort } from "./embedded-cluster";
import { openDatabase } from "./open-database";

const { url, db } = await testDatabase({ own: true });
afterAll(() => vi.unstubAllEnvs());
beforeEach(() => vi.unstubAllEnvs());

const open = (target: string, onProgress?: (what: string) => void) => {
  vi.stubEnv("DATABASE_URL", target);
  return openDatabase(onProgress ? { onProgress } : {});
};
const changed = (change: (address: URL) => void) => {
  const address = new URL(url);
  change(address);
  return address.href;
};

describe("an unusable database is reported in one sentence", () => {
  test.each([
    ["a wrong password", changed((a) => (a.password = "wrong")), "refuses the user or password"],
    ["no such database", changed((a) => (a.pathname = "/nowhere")), 'There is no database "nowhere"'],
    ["no TLS although it is required", changed((a) => (a.search = "?sslmode=require")), "it offers no TLS"],
  ])("%s", async (_, target, sentence) => {
    await expect(open(target)).rejects.toThrow(sentence);
  });

  test("no rights on the schema", async () => {
    await db.sql.unsafe(`revoke create on schema public from public; create role weak login password 'weak';
      grant create on database "${new URL(url).pathname.slice(1)}" to weak`);
    const target = changed((address) => {
      address.username = "weak";
      address.password = "weak";
    });
    await expect(open(target)).rejects.toThrow('GRANT CREATE ON SCHEMA public TO "weak"');
    await db.sql.unsafe(`drop owned by weak; drop role weak`);
  });
});

test("a database that is not up yet is waited for, with progress reported", async () => {
  const port = await pickPort();
  const target = changed((address) => {
    address.port = String(port);
  });
  const said: string[] = [];
  const opening = open(target, (what) => void said.push(what));
  await expect.poll(() => said.length).toBeGreaterThan(0);
  const through = await startTcpProxy(url, port);
  await expect(opening).resolves.toMatchObject({ embedded: false });
  await through.close();
  expect(said[0]).toContain("nothing listens there");
});

test("of several hosts, the available one is used", async () => {
  const { host, username, password, pathname } = new URL(url);
  const target = `postgres://${username}:${password}@127.0.0.1:${await pickPort()},${host}${pathname}?target_session_attrs=read-write`;
  const own = connect(target, { max: 2 });
  expect(await own.sql`select 1 as one`).toEqual([{ one: 1 }]);
  await own.close();
});

test("plans do not depend on the server's settings, on any connection", async () => {
  const { db: elsewhere, url: set } = await testDatabase({ own: true });
  const name = new URL(set).pathname.slice(1);
  for (const setting of ["jit = on", "random_page_cost = 4"]) {
    await elsewhere.sql.unsafe(`alter database "${name}" set ${setting}`);
  }
  const own = connect(inRolesOf(set), { max: 3 });
  const query = "select current_setting('jit') as jit, current_setting('random_page_cost') as page";
  const { sql, orm } = own.within(newId());
  const answers = [
    ...(await Promise.all([own.sql, own.long, sql].map((each) => each.unsafe(query)))),
    ...(await Promise.all([own.orm, orm].map((each) => each.execute(query)))),
  ];
  expect(answers.map(([row]) => row)).toEqual(Array(5).fill({ jit: "off", page: "1.1" }));
  await own.close();
});

describe.skipIf(PGBOUNCER === null)("behind PgBouncer (skipped without it)", () => {
  async function through(mode: "session" | "transaction"): Promise<string> {
    const pooler = await startPgBouncer(url, mode);
    onTestFinished(() => pooler.stop());
    return pooler.url;
  }

  test("session pooling works at its defaults, including settings and transactions", async () => {
    const target = await through("session");
    await open(target);
    const own = connect(target, { max: 3 });
    const rows = await Promise.all(
      Array.from({ length: 20 }, () => own.sql`select current_setting('enable_seqscan') as seqscan`),
    );
    expect(new Set(rows.map(([row]) => row?.seqscan))).toEqual(new Set(["off"]));
    expect(await own.sql.begin((tx) => tx`select 1 as one`)).toEqual([{ one: 1 }]);
    await own.close();
  });

  test("session pooling: role and environment are reset with the client that set them", async () => {
    const target = await through("session");
    const own = connect(inRolesOf(target), { max: 4, applicationName: "behind-pgbouncer" });
    const tenants = [await moneyTenant(db, { db: own }), await moneyTenant(db, { db: own })] as const;
    for (const tenant of tenants) expect((await tenant.create()).status).toBe(201);
    for (const { environmentId } of tenants) {
      const [row] = await own.within(environmentId).sql`select array_agg(environment_id) as seen from payments`;
      expect(row?.seen).toEqual([environmentId]);
    }
    const used = await db.sql`select pid from pg_stat_activity where application_name = 'behind-pgbouncer'`;
    await own.close();
    const next = connectSql(target, { max: 1 });
    const [row] = await next`select pg_backend_pid() as pid, current_user = session_user as is_itself,
      coalesce(current_setting('cardlane.environment', true), '') as environment`;
    await next.end({ timeout: 1 });
    expect(used.map(({ pid }) => pid)).toContain(row?.pid);
    expect(row).toMatchObject({ is_itself: true, environment: "" });
  });

  test("transaction pooling is refused with the setting to change", async () => {
    await expect(open(await through("transaction"))).rejects.toThrow("set pool_mode = session");
  });
});
