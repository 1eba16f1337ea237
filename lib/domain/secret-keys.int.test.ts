import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { beforeEach, expect, test, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, testContext, testService } from "@/e2e/fixtures/factories";
import { createClientSessionBody } from "@/lib/contract/checkout/client-session";
import { createPaymentBody } from "@/lib/contract/payments/payment";
import { idempotencyOf } from "@/lib/http/idempotency";
import { toAppError } from "@/lib/http/response";
import { newId } from "@/lib/ids";
import { registerProcess } from "@/lib/jobs/process-registration";
import { createSecret, type Secret } from "@/lib/secret";
import { createClientSession } from "./checkout/client-sessions";
import type { Reply } from "./context";
import { createPayment } from "./payments/create-payment";
import { agreeOnSecret, followSecret, rotateSecret } from "./secret-keys";

const { db, url } = await testDatabase({ own: true });
const OLD = "the-first-secret-of-this-database-1";
const NEW = "the-second-secret-of-this-database-2";
const before = () => createSecret(OLD);
const both = () => createSecret(NEW, [OLD]);
const after = () => createSecret(NEW);

beforeEach(() => db.sql`truncate service_settings`);

const sameSecret = async (secret = before()) => {
  await agreeOnSecret(db.orm, secret);
  return secret;
};

test("a secret other than the database's is refused; processes that start concurrently agree", async () => {
  const wrong = () => agreeOnSecret(db.orm, after());
  await Promise.all([sameSecret(), sameSecret(), sameSecret()]);
  await expect(wrong()).rejects.toThrow(/not the secret of this database: set it/);
  await sameSecret(createSecret(NEW, [OLD]));
  await expect(wrong()).rejects.toThrow(/not the secret of this database/);
});

test("when two processes start on an empty database with different secrets, one is refused", async () => {
  const outcomes = await Promise.allSettled([sameSecret(before()), sameSecret(after())]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

test("a running process follows the rotation, and reports when it cannot", async () => {
  const [stuck, running] = [await sameSecret(before()), await sameSecret(both())];
  expect(running.keyId).toBe(stuck.keyId);
  await rotateSecret(db.orm, both());
  expect(await followSecret({ db, secret: running })).toBe(true);
  expect(running.keyId).toBe(after().keyId);
  expect(await followSecret({ db, secret: stuck })).toBe(false);
  await expect(agreeOnSecret(db.orm, after())).rejects.toThrow(/CARDLANE_SECRET_PREVIOUS/);
});

test("the secret is not rotated while a process without the new one is running", async () => {
  const serve = (secret: Secret) => registerProcess(testService(db, { secret, baseUrl: "https://pay.example" }));
  await sameSecret();
  const [behind, ahead] = [await serve(before()), await serve(both())];
  await expect(rotateSecret(db.orm, both())).rejects.toThrow(
    "A process at https://pay.example does not have the new secret",
  );
  const unchanged = await sameSecret(both());
  expect(unchanged.keyId).toBe(before().keyId);
  await behind();
  await rotateSecret(db.orm, both());
  await expect(serve(before())).rejects.toThrow(/not the secret of this database/);
  await ahead();
  const [left] = await db.sql`select count(*)::int as count from service_settings where key like 'process:%'`;
  expect(left).toEqual({ count: 0 });
});

test("unsealing a value whose secret this process lacks returns a 503, not a 500", async () => {
  const service = testService(db, { secret: before() });
  const sealed = after().seal("made elsewhere");
  const read = () => service.secret.unseal(sealed);
  expect(read).toThrow("is not configured");
  try {
    read();
  } catch (error) {
    const { status, headers } = toAppError(service, error, { id: newId(), path: "/v1/payments" });
    expect([status, headers]).toEqual([503, { "Retry-After": "1" }]);
  }
});

/** Runs `npm run rotate-secret` in a separate process. */
function rotate(): { child: ChildProcess; ended: Promise<unknown[]>; output(): string } {
  const child = spawn(process.execPath, ["--import", "tsx", "scripts/rotate-secret.ts", "--json"], {
    // biome-ignore lint/style/noProcessEnv: the child needs this process's environment, PATH above all
    env: { ...process.env, DATABASE_URL: url, CARDLANE_SECRET: NEW, CARDLANE_SECRET_PREVIOUS: OLD },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { child, ended: once(child, "exit"), output: () => text };
}

test("a rotation that is killed halfway and run again loses neither a sealed value nor a stored response", {
  timeout: 180_000,
}, async () => {
  const merchant = await createTestMerchant(db);
  const old = await sameSecret();
  const card = { number: "4012888888881881", exp_month: 12, exp_year: 2040, cvv: "123" };
  const payment = { amount: 1, currency: "USD", card };
  const session = { amount: 1, currency: "USD" };
  const send = (secret: typeof old, key: string, path: string, body: object) => {
    const service = testService(db, { secret });
    const sent = { environmentId: merchant.test.id, method: "POST", path, body };
    const ctx = testContext(service, merchant.test, { idempotency: idempotencyOf(secret, key, sent) });
    return path === "/v1/payments"
      ? createPayment(ctx, createPaymentBody.parse(body))
      : (createClientSession(ctx, createClientSessionBody.parse(body)) as Promise<Reply>);
  };
  const first = [
    await send(old, "pay", "/v1/payments", payment),
    await send(old, "session", "/v1/client-sessions", session),
  ];
  const userCount = 3_000;
  const rows = Array.from({ length: userCount }, (_, i) => ({ id: newId(), totp: old.seal(`factor ${i}`) }));
  await db.sql`
    insert into users (id, merchant_id, email, password_hash, role, totp_secret)
    select id, ${merchant.id}::uuid, id || '@x.example', 'x', 'member', totp
    from jsonb_to_recordset(${rows as never}::jsonb) as r(id uuid, totp text)`;
  const moved = async () => {
    const [row] = await db.sql<{ n: number }[]>`
      select count(*)::int as n from users where starts_with(totp_secret, ${`s1.${after().keyId}.`})`;
    return row?.n ?? 0;
  };

  // All rows take a minute, so that even a slow machine does not see the rotation finished before the kill.
  await db.sql.unsafe(`
    create function pause() returns trigger language plpgsql as $$ begin perform pg_sleep(0.02); return new; end $$;
    create trigger pause before update on users for each row execute function pause()`);
  const killed = rotate();
  await vi.waitFor(async () => expect(await moved()).toBeGreaterThan(0), { timeout: 60_000, interval: 5 });
  killed.child.kill("SIGKILL");
  await killed.ended;
  const movedBeforeKill = await moved();
  expect(movedBeforeKill).toBeGreaterThan(0);
  expect(movedBeforeKill).toBeLessThan(userCount);
  await db.sql.unsafe("drop trigger pause on users; drop function pause()");

  const replays = async () => {
    const secret = await sameSecret(both());
    expect(secret.keyId).toBe(after().keyId);
    for (const [i, [key, path, body]] of [
      ["pay", "/v1/payments", payment] as const,
      ["session", "/v1/client-sessions", session] as const,
    ].entries()) {
      expect(await send(secret, key, path, body)).toMatchObject({
        status: first[i]?.status,
        body: first[i]?.body,
        replayed: true,
      });
      await expect(send(secret, key, path, { ...body, amount: 2 })).rejects.toMatchObject({
        code: "idempotency_key_reused",
      });
    }
    const users = await db.sql`select totp_secret from users where merchant_id = ${merchant.id} order by id`;
    expect(users.map((row) => secret.unseal(row.totp_secret))).toEqual(rows.map((_, i) => `factor ${i}`));
  };
  await replays();

  const again = rotate();
  expect(await again.ended, again.output()).toEqual([0, null]);
  expect(JSON.parse(again.output())).toMatchObject({ finished: false, waiting: 2 });
  expect(await moved()).toBe(userCount);
  await replays();
  // While a request under an old key may be repeated, no process starts without the old secret.
  await expect(agreeOnSecret(db.orm, after())).rejects.toThrow(/CARDLANE_SECRET_PREVIOUS/);

  await db.sql`update idempotency_keys set created_at = created_at - interval '25 hours'`;
  expect(await rotateSecret(db.orm, both())).toMatchObject({ waiting: 0, finished: false });
  await db.sql`update service_settings set value = (value::timestamptz - interval '25 hours')::text where key = 'secret_rotated_at'`;
  expect(await rotateSecret(db.orm, both())).toEqual({ resealed: 0, waiting: 0, finished: true });
  const alone = await sameSecret(after());
  const [user] = await db.sql`select totp_secret from users where id = ${rows[0]?.id as string}`;
  expect(alone.unseal(user?.totp_secret)).toBe("factor 0");
});
