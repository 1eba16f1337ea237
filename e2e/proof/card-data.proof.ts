import { randomInt, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Database } from "@/db/client";
import { clusterFiles } from "@/db/embedded-cluster";
import { CARD_NUMBER_MARK } from "@/lib/contract/card-numbers";
import { type RunningService, startService } from "../fixtures/service";
import { openReceiver, type Receiver } from "../fixtures/webhooks";
import { untilNothingIsOpen } from "./books";
import { Canaries, SANDBOX_NUMBERS } from "./canaries";
import { openDoors } from "./card-data-doors";
import { operationPlaces } from "./card-data-operations";
import { apiPushes, assistantPushes, formPushes, hangUp, type Push, send } from "./card-data-paths";
import { attempt, type Doors, spelledFor } from "./card-data-places";
import { requestPlaces } from "./card-data-requests";
import { createSearch, type Search, type Secret } from "./card-data-search";
import { findExactValues, searchFiles, searchTables, searchText } from "./card-data-sweep";
import { wirePlaces } from "./card-data-wire";
import { type Random, seededBelow } from "./card-spellings";
import { inParallel } from "./client";
import { connectEmbedded, crashPostgres, embeddedUrl, untilBack } from "./embedded";
import { reportFigure } from "./figures";
import { NO_LIMITS, type ProofHost, startHost } from "./host";

/**
 * Rounds: `npm run prove` tries every place once, `npm run prove:card-data` three times. A printed seed
 * repeats a run.
 */
const SEED = Number(process.env.PROOF_SEED ?? randomInt(2 ** 31));
const ROUNDS = Number(process.env.PROOF_CARD_ROUNDS ?? 1);
const SPELLINGS = Number(process.env.PROOF_CARD_SPELLINGS ?? 1);

const UNLIMITED = "1000000";
const ENV = {
  // Logs everything, and treats a processor that takes five seconds as too slow.
  LOG_LEVEL: "trace",
  PROCESSOR_TIMEOUT_MS: "1500",
  CHECKOUT_LIMIT_PER_MINUTE: UNLIMITED,
  SIGN_IN_LIMIT_PER_MINUTE: UNLIMITED,
  // Lets the proof choose the caller's address.
  TRUSTED_PROXIES: "1",
  // The webhook receivers run on this machine.
  WEBHOOK_ALLOW_LOCAL: "true",
};
const SLOW = "4000000000001992";
const EVERY_CODE = Array.from({ length: 900 }, (_, over) => String(100 + over));

/** Starts the whole service on its own database and folders, so that every file can be searched. */
async function start(hook: Receiver) {
  mkdirSync(process.env.DATA_DIR ?? tmpdir(), { recursive: true });
  const dataDir = mkdtempSync(join(process.env.DATA_DIR ?? tmpdir(), "cardlane-cards-"));
  const env = { ...ENV, DATA_DIR: dataDir, TMPDIR: temporaryFolder(dataDir) };
  const hosts: (ProofHost | RunningService)[] = [await startHost({ whole: true, env })];
  const host = () => hosts.at(-1) as ProofHost;
  onTestFinished(async () => {
    for (const one of hosts) await one.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const db = connectEmbedded(dataDir);
  await keepPlain(db);
  return {
    startedMs: Date.now(),
    /** Text values already in the demo data, such as a fee of "290". */
    before: await findExactValues(db, EVERY_CODE),
    dataDir,
    db,
    host,
    doors: await openDoors(db, host, hook.url),
    output: () => hosts.map((one) => one.output()).join("\n"),
    async restart() {
      hosts.push(await startHost({ whole: true, port: host().port, env }));
    },
    /** The same pages and API behind Next's own server, on the same database. */
    async underNext<T>(work: (doors: Doors) => Promise<T>): Promise<T> {
      const next = await startService({
        host: "next",
        databaseUrl: embeddedUrl(dataDir),
        env: { ...NO_LIMITS, ...env },
      });
      hosts.unshift(next);
      const result = await work(await openDoors(db, () => next, hook.url));
      await next.stop();
      return result;
    },
  };
}
type Started = Awaited<ReturnType<typeof start>>;

/** The service's own temporary folder. The compile cache, which contains our tests, is kept elsewhere. */
function temporaryFolder(dataDir: string): string {
  const folder = join(dataDir, "tmp");
  mkdirSync(folder, { mode: 0o777 });
  const cache = `tsx-${process.geteuid?.()}`;
  mkdirSync(join(tmpdir(), cache), { recursive: true });
  symlinkSync(join(tmpdir(), cache), join(folder, cache));
  return folder;
}

/**
 * Disables TOAST compression, since nothing can be found in a compressed text. Runs table by table: one
 * transaction over all tables could deadlock with a job that reads two of them.
 */
async function keepPlain({ sql }: Database): Promise<void> {
  const columns = await sql<{ place: string; name: string }[]>`
    select a.attrelid::regclass::text as place, quote_ident(a.attname) as name
    from pg_attribute a join pg_class r on r.oid = a.attrelid
    where r.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped and a.attstorage in ('x', 'm')
      and r.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')`;
  for (const { place, name } of columns)
    await sql.unsafe(`alter table ${place} alter column ${name} set storage external`);
}

const PLACES = [...operationPlaces(), ...requestPlaces(), ...wirePlaces()];
/** Only the proof's own host has the demo shop. */
const PLACES_UNDER_NEXT = PLACES.filter(({ name }) => !name.includes("the sample shop"));

/** Tries every place, each with its own numbers in their own spellings. */
async function tryEverywhere({ db }: Started, doors: Doors, canaries: Canaries, places = PLACES): Promise<void> {
  const tried = spelledFor(places, SPELLINGS, canaries);
  const search = createSearch(canaries.secrets.slice(-3 * tried.length));
  const count = async () => Number((await db.sql`select count(*) from request_log where status = 400`)[0]?.count);
  const before = await count();
  const outcomes = await inParallel(tried, 6, (one) => attempt(one, doors, search));
  expect(outcomes.flatMap(({ problem }) => problem ?? [])).toEqual([]);
  // Refused requests are logged a second later, and all must be: an unlogged request proves nothing.
  const refused = outcomes.filter(({ path, status }) => path.startsWith("/v1/") && status === 400).length;
  expect(refused).toBeGreaterThan(100);
  await expect.poll(async () => (await count()) - before, { timeout: 10_000 }).toBeGreaterThanOrEqual(refused);
}

/** `search` finds text that no response may contain. */
async function pushAll({ doors }: Started, pushes: readonly Push[], search?: Search): Promise<void> {
  const surprises = await inParallel(pushes, 8, (push) => send(doors, push, search));
  expect(surprises.filter((one) => one !== null)).toEqual([]);
}

/** Sends cards that are in flight when something breaks; the responses don't matter here. */
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

/** Renames columns so that payments and tokens fail internally, with a database error in the log. */
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

/** Plants card data where a leak could go unnoticed, to show that the search finds it. */
async function plant({ db, doors, dataDir }: Started, random: Random) {
  const planted = new Canaries(random);
  await db.sql`create schema planted`;
  await db.sql`create table planted.undone (line text)`;
  const undone = planted.spelled("planted in a row that was never committed");
  const rolledBack = db.sql.begin(async (sql) => {
    await sql`insert into planted.undone values (${JSON.stringify({ pan: undone.text })})`;
    throw new Error("roll back");
  });
  await expect(rolledBack).rejects.toThrow("roll back");
  const detail = Buffer.from(planted.number("planted in a table")).toString("base64");
  await db.sql`create table planted.cards as select jsonb_build_object('number', ${detail}::text) as detail`;
  const logged = planted.number("planted in PostgreSQL's log");
  await db.sql.unsafe(`do $$ begin raise log 'card %', '${logged}'; end $$`);
  writeFileSync(join(dataDir, "tmp", "upload"), planted.spelled("planted in a file").text);
  // A merchant's own identifier in a request without a card: stored unchanged, from the request to the disk.
  const { text } = planted.spelled("planted in metadata", (made) => made.length <= 500);
  await doors.newSession({ metadata: { order: text } });
  return planted;
}

/** Without the codes, whose three digits can occur anywhere. */
const numbersOf = ({ secrets }: Canaries) => secrets.filter(({ kind }) => kind !== "code");

/**
 * A receiver that responds with card numbers, like a shop's error page; some responses are 2xx, some
 * refusals.
 */
async function openCarelessReceiver(canaries: Canaries): Promise<Receiver> {
  const answers = Array.from({ length: 8 }, () => {
    const { text } = canaries.spelled("a receiver's answer", (made) => made.isWellFormed() && made.length <= 300);
    return { text, number: canaries.number("a receiver's answer") };
  });
  let turn = 0;
  const hook = await openReceiver((_received, response) => {
    const { text, number } = answers[turn++ % answers.length] as (typeof answers)[number];
    response.writeHead(turn % 5 === 0 ? 400 : 200, { "x-card": number }).end(`no such card: ${number} ${text}`);
  });
  onTestFinished(() => hook.close());
  return hook;
}

/** Waits until every event has been sent at least once. */
async function untilToldOf({ db }: Started, hook: Receiver): Promise<void> {
  const untold = async () => {
    const [row] = await db.sql<{ n: number }[]>`
      select count(*)::int as n from webhook_deliveries d
      join webhook_endpoints e on e.environment_id = d.environment_id and e.id = d.endpoint_id
      where e.url = ${hook.url} and d.attempts = 0`;
    return row?.n;
  };
  await expect.poll(untold, { timeout: 120_000, interval: 250 }).toBe(0);
  expect(hook.received.length).toBeGreaterThan(50);
}

/** Tables that must contain the mask, which proves that these places were reached and stored something. */
const MASKED_IN = [
  ...["audit_log", "idempotency_keys", "request_log", "support_audit_log", "user_sessions", "webhook_attempts"],
];
const MASK: Secret = { name: "the mask", text: CARD_NUMBER_MARK, kind: "text" };

/** Planted secrets that were found, by place. */
const PLANTED = /^(?:number: )?planted in /;
const found = (finds: readonly string[], name: string, place: string) =>
  finds.some((find) => find.includes(`planted in ${name}`) && find.endsWith(`, in ${place}`));

/** Searches everything written since the start, including the write-ahead log before it is overwritten. */
async function sweep(
  { db, dataDir, output, startedMs, before }: Started,
  canaries: Canaries,
  planted: readonly Secret[] = [],
) {
  const search = createSearch([...canaries.secrets, ...planted, ...SANDBOX_NUMBERS]);
  const wal = searchFiles(join(clusterFiles(dataDir).cluster, "pg_wal"), search);
  await db.sql`checkpoint`;
  const files = searchFiles(dataDir, search);
  const build = searchFiles(".next", search, startedMs);
  const tables = await searchTables(db, search);
  const printed = searchText("the service's output", output(), createSearch(canaries.secrets));
  const codes = (await findExactValues(db, canaries.codes)).filter((find) => !before.includes(find));
  const finds = [...wal.finds, ...files.finds, ...build.finds, ...tables.finds, ...printed, ...codes];
  expect(finds.filter((find) => !PLANTED.test(find))).toEqual([]);
  return { wal, files, tables };
}

test("no card number and no security code is ever written: not to a table, a file, the write-ahead log or a log", async () => {
  process.stdout.write(`  seed ${SEED}: PROOF_SEED=${SEED} tries the same numbers and spellings again\n`);
  const random = seededBelow(SEED);
  const canaries = new Canaries(random);
  const hook = await openCarelessReceiver(canaries);
  const started = await start(hook);
  const { db, dataDir, doors } = started;
  for (let round = 1; round <= ROUNDS; round++) {
    await tryEverywhere(started, doors, canaries);
    if (round === ROUNDS) break;
    await sweep(started, canaries);
    // The lines logged per kind are limited; a restart resets the limit.
    await started.host().stop();
    await started.restart();
  }
  if (ROUNDS > 1) await started.underNext((beside) => tryEverywhere(started, beside, canaries, PLACES_UNDER_NEXT));
  await pushAll(started, [...apiPushes(canaries), ...(await formPushes(canaries, doors))]);
  const pasted = new Canaries(random);
  const assistants = assistantPushes(pasted);
  await pushAll(started, assistants, createSearch(numbersOf(pasted)));
  canaries.secrets.push(...pasted.secrets);
  canaries.codes.push(...pasted.codes);
  await everythingThatBreaks(started, canaries);
  await untilNothingIsOpen(db);
  await untilToldOf(started, hook);

  const planted = await plant(started, random);
  const { wal, files, tables } = await sweep(started, canaries, planted.secrets);
  const messages = hook.received.map(({ headers, body }) => `${JSON.stringify(headers)} ${body}`).join("\n");
  expect(searchText("messages to receivers", messages, createSearch(numbersOf(canaries)))).toEqual([]);
  const masked = (await searchTables(db, createSearch([MASK]))).finds;
  await db.close();
  expect(masked).toEqual(expect.arrayContaining(MASKED_IN.map((name) => `the mask, as it is, in public.${name}`)));
  expect(found(tables.finds, "a table", "planted.cards")).toBe(true);
  expect(found(tables.finds, "metadata", "public.client_sessions")).toBe(true);
  expect(found(wal.finds, "a row that was never committed", "the write-ahead log")).toBe(true);
  expect(found(files.finds, "metadata", "the tables' files")).toBe(true);
  expect(found(files.finds, "PostgreSQL's log", basename(clusterFiles(dataDir).log))).toBe(true);
  expect(found(files.finds, "a file", "tmp/upload")).toBe(true);
  expect(started.output()).toContain('"level":"error"');
  reportFigure(
    `${canaries.secrets.length} numbers and codes sent to ${PLACES.length} places, none found`,
    `searched ${tables.rows} rows, ${hook.received.length} webhooks, ${files.megabytes} MB of files, ${started.output().length} characters of log`,
  );
});
