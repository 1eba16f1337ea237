import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Database } from "@/db/client";
import { clusterFiles } from "@/db/embedded-cluster";
import { untilNothingIsOpen } from "./books";
import { Canaries, SANDBOX_NUMBERS } from "./canaries";
import { apiPushes, formPushes, hangUp, type Push, send } from "./card-data-paths";
import { createSearch } from "./card-data-search";
import { findExactValues, searchFiles, searchTables, searchText } from "./card-data-sweep";
import { inParallel } from "./client";
import { connectEmbedded, crashPostgres, untilBack } from "./embedded";
import { type ProofHost, startHost } from "./host";
import { createTenant } from "./tenant";

/** All that is ever logged is; and a processor that takes five seconds is too slow. */
const ENV = { LOG_LEVEL: "trace", PROCESSOR_TIMEOUT_MS: "1500", CHECKOUT_LIMIT_PER_MINUTE: "1000000" };
const SLOW = "4000000000001992";

/** The whole service on a database of its own, all of whose files are ours to read. */
async function start() {
  mkdirSync(process.env.DATA_DIR ?? tmpdir(), { recursive: true });
  const dataDir = mkdtempSync(join(process.env.DATA_DIR ?? tmpdir(), "cardlane-cards-"));
  const hosts: ProofHost[] = [await startHost({ whole: true, env: { ...ENV, DATA_DIR: dataDir } })];
  const host = () => hosts.at(-1) as ProofHost;
  onTestFinished(async () => {
    await host().stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const db = connectEmbedded(dataDir);
  const { apiKey } = await createTenant(db);
  return {
    dataDir,
    db,
    host,
    output: () => hosts.map((one) => one.output()).join("\n"),
    async restart() {
      hosts.push(await startHost({ whole: true, port: host().port, env: { ...ENV, DATA_DIR: dataDir } }));
    },
    doors: {
      apiKey,
      get baseUrl() {
        return host().baseUrl;
      },
      newSession: (overrides: object = {}) => newSession(host().baseUrl, apiKey, overrides),
    },
  };
}
type Started = Awaited<ReturnType<typeof start>>;

async function newSession(baseUrl: string, apiKey: string, overrides: object): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/client-sessions`, {
    method: "POST",
    headers: { "X-Api-Key": apiKey, "X-Idempotency-Key": randomUUID(), "Content-Type": "application/json" },
    body: JSON.stringify({ amount: 1_299, currency: "USD", ...overrides }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { client_session_token: string }).client_session_token;
}

async function pushAll({ doors }: Started, pushes: readonly Push[]): Promise<void> {
  const surprises = await inParallel(pushes, 8, (push) => send(doors, push));
  expect(surprises.filter((one) => one !== null)).toEqual([]);
}

/** Cards that are under way when something breaks; whether they are answered does not matter here. */
async function cardsUnderWay({ doors }: Started, canaries: Canaries, during: string) {
  const cards = [0, 1, 2, 3].map((index) =>
    index % 2 ? canaries.sandboxCard(during, SLOW) : canaries.card(`${during}, ${index}`),
  );
  const tokens = await inParallel(cards, 2, () => doors.newSession());
  const sent = cards.flatMap((card, index) => [
    send(doors, { path: "/v1/payments", body: { amount: 999, currency: "USD", card }, expected: [] }),
    send(doors, {
      path: `/pay/${tokens[index]}/attempts`,
      headers: { "Sec-Fetch-Site": "same-origin" },
      body: { attempt: randomUUID(), card },
      expected: [],
    }),
  ]);
  const settled = Promise.allSettled(sent);
  await wait(150);
  return { settled };
}

/** While columns have other names, payments and tokens fail inside, with an error of the database in the log. */
async function withBrokenSchema({ db }: Started, work: () => Promise<void>): Promise<void> {
  const rename = async (from: string, to: string) => {
    for (const table of ["transactions", "payment_tokens"])
      await db.sql`alter table ${db.sql(table)} rename column ${db.sql(from)} to ${db.sql(to)}`;
  };
  await rename("card_last4", "gone");
  try {
    await work();
  } finally {
    await rename("gone", "card_last4");
  }
}

async function everythingThatBreaks(started: Started, canaries: Canaries): Promise<void> {
  const { host, dataDir, doors } = started;
  await hangUp(doors, "/v1/payments", canaries.number("hung up on the API"));
  await hangUp(doors, `/pay/${await doors.newSession()}/attempts`, canaries.number("hung up on the form"));
  const failing = (await formPushes(canaries, doors)).slice(0, 2).map((push) => ({ ...push, expected: 500 }));
  await withBrokenSchema(started, () =>
    pushAll(started, [
      ...failing,
      {
        path: "/v1/payments",
        body: { amount: 1, currency: "USD", card: canaries.card("a 500 of the API") },
        expected: 500,
      },
    ]),
  );

  const underKill = await cardsUnderWay(started, canaries, "kill -9 of the service");
  await host().kill("SIGKILL");
  await underKill.settled;
  await started.restart();

  const withoutDatabase = await cardsUnderWay(started, canaries, "kill -9 of PostgreSQL");
  const crashed = crashPostgres(dataDir, "kill all");
  await withoutDatabase.settled;
  await untilBack(host(), crashed);
}

/** Where card data could end up without anybody seeing it, put there on purpose: what is looked for can be found. */
async function plant(db: Database) {
  const planted = new Canaries();
  await db.sql`create schema planted`;
  await db.sql`create table planted.undone (line text)`;
  const undone = planted.number("planted in a row that was never committed");
  const line = `{"pan":"${undone.match(/.{4}/g)?.join(" ")}"}`;
  const rolledBack = db.sql.begin(async (sql) => {
    await sql`insert into planted.undone values (${line})`;
    throw new Error("roll back");
  });
  await expect(rolledBack).rejects.toThrow("roll back");
  const kept = planted.number("planted in a table");
  const detail = Buffer.from(kept).toString("base64");
  await db.sql`create table planted.cards as select jsonb_build_object('number', ${detail}::text) as detail`;
  const logged = planted.number("planted in PostgreSQL's log");
  await db.sql.unsafe(`do $$ begin raise log 'card %', '${logged}'; end $$`);
  return planted;
}

test("no card number and no security code is ever written: not to a table, a file, the write-ahead log or a log", async () => {
  const started = await start();
  const { db, dataDir, doors } = started;
  const canaries = new Canaries();
  await pushAll(started, [...apiPushes(canaries), ...(await formPushes(canaries, doors))]);
  await everythingThatBreaks(started, canaries);
  await untilNothingIsOpen(db);
  // Refused requests are written down a second later.
  await expect.poll(() => db.sql`select 1 from request_errors limit 20`, { timeout: 10_000 }).toHaveLength(20);
  await wait(1_200);

  const planted = await plant(db);
  const search = createSearch([...canaries.secrets, ...planted.secrets, ...SANDBOX_NUMBERS]);
  const { cluster, log } = clusterFiles(dataDir);
  const walBefore = searchFiles(join(cluster, "pg_wal"), search);
  await db.sql`checkpoint`;
  const files = searchFiles(dataDir, search);
  const tables = await searchTables(db, search);
  const output = searchText("the service's output", started.output(), createSearch(canaries.secrets));
  const codes = await findExactValues(db, canaries.codes);
  await db.close();

  const plantedIn = (name: string, form: string, place: string) => `number: planted in ${name}, ${form}, in ${place}`;
  expect(tables.finds).toEqual([plantedIn("a table", "base64 at 0", "planted.cards")]);
  expect(walBefore.finds).toContain(plantedIn("a row that was never committed", "spaces", "the write-ahead log"));
  expect(files.finds).toContain(plantedIn("PostgreSQL's log", "as it is", basename(log)));
  expect([...walBefore.finds, ...files.finds].filter((find) => !find.startsWith("number: planted in "))).toEqual([]);
  expect(output).toEqual([]);
  expect(codes).toEqual([]);
  expect(started.output()).toContain('"level":"error"');
  expect(tables.rows).toBeGreaterThan(200);
  process.stdout.write(
    `  ${canaries.secrets.length} numbers and codes sent; none in ${tables.rows} rows, ${files.megabytes} MB of files, ${started.output().length} characters of log\n`,
  );
});
