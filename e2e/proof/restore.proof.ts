import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { connect, type Database } from "@/db/client";
import type { Binaries } from "@/db/embedded-binaries";
import { decodeId } from "@/lib/contract/ids";
import { startDouble } from "../doubles/stripe/double";
import { TEST_SECRET } from "../fixtures/factories";
import { OwnServer } from "../fixtures/own-server";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { type Answer, Client, inParallel, isFinal, type MoneyRequest, paymentOf } from "./client";
import { reportFigure } from "./figures";
import { startHost } from "./host";
import { createTenant } from "./tenant";

const DATABASE = "cardlane";
const LANES = 4;
/** Payments answered after the restored second; an order has two responses at most. */
const MIN_LOST = 10;
const LIVE_KEY = "sk_live_oftheproof0000000000";

/** Live payments, so that the operator's settings alone lead to the double, for the service and the command. */
const settingsOf = (endpoint: string) => ({
  LIVE_PROCESSOR: "stripe",
  STRIPE_SECRET_KEY: LIVE_KEY,
  LIVE_PROCESSOR_ENDPOINT: endpoint,
});

/**
 * An installed PostgreSQL of a supported version with pg_basebackup, which the embedded one lacks; null if there
 * is none.
 */
function findInstalled(): Binaries | null {
  const versions = "/usr/lib/postgresql";
  const folders = [
    ...(existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, "bin")) : []),
    ...(process.env.PATH ?? "").split(delimiter),
  ];
  for (const bin of folders) {
    if (!["initdb", "postgres", "pg_basebackup"].every((name) => existsSync(join(bin, name)))) continue;
    const version = execFileSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" });
    const major = Number(/\d+/.exec(version)?.[0]);
    if (major >= 15) return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres"), major };
  }
  return null;
}

type Sent = { request: MoneyRequest; answer: Answer | null };

/** A shop's orders in parallel lanes, until the service is gone. A request without a response is not repeated. */
class Orders {
  readonly sent: Sent[] = [];
  #stopped = false;
  readonly #lanes: Promise<void>[];

  countAnswered = () => this.sent.filter(({ answer }) => answer !== null).length;

  constructor(readonly client: Client) {
    this.#lanes = Array.from({ length: LANES }, (_, lane) => this.#run(lane));
  }

  async end(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#lanes);
  }

  async #run(first: number): Promise<void> {
    const kinds = [() => this.#sale(), () => this.#captured(), () => this.#voided(), () => this.#declined()];
    for (let number = first; !this.#stopped; number++) if (!(await kinds[number % kinds.length]?.())) return;
  }

  /** Null: no response, or none that is final. */
  async #send(path: string, body: object): Promise<Answer | null> {
    const one: Sent = { request: { key: randomUUID(), path, body }, answer: null };
    this.sent.push(one);
    try {
      const answer = await this.client.post(one.request);
      if (isFinal(answer)) one.answer = answer;
    } catch {
      // The crash. A retry gets the response later.
    }
    return one.answer;
  }

  #pay = (body: object = {}) =>
    this.#send("/v1/payments", { amount: 10_000, currency: "USD", payment_token: "pm_card_visa", ...body });
  #act = (paid: Answer, kind: string, body: object = {}) =>
    this.#send(`/v1/payments/${paymentOf(paid).id}/${kind}`, body);

  async #sale() {
    const paid = await this.#pay();
    return paid && this.#act(paid, "refund", { amount: 2_500, reason: "RETURN" });
  }

  async #captured() {
    const held = await this.#pay({ capture_method: "manual", customer_id: `customer ${randomUUID()}` });
    return held && this.#act(held, "capture", { amount: 7_000 });
  }

  async #voided() {
    const held = await this.#pay({ capture_method: "manual" });
    return held && this.#act(held, "void", { reason: "changed their mind" });
  }

  #declined = () => this.#pay({ payment_token: "pm_card_chargeDeclined" });
}

/** Runs the command as an operator does; returns what it wrote. */
async function runCommand(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, ["--import", "tsx", ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, CARDLANE_SECRET: TEST_SECRET, ...env } as never,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ran = { code: null as unknown, out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    ran.out += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    ran.err += chunk;
  });
  [ran.code] = await once(child, "close");
  return ran;
}

/** Base backup, archived log and a crash, all under load, of which some is answered after the restored second. */
async function crashAndRecover(
  primary: OwnServer,
  bin: string,
  orders: Orders,
  crash: () => Promise<unknown>,
): Promise<{ restored: OwnServer; restoredTo: string }> {
  const backup = join(primary.folder, "base");
  const server = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", primary.credentials.split(":")[0] ?? ""];
  await primary.run(join(bin, "pg_basebackup"), [...server, "-D", backup, "-c", "fast", "-X", "none"]);
  await wait(1_500);
  const admin = primary.sql(DATABASE);
  const [now] = await admin<[{ at: string }]>`select clock_timestamp()::text as at`;
  await wait(500);
  // A commit after the target must be archived: recovery ends before it.
  const [switched] = await admin<[{ file: string }]>`select pg_walfile_name(pg_switch_wal()) as file`;
  await expect
    .poll(
      async () => (await admin`select last_archived_wal >= ${switched.file} as done from pg_stat_archiver`)[0]?.done,
      {
        timeout: 20_000,
        interval: 50,
      },
    )
    .toBe(true);
  const before = orders.countAnswered();
  await wait(2_500);
  await expect.poll(orders.countAnswered).toBeGreaterThan(before + MIN_LOST * 3);
  await crash();
  await admin.end({ timeout: 0 });
  const restored = await primary.recover(backup, {
    restore_command: `cp ${join(primary.folder, "archive")}/%f %p`,
    recovery_target_time: now.at,
    recovery_target_action: "promote",
  });
  await restored.start();
  const own = restored.sql(DATABASE);
  const isOver = async () => (await own`select not pg_is_in_recovery() as over`)[0]?.over;
  await expect.poll(isOver, { timeout: 30_000, interval: 50 }).toBe(true);
  await own.end();
  return { restored, restoredTo: now.at };
}

const installed = findInstalled();
if (!installed) process.stdout.write("  Skipped: no installed PostgreSQL 15 or newer with pg_basebackup was found.\n");

test.skipIf(!installed)(
  "a database restored to a second, some seconds before the crash, has every operation again, and no retry moves money twice",
  async () => {
    const binaries = installed as Binaries;
    const double = await startDouble({ livemode: true, secretKey: LIVE_KEY });
    onTestFinished(() => double.stop());
    const primary = await OwnServer.createInstalled(binaries, { wal_level: "replica", archive_mode: "on" });
    const archive = join(primary.folder, "archive");
    mkdirSync(archive);
    primary.settings = { ...primary.settings, archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f` };
    const servers = [primary];
    onTestFinished(async () => {
      for (const server of servers) {
        await server.stop();
        server.remove();
      }
    });
    await primary.start();
    const admin = primary.sql("postgres");
    await admin.unsafe(`create database ${DATABASE}`);
    await admin.end();

    const env = settingsOf(double.endpoint);
    let host = await startHost({ databaseUrl: primary.url(DATABASE), env });
    onTestFinished(() => host.stop());
    const setUp = connect(primary.url(DATABASE), { max: 2 });
    const apiKey = await (await createTenant(setUp)).newKey({ mode: "live" });
    await setUp.close();
    const client = new Client(apiKey, () => host.baseUrl);
    const orders = new Orders(client);
    const { restored, restoredTo } = await crashAndRecover(primary, join(binaries.postgres, ".."), orders, () =>
      Promise.all([host.kill("SIGKILL"), primary.stop("SIGKILL"), orders.end()]),
    );
    servers.push(restored);
    const url = restored.url(DATABASE);
    const db = connect(url, { max: 3, applicationName: "cardlane-proof" });
    onTestFinished(() => db.close());
    const answered = orders.sent.filter(({ answer }) => answer !== null);
    const lost = await countUnknown(db, answered);

    const command = ["scripts/reconcile.ts", "--restored-to", new Date(restoredTo).toISOString(), "--json"];
    const ran = await runCommand(command, { DATABASE_URL: url, DATA_DIR: primary.folder, ...env });
    expect(ran.code, `${ran.err}\n${ran.out}`).toBe(0);
    const { connections } = JSON.parse(ran.out) as { connections: [{ adopted: Record<string, number> }] };
    expect(await countUnknown(db, answered)).toBe(0);

    host = await startHost({ databaseUrl: url, env });
    const known = { intents: double.books.intents.size, refunds: double.books.refunds.size };
    const changed: string[] = [];
    await inParallel(answered, LANES, async ({ request, answer }) => {
      const again = await client.until(request);
      if (!again.replayed || shown(again) !== shown(answer as Answer))
        changed.push(`${request.path}: ${answer?.status} ${answer?.text}\nnow ${again.status} ${again.text}`);
    });
    expect(changed).toEqual([]);
    expect({ intents: double.books.intents.size, refunds: double.books.refunds.size }).toEqual(known);

    // Requests that the crash left without a response: each is made once, now or before.
    for (const { request } of orders.sent.filter(({ answer }) => answer === null)) await client.until(request);
    await untilNothingIsOpen(db);
    expect(timesMovedTwice(double)).toEqual([]);
    expect(await differences(db, double)).toEqual([]);
    await expectCleanBooks(db);
    const sum = Object.values(connections[0].adopted).reduce((all, one) => all + one, 0);
    reportFigure(
      `PostgreSQL ${binaries.major}: ${orders.sent.length} requests, ${lost} answered after the restored second, ${sum} operations written again, 0 twice`,
    );
    expect(lost).toBeGreaterThan(MIN_LOST);
  },
  120_000,
);

/** The parts of a response that matter to a merchant; times of the adopted are those of the adoption. */
function shown({ status, text, code }: Answer): string {
  const { id, amount, amount_captured, status: state, payment_id, transaction_id, customer_id } = JSON.parse(text);
  // A refund's response is its payment, which later refunds don't change.
  return JSON.stringify({ status, code, id, amount, amount_captured, state, payment_id, transaction_id, customer_id });
}

/** Payments with a response that the restored books lack. */
async function countUnknown(db: Database, answered: readonly Sent[]): Promise<number> {
  const ids = answered.flatMap(({ answer }) => {
    const { id, payment_id } = JSON.parse(answer?.text ?? "{}") as { id?: string; payment_id?: string };
    return decodeId("payment", payment_id ?? id ?? "") ?? [];
  });
  const [row] = await db.sql<[{ count: number }]>`
    select count(*)::int as count from unnest(${[...new Set(ids)]}::uuid[]) u(id)
    where not exists (select from payments p where p.id = u.id)`;
  return row.count;
}

type Double = Awaited<ReturnType<typeof startDouble>>;

/** Keys under which the processor charged or refunded more than once. */
function timesMovedTwice({ books }: Double): string[] {
  const counts = new Map<string, number>();
  const add = (key: string | undefined) => key !== undefined && counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const intent of books.intents.values())
    if (books.charges.get(String(intent.latest_charge))?.status === "succeeded") add(intent.metadata.cardlane_own_key);
  for (const refund of books.refunds.values()) add(refund.metadata?.cardlane_own_key);
  return [...counts].filter(([, count]) => count > 1).map(([key]) => key);
}

/**
 * Intents whose amounts differ from those of our payment. One that the crash left without a confirmation took no
 * money, and never will: only the dead request had its card.
 */
async function differences(db: Database, { books }: Double): Promise<readonly unknown[]> {
  const attempted = [...books.intents.values()].filter(({ latest_charge: charge }) => charge !== null);
  const listed = attempted.map((intent) => {
    const charge = books.charges.get(String(intent.latest_charge));
    const isTaken = intent.status === "succeeded";
    return {
      reference: intent.metadata.cardlane_reference,
      captured: intent.amount_received,
      refunded: isTaken ? (charge?.amount_refunded ?? 0) : 0,
    };
  });
  return db.sql`
    select l.*, p.status, p.amount_captured, p.amount_refunded
    from jsonb_to_recordset(${listed as never}::jsonb) l(reference uuid, captured bigint, refunded bigint)
    left join payments p on p.authorization_id = l.reference
    where p.id is null or p.amount_captured <> l.captured or p.amount_refunded <> l.refunded`;
}
