import { afterAll, expect, test, vi } from "vitest";
import type { Database } from "@/db/client";
import { testDatabase } from "@/e2e/fixtures/database";
import { testTenant } from "@/e2e/fixtures/factories";
import { encodeId } from "@/lib/contract/ids";
import { disableApiKey, revokeApiKey } from "@/lib/domain/api-keys/change-keys";
import { createApiKey, newKeySecret } from "@/lib/domain/api-keys/issue-keys";
import { type Authenticator, type AuthenticatorOptions, type Credentials, createAuthenticator } from "./authenticate";

const { db } = await testDatabase();
const made: Authenticator[] = [];
afterAll(() => Promise.all(made.map((authenticator) => authenticator.stop())));

/** An authenticator that counts its look-ups, and a tenant with a key. */
async function setup(options: AuthenticatorOptions = {}, key: Partial<Parameters<typeof createApiKey>[1]> = {}) {
  const tenant = await testTenant(db);
  const environmentId = key.environmentId ?? tenant.merchant.test.id;
  const { row, secret } = await createApiKey(tenant.service, {
    environmentId,
    name: "Shop",
    permissions: ["payment.read"],
    ...key,
  });
  let queries = 0;
  const counting = new Proxy(db.sql, {
    apply: (target, self, args) => {
      if (String(args[0]).includes("secret_sha256")) queries++;
      return Reflect.apply(target, self, args);
    },
  }) as Database["sql"];
  const authenticator = createAuthenticator({ db: { sql: counting }, log: tenant.service.log }, options);
  made.push(authenticator);
  return {
    ...tenant,
    row,
    secret,
    environmentId,
    authenticator,
    queries: () => queries,
    ask: (request: Partial<Credentials> = {}) =>
      authenticator.authenticate({ apiKey: secret, host: "api.test", ip: "192.0.2.1", ...request }),
  };
}

/** Freezes the clock of the key cache at `ms` from now, so that tests don't have to wait. */
async function at(ms: number, run: () => Promise<unknown>): Promise<void> {
  const time = performance.now() + ms;
  const spy = vi.spyOn(performance, "now").mockImplementation(() => time);
  try {
    await run();
  } finally {
    spy.mockRestore();
  }
}

test("a key opens its own environment with its own permissions", async () => {
  const { ask, row, merchant } = await setup();
  expect(await ask()).toEqual({
    actor: { type: "api_key", id: row.id },
    limitKey: row.id,
    environment: merchant.test,
    permissions: new Set(["payment.read"]),
    verified: false,
  });
});

test.each([null, ""])("without a key (%j) the response is api_key_missing", async (apiKey) => {
  const { ask } = await setup();
  await expect(ask({ apiKey })).rejects.toMatchObject({ code: "api_key_missing", status: 401 });
});

test("unknown, malformed, disabled, revoked and expired keys get the same response", async () => {
  const { ask, queries, service, environmentId } = await setup();
  const spoil = async (how: (id: string) => Promise<unknown>) => {
    const { row, secret } = await createApiKey(service, { environmentId, name: "x", permissions: ["payment.read"] });
    await how(row.id);
    return secret;
  };
  const key = (id: string) => ({ environmentId, id: encodeId("apiKey", id) });
  const malformed = ["nonsense", `sk_test_${"a".repeat(38)}`, "x".repeat(10_000)];
  const keys = [
    newKeySecret("test"),
    await spoil((id) => disableApiKey(service, key(id))),
    await spoil((id) => revokeApiKey(service, key(id))),
    await spoil((id) => db.sql`update api_keys set expires_at = now() - interval '1 ms' where id = ${id}`),
  ];
  const answers = await Promise.all([...malformed, ...keys].map((apiKey) => ask({ apiKey }).catch((error) => error)));
  for (const { code, message, param, extra } of answers) {
    expect({ code, message, param, extra }).toEqual({
      code: "api_key_invalid",
      message: answers[0].message,
      param: null,
      extra: {},
    });
  }
  expect(queries()).toBe(keys.length);
});

test("a thousand requests within half a second cost one look-up; the next half second costs another", async () => {
  const { ask, queries } = await setup();
  await at(0, async () => {
    await Promise.all(Array.from({ length: 500 }, () => ask()));
    for (let i = 0; i < 500; i++) await ask();
  });
  expect(queries()).toBe(1);
  await at(500, async () => {
    await ask();
    expect(queries()).toBe(2);
  });
});

test("a revoked key stops on every process as soon as 500 ms have passed, even under steady use", async () => {
  const { ask, service, row, environmentId, secret } = await setup();
  const other = createAuthenticator({ db, log: service.log });
  made.push(other);
  const askOther = () => other.authenticate({ apiKey: secret, host: null, ip: "192.0.2.1" });
  await Promise.all([ask(), askOther()]);
  await revokeApiKey(service, { environmentId, id: encodeId("apiKey", row.id) });
  await at(500, async () => {
    await expect(ask()).rejects.toMatchObject({ code: "api_key_invalid" });
    await expect(askOther()).rejects.toMatchObject({ code: "api_key_invalid" });
  });
});

test("a slow look-up's result is not cached for longer", async () => {
  const { service, secret, row, environmentId } = await setup();
  const signal = () => {
    let fire = () => {};
    const fired = new Promise<void>((resolve) => {
      fire = resolve;
    });
    return { fire, fired };
  };
  const [read, answer] = [signal(), signal()];
  let slow = true;
  const sql = new Proxy(db.sql, {
    apply: (target, self, args) => {
      const query = Reflect.apply(target, self, args) as Promise<unknown>;
      if (!slow) return query;
      return query.then(async (rows) => {
        read.fire();
        await answer.fired;
        return rows;
      });
    },
  }) as Database["sql"];
  const authenticator = createAuthenticator({ db: { sql }, log: service.log });
  made.push(authenticator);
  const ask = () => authenticator.authenticate({ apiKey: secret, host: null, ip: "192.0.2.1" });
  const first = ask();
  await read.fired;
  await revokeApiKey(service, { environmentId, id: encodeId("apiKey", row.id) });
  slow = false;
  await at(500, async () => {
    await expect(ask()).rejects.toMatchObject({ code: "api_key_invalid" });
    answer.fire();
    await first;
    await expect(ask()).rejects.toMatchObject({ code: "api_key_invalid" });
  });
});

test("a failed look-up is a separate error, and the next request tries again", async () => {
  const { service, secret } = await setup();
  let down = true;
  const sql = new Proxy(db.sql, {
    apply: (target, self, args) =>
      down ? Promise.reject(new Error("connection refused")) : Reflect.apply(target, self, args),
  }) as Database["sql"];
  const authenticator = createAuthenticator({ db: { sql }, log: service.log });
  made.push(authenticator);
  const ask = () => authenticator.authenticate({ apiKey: secret, host: null, ip: "192.0.2.1" });
  await expect(ask()).rejects.toThrow("connection refused");
  down = false;
  await expect(ask()).resolves.toBeDefined();
});

test("on the other environment's host a key is invalid; on any other host it works", async () => {
  const options = { sandboxBaseUrl: "https://sandbox.pay.test", liveBaseUrl: "https://api.pay.test:8443/" };
  const test = await setup(options);
  const live = await setup(options, { environmentId: (await testTenant(db)).merchant.live.id });
  const refused = { code: "api_key_invalid" };
  for (const host of ["sandbox.pay.test", "SANDBOX.pay.test", "sandbox.pay.test:443", "sandbox.pay.test."]) {
    await expect(test.ask({ host })).resolves.toBeDefined();
    await expect(live.ask({ host })).rejects.toMatchObject(refused);
  }
  await expect(live.ask({ host: "api.pay.test:8443" })).resolves.toBeDefined();
  await expect(test.ask({ host: "api.pay.test:8443" })).rejects.toMatchObject(refused);
  for (const host of ["localhost:3000", null]) {
    await expect(test.ask({ host })).resolves.toBeDefined();
    await expect(live.ask({ host })).resolves.toBeDefined();
  }
});

test("one address for both environments refuses neither", async () => {
  const options = { sandboxBaseUrl: "https://pay.test", liveBaseUrl: "https://pay.test" };
  const { ask } = await setup(options);
  await expect(ask({ host: "pay.test" })).resolves.toBeDefined();
});

test("a key with an allow list works from those addresses only, on first and later requests", async () => {
  const { ask } = await setup({}, { ipAllowList: ["192.0.2.0/24", "2001:db8::/32"] });
  for (let i = 0; i < 2; i++) {
    for (const ip of ["192.0.2.9", "::ffff:192.0.2.9", "2001:db8::9"]) await expect(ask({ ip })).resolves.toBeDefined();
    for (const ip of ["192.0.3.9", "2001:db9::9", ""]) {
      await expect(ask({ ip })).rejects.toMatchObject({ code: "ip_not_allowed", status: 403 });
    }
  }
});

test("a suspended merchant gets the reason", async () => {
  const { ask, merchant } = await setup();
  await db.sql`update merchants set suspended_at = now() where id = ${merchant.id}`;
  await expect(ask()).rejects.toMatchObject({ code: "merchant_suspended", status: 403 });
  await expect(ask()).rejects.toMatchObject({ code: "merchant_suspended" });
});

test("the last use of a key is recorded, and only for admitted requests", async () => {
  const { ask, row, authenticator } = await setup({}, { ipAllowList: ["192.0.2.0/24"] });
  const stored = async () => (await db.sql`select last_used_at, last_used_ip from api_keys where id = ${row.id}`)[0];
  await ask({ ip: "198.51.100.1" }).catch(() => {});
  await authenticator.flush();
  expect(await stored()).toEqual({ last_used_at: null, last_used_ip: null });
  await ask({ ip: "192.0.2.1" });
  await ask({ ip: "192.0.2.2" });
  await authenticator.flush();
  const first = await stored();
  expect(first?.last_used_ip).toBe("192.0.2.2");
  expect(Math.abs(Date.parse(first?.last_used_at) - Date.now())).toBeLessThan(60_000);
  await db.sql`update api_keys set last_used_at = now() + interval '1 hour', last_used_ip = 'later' where id = ${row.id}`;
  await ask({ ip: "192.0.2.3" });
  await authenticator.stop();
  expect((await stored())?.last_used_ip).toBe("later");
});

test("the use of a key survives a flush that failed", async () => {
  const { service, secret, row } = await setup();
  let down = false;
  const sql = new Proxy(db.sql, {
    apply: (target, self, args) => (down ? Promise.reject(new Error("down")) : Reflect.apply(target, self, args)),
  }) as Database["sql"];
  const authenticator = createAuthenticator({ db: { sql }, log: service.log });
  made.push(authenticator);
  await authenticator.authenticate({ apiKey: secret, host: null, ip: "192.0.2.4" });
  down = true;
  await authenticator.flush();
  down = false;
  await authenticator.flush();
  const [stored] = await db.sql`select last_used_ip from api_keys where id = ${row.id}`;
  expect(stored?.last_used_ip).toBe("192.0.2.4");
});
