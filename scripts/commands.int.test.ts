import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { BOOK_CHECKS } from "@/db/queries/reconciliation/checks";
import { ACCOUNT_ID, startDouble } from "@/e2e/doubles/stripe/double";
import { bookCorruptions } from "@/e2e/fixtures/book-corruptions";
import { insertBookedPayment, insertEnvironment } from "@/e2e/fixtures/books";
import { connectingTenant } from "@/e2e/fixtures/connections";
import { testDatabase } from "@/e2e/fixtures/database";
import { TEST_SECRET } from "@/e2e/fixtures/factories";
import { encodeId } from "@/lib/contract/ids";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { newId } from "@/lib/ids";
import { operatorConnectionId } from "@/lib/processor/connections";
import { STRIPE } from "@/lib/processor/stripe/connector";
import { isServiceRunning, publishAddress, serviceAddress } from "@/lib/server/address";
import { ENTRIES } from "@/lib/server/build-server";
import type { Main } from "@/lib/server/cli";
import { main as createKey } from "./create-key";
import { main as createMerchant } from "./create-merchant";
import { main as createStaff } from "./create-staff";
import { main as reconcile } from "./reconcile";
import { main as rotateSecret } from "./rotate-secret";
import { main as settle } from "./settle";
import { main as verify } from "./verify";

const { db, url } = await testDatabase({ own: true });
/** Another service may be running on the project's own folder. */
const dataDir = mkdtempSync(join(tmpdir(), "cardlane-commands-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };

type Ran = { code: number | null; out: string; err: string };
type Settings = Record<string, string>;
const DEFAULTS = { DATABASE_URL: url, DATA_DIR: dataDir, CARDLANE_SECRET: TEST_SECRET };

/** `npm run NAME -- …` in its own process, without the runner's settings. */
async function spawnCommand(name: string, args: string[] = []): Promise<Ran> {
  const [program, ...given] = scripts[name]?.split(" ") ?? [];
  expect(program, `package.json has no command ${name}`).toBe("node");
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...given, ...args], {
    env: { PATH, HOME, ...DEFAULTS } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ran: Ran = { code: null, out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    ran.out += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    ran.err += chunk;
  });
  [ran.code] = await once(child, "close");
  return ran;
}

/** Runs a command in this process. */
async function run(main: Main, args: string[] = [], settings: Settings = {}): Promise<Ran> {
  for (const [name, value] of Object.entries({ ...DEFAULTS, ...settings })) vi.stubEnv(name, value);
  const ran: Ran = { code: null, out: "", err: "" };
  try {
    ran.code = await main(args, {
      stdout: { write: (text) => (ran.out += text) },
      stderr: { write: (text) => (ran.err += text) },
    });
    return ran;
  } finally {
    vi.unstubAllEnvs();
    // A real command's cached database time ends with its process; here it would outlive a fake clock.
    Reflect.deleteProperty(globalThis, Symbol.for("cardlane.database-time"));
  }
}

test("every command in package.json is built, so that it runs without development dependencies", () => {
  const named = Object.values(scripts).flatMap((line) => /scripts\/command\.mjs (\S+)$/.exec(line)?.[1] ?? []);
  expect(named.toSorted()).toEqual(
    Object.keys(ENTRIES)
      .filter((name) => !["build", "main", "pages"].includes(name))
      .toSorted(),
  );
});

describe("without a database", () => {
  const folder = mkdtempSync(join(tmpdir(), "cardlane-without-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ["verify", verify, []],
    ["settle", settle, []],
    ["rotate-secret", rotateSecret, []],
    ["create-key", createKey, ["--merchant", "m", "--mode", "test", "--name", "n", "--permissions", "payment.read"]],
  ])("%s says so and creates none", async (_, main, args) => {
    const { code, out, err } = await run(main, args, { DATABASE_URL: "", DATA_DIR: folder });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(`There is no database in ${folder}. Run this where the service runs, with the same DATA_DIR`);
    expect(readdirSync(folder)).toEqual([]);
  });
});

test("of several services on one data folder, commands use one that runs, until the last has ended", () => {
  vi.stubEnv("DATA_DIR", dataDir);
  vi.stubEnv("BASE_URL", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  const publish = (pid: number, base_url: string) =>
    writeFileSync(join(dataDir, `service-${pid}.json`), JSON.stringify({ pid, base_url }));
  const withdraw = publishAddress();
  const own = serviceAddress();
  publish(process.ppid, "http://other.example");
  // No process has this id.
  publish(2 ** 22 + 1, "http://killed.example");
  expect([own, "http://other.example"]).toContain(serviceAddress());
  withdraw();
  expect([isServiceRunning(), serviceAddress()]).toEqual([true, "http://other.example"]);
  publishAddress()();
  expect(readdirSync(dataDir).filter((name) => name.startsWith("service-"))).toEqual([`service-${process.ppid}.json`]);
  rmSync(join(dataDir, `service-${process.ppid}.json`));
  expect(isServiceRunning()).toBe(false);
});

describe("verify", () => {
  test("prints every check and ends with 0 while the books balance, and with 1 and the broken rule when they do not", async () => {
    const environmentId = await insertEnvironment(db);
    const ids = await insertBookedPayment(db, { environmentId, amount: 10_000, captured: 9_000, refunded: 1_000 });
    const clean = await spawnCommand("verify");
    expect([clean.code, clean.err]).toEqual([0, ""]);
    for (const { check, proves } of BOOK_CHECKS) expect(clean.out).toContain(`  ✓ ${check}\n    ${proves}\n`);
    expect(clean.out).toContain("✓ audit_seals_hold");
    expect(clean.out).toMatch(/The books balance: \d+ checks over \d+ payments in [\d.]+ s\.\n/);

    const check = "counters_match_ledger";
    const corruption = bookCorruptions(db).find((one) => one.check === check);
    await corruption?.corrupt(environmentId, ids, newId(), { refund: newId(), batchId: newId() });
    const broken = await spawnCommand("verify");
    expect([broken.code, broken.err]).toEqual([1, ""]);
    expect(broken.out).toContain(`  ✗ ${check}: 1 offending row\n`);
    expect(broken.out).toContain(ids.payment);
    expect(broken.out).toMatch(/The books do not balance: \d+ of \d+ checks failed\.\n/);
    const asJson = await run(verify, ["--json"]);
    expect([asJson.code, asJson.err]).toEqual([1, ""]);
    const report = JSON.parse(asJson.out) as { balanced: boolean; checks: { check: string; count: number }[] };
    expect(report.balanced).toBe(false);
    expect(report.checks.find((one) => one.check === check)).toMatchObject({ count: 1 });
    await db.sql`update payments set amount_refunded = amount_refunded - 1 where id = ${ids.payment}`;
  });

  test("prints its usage for unknown arguments", async () => {
    const { code, out, err } = await run(verify, ["--quick"]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe("Unknown option '--quick'.\nUsage: npm run verify [-- --json]\n");
  });
});

const LIVE_KEY = "sk_live_oftheoperator000000c4m1";
/** Payments younger than five minutes aren't compared. */
const AGO_MS = 10 * 60_000;

/** Runs `work` with the clock set back ten minutes. */
async function tenMinutesAgo<T>(work: () => T): Promise<Awaited<T>> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - AGO_MS });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

/** The operator's account at a Stripe double, with one live payment created ten minutes ago. */
async function withOperator() {
  const double = await startDouble({ livemode: true, secretKey: LIVE_KEY });
  onTestFinished(() => double.stop());
  const { endpoint } = double;
  const credentials = { secret_key: LIVE_KEY };
  const operator = { connector: STRIPE, credentials, rawCards: false, endpoint };
  const payment = await tenMinutesAgo(async () => {
    const tenant = await connectingTenant(db, { connectors: [STRIPE], operator });
    const environment = tenant.merchant.live;
    const { status, body } = await tenant.create({ payment_token: "pm_card_visa" }, { context: { environment } });
    expect(status).toBe(201);
    // The fake clock doesn't affect the database.
    await db.sql`update payments set updated_at = created_at where environment_id = ${environment.id}`;
    return body;
  });
  return {
    double,
    payment,
    connection: encodeId("connection", operatorConnectionId("stripe", ACCOUNT_ID)),
    since: new Date(Date.now() - 2 * AGO_MS).toISOString(),
    settings: { LIVE_PROCESSOR: "stripe", STRIPE_SECRET_KEY: LIVE_KEY, LIVE_PROCESSOR_ENDPOINT: endpoint },
  };
}

describe("reconcile", () => {
  test("ends with 0 while both books agree, and with 1 and the difference if they don't; verify reports it", async () => {
    const { double, payment, connection, since, settings } = await withOperator();
    const never = await run(verify, [], settings);
    expect(never.out).toContain(`${connection}: never compared with the processor's own books. Run npm run reconcile`);

    const asked = ["--connection", connection, "--since", since];
    const same = await run(reconcile, asked, settings);
    expect([same.code, same.err]).toEqual([0, ""]);
    expect(same.out).toContain("Compared: 1 payment, 0 refunds.");
    expect(same.out).toContain(`Cardlane and Stripe (${ACCOUNT_ID}) agree.`);
    expect((await run(verify, [], settings)).out).not.toContain("Not checked here");

    const [intent] = [...double.books.intents.values()];
    const refund = { intent: intent?.id ?? "", amount: 1_000, reason: null, metadata: {} };
    await tenMinutesAgo(() => double.books.createRefund(refund));
    const other = await run(reconcile, asked, settings);
    expect([other.code, other.err]).toEqual([1, ""]);
    expect(other.out).toContain("✗ Only at the processor: refund ");
    expect(other.out).toContain(`✗ Amounts differ: payment ${payment.id} = ${intent?.id}`);
    expect(other.out).toContain(`2 differences between Cardlane and Stripe (${ACCOUNT_ID}).`);
    const asJson = await run(reconcile, [...asked, "--json"], settings);
    expect([asJson.code, asJson.err]).toEqual([1, ""]);
    expect(JSON.parse(asJson.out)).toMatchObject({
      label: `Stripe (${ACCOUNT_ID})`,
      payments: 1,
      difference_count: 2,
    });
    expect((await run(verify, [], settings)).out).toContain("2 differences found");
  });

  const unknown = encodeId("connection", newId());
  test.each([
    [
      ["--connection", unknown, "--since", "2026-01-01"],
      `There is no connection '${unknown}'. Its id is in its settings.`,
    ],
    [
      ["--connection", "stripe", "--since", "2026-01-01"],
      "There is no connection 'stripe'. Its id is in its settings.",
    ],
    [
      ["--connection", unknown, "--since", "last week"],
      "--since must be a date such as 2026-11-20, or a time with its zone.",
    ],
    [
      ["--connection", unknown, "--since", "2026-13-45"],
      "--since must be a date such as 2026-11-20, or a time with its zone.",
    ],
    [
      ["--connection", unknown, "--since", "2026-01-01", "--until", "now"],
      "--until must be a date such as 2026-11-20, or a time with its zone.",
    ],
    [["--connection", unknown], "--since is missing."],
  ])("refuses %j with a sentence and its usage", async (args, sentence) => {
    const { code, out, err } = await run(reconcile, args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe(
      `${sentence}\nUsage: npm run reconcile -- --connection ID --since DATE [--until DATE] [--report FILE.csv]... [--json], or --restored-to TIME [--json]\n`,
    );
  });
});

describe("an operator's other commands", () => {
  test("create a merchant, a key for it and a member of staff, and reject what is impossible", async () => {
    const email = `${newId()}@shop.example`;
    const made = await run(createMerchant, ["--name", "Harbour", "--email", email, "--json"]);
    expect([made.code, made.err]).toEqual([0, ""]);
    const merchant = JSON.parse(made.out) as { merchant_id: string; test_key: string };
    expect(merchant.test_key).toMatch(/^sk_test_/);
    const again = await run(createMerchant, ["--name", "Harbour", "--email", email]);
    expect([again.code, again.out]).toEqual([1, ""]);
    expect(again.err).toContain(email);

    const of = ["--merchant", merchant.merchant_id, "--mode", "live", "--name", "Server"];
    const key = await run(createKey, [...of, "--permissions", "payment.create, payment.read"]);
    expect([key.code, key.err]).toEqual([0, ""]);
    expect(key.out).toMatch(/^id {3}key_\w+\nkey {2}sk_live_\w+\n$/);
    const wrong = await run(createKey, [...of, "--permissions", "payment.steal"]);
    expect([wrong.code, wrong.out]).toEqual([2, ""]);
    expect(wrong.err).toContain(
      `There is no permission 'payment.steal'. The permissions are ${PERMISSIONS.join(", ")}.\n`,
    );

    const person = ["--email", `${newId()}@cardlane.example`];
    const staff = await run(createStaff, person);
    expect([staff.code, staff.err]).toEqual([0, ""]);
    expect(staff.out).toMatch(/^recovery codes \S+$/m);
    const unlocked = await run(createStaff, [...person, "--unlock"]);
    expect([unlocked.code, unlocked.err]).toEqual([0, ""]);
    expect(unlocked.out).toContain(`${person[1]} can sign in again`);
  });

  test("settle captured payments, once", async () => {
    const environmentId = await insertEnvironment(db);
    await insertBookedPayment(db, { environmentId, amount: 4_321 });
    const { code, out, err } = await run(settle, ["--json"]);
    expect([code, err]).toEqual([0, ""]);
    const { batches } = JSON.parse(out) as { batches: object[] };
    expect(batches).toContainEqual(
      expect.objectContaining({ environment_id: encodeId("environment", environmentId), charge_amount: 4_321 }),
    );
    const again = await run(settle);
    expect([again.code, again.out]).toEqual([
      0,
      "Nothing to settle: every captured payment and accepted refund is in a batch.\n",
    ]);
  });

  test("move the database to a new secret; another one is refused", async () => {
    const settings = { CARDLANE_SECRET: "a secret that is new here, of 32 and more characters" };
    const alone = await run(rotateSecret);
    expect([alone.code, alone.out]).toEqual([2, ""]);
    expect(alone.err).toContain("Set CARDLANE_SECRET to a new secret and CARDLANE_SECRET_PREVIOUS to the current one");
    const moved = await run(rotateSecret, ["--json"], { ...settings, CARDLANE_SECRET_PREVIOUS: TEST_SECRET });
    expect([moved.code, JSON.parse(moved.out)]).toEqual([
      0,
      expect.objectContaining({ finished: expect.any(Boolean) }),
    ]);
    const old = await run(verify);
    expect([old.code, old.out]).toEqual([1, ""]);
    expect(old.err).toMatch(/not the secret of this database/);
  });
});
