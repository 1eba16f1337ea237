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
import { type Random, seededRandom } from "./card-spellings";
import { inParallel } from "./client";
import { connectEmbedded, crashPostgres, embeddedUrl, untilBack } from "./embedded";
import { reportFigure } from "./figures";
import { NO_LIMITS, type ProofHost, startHost } from "./host";

/** `npm run prove` tries every place once, `npm run prove:card-data` three times. A printed seed repeats a run. */
const SEED = Number(process.env.PROOF_SEED ?? randomInt(2 ** 31));
const ROUNDS = Number(process.env.PROOF_CARD_ROUNDS ?? 1);
const SPELLINGS = Number(process.env.PROOF_CARD_SPELLINGS ?? 1);

const UNLIMITED = "1000000";
const ENV = {
  // All that is ever logged is; and a processor that takes five seconds is too slow.
  ...{ LOG_LEVEL: "trace", PROCESSOR_TIMEOUT_MS: "1500" },
  ...{ CHECKOUT_LIMIT_PER_MINUTE: UNLIMITED, SIGN_IN_LIMIT_PER_MINUTE: UNLIMITED },
  // A caller's address is what the proof says it is.
  TRUSTED_PROXIES: "1",
  // The receivers of webhooks are ours.
  WEBHOOK_ALLOW_LOCAL: "true",
};
const SLOW = "4000000000001992";
const EVERY_CODE = Array.from({ length: 900 }, (_, over) => String(100 + over));

/** The whole service on a database and folders of its own, all of whose files are ours to read. */
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
    /** Texts that the demonstration's data holds by itself, such as a fee of "290". */
    before: await findExactValues(db, EVERY_CODE),
    dataDir,
    db,
    host,
    doors: await openDoors(db, host, hook.url),
    output: () => hosts.map((one) => one.output()).join("\n"),
    async restart() {
      hosts.push(await startHost({ whole: true, port: host().port, env }));
    },
    /** The same pages and API behind Next's own server, beside ours on its database. */
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

/** A folder of the service's own for what it keeps for a moment; the compiler's cache, which has our tests in it, is elsewhere. */
function temporaryFolder(dataDir: string): string {
  const folder = join(dataDir, "tmp");
  mkdirSync(folder, { mode: 0o777 });
  const cache = `tsx-${process.geteuid?.()}`;
  mkdirSync(join(tmpdir(), cache), { recursive: true });
  symlinkSync(join(tmpdir(), cache), join(folder, cache));
  return folder;
}

/**
 * From now on every text is stored as it is: in one that PostgreSQL has compressed nothing can be found. A table at a time: one
 * transaction over all would wait for a job that reads two of them while that waits for it.
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
/** The sample shop is our own host's alone. */
const PLACES_UNDER_NEXT = PLACES.filter(({ name }) => !name.includes("the sample shop"));

/** Every place, each with numbers that nobody else has, in spellings of their own. */
async function tryEverywhere({ db }: Started, doors: Doors, canaries: Canaries, places = PLACES): Promise<void> {
  const tried = spelledFor(places, SPELLINGS, canaries);
  const search = createSearch(canaries.secrets.slice(-3 * tried.length));
  const count = async () => Number((await db.sql`select count(*) from request_log where status = 400`)[0]?.count);
  const before = await count();
  const outcomes = await inParallel(tried, 6, (one) => attempt(one, doors, search));
  expect(outcomes.flatMap(({ problem }) => problem ?? [])).toEqual([]);
  // Refused requests are written down a second later, and each must be: what is not written proves nothing.
  const refused = outcomes.filter(({ path, status }) => path.startsWith("/v1/") && status === 400).length;
  expect(refused).toBeGreaterThan(100);
  await expect.poll(async () => (await count()) - before, { timeout: 10_000 }).toBeGreaterThanOrEqual(refused);
}

/** `search`: of what no answer may hold. */
async function pushAll({ doors }: Started, pushes: readonly Push[], search?: Search): Promise<void> {
  const surprises = await inParallel(pushes, 8, (push) => send(doors, push, search));
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
  // A merchant's own identifier, with no card in its request: it is kept, all the way from a request to the disk.
  const { text } = planted.spelled("planted in metadata", (made) => made.length <= 500);
  await doors.newSession({ metadata: { order: text } });
  return planted;
}

/** Three digits of a code may stand anywhere by themselves. */
const numbersOf = ({ secrets }: Canaries) => secrets.filter(({ kind }) => kind !== "code");

/** Answers with a card number, as a shop's error page might: some are taken, some are refused. */
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

/** Whatever happened has been sent at least once, and no message has a number. */
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

/** Where the mask stands in place of a number: those places were reached, and something was kept there. */
const MASKED_IN = [
  ...["audit_log", "idempotency_keys", "request_log", "support_audit_log", "user_sessions", "webhook_attempts"],
];
const MASK: Secret = { name: "the mask", text: CARD_NUMBER_MARK, kind: "text" };

/** What was found of those that were planted, by where they were. */
const PLANTED = /^(?:number: )?planted in /;
const found = (finds: readonly string[], name: string, place: string) =>
  finds.some((find) => find.includes(`planted in ${name}`) && find.endsWith(`, in ${place}`));

/** Everything that was written since the start, with its log of changes as it was before anything of it was written over. */
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
  const random = seededRandom(SEED);
  const canaries = new Canaries(random);
  const hook = await openCarelessReceiver(canaries);
  const started = await start(hook);
  const { db, dataDir, doors } = started;
  for (let round = 1; round <= ROUNDS; round++) {
    await tryEverywhere(started, doors, canaries);
    if (round === ROUNDS) break;
    await sweep(started, canaries);
    // Of each kind only so many lines are logged: with another process they begin again.
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
