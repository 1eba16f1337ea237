import { readFileSync } from "node:fs";
import { afterAll, expect, inject, test } from "vitest";
import { createDatabase, dropDatabase } from "@/e2e/fixtures/cluster";
import { latch } from "@/e2e/fixtures/latch";
import { idTime, newId } from "@/lib/ids";
import { connect } from "./client";
import { migrate } from "./migrate";

const FOLDER = new URL("./migrations/", import.meta.url);
const adminUrl = inject("adminUrl");

/** A database as it stood before a migration, with the record that the real one keeps. */
async function databaseBefore(tag: string) {
  const name = `test_${newId().replaceAll("-", "")}`;
  const url = await createDatabase(adminUrl, name);
  const db = connect(url, { max: 2, applicationName: "cardlane-test" });
  afterAll(async () => {
    await db.close();
    await dropDatabase(adminUrl, name);
  });
  const { entries } = JSON.parse(readFileSync(new URL("meta/_journal.json", FOLDER), "utf8")) as {
    entries: { tag: string; when: number }[];
  };
  await db.sql.unsafe(`create schema drizzle; create table drizzle.__drizzle_migrations
    (id serial primary key, hash text not null, created_at bigint)`);
  for (const entry of entries.slice(
    0,
    entries.findIndex((candidate) => candidate.tag.endsWith(tag)),
  )) {
    await db.sql.unsafe(readFileSync(new URL(`${entry.tag}.sql`, FOLDER), "utf8"));
    await db.sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('', ${entry.when})`;
  }
  return { db, url };
}

const accounts = await databaseBefore("_accounts");
const events = await databaseBefore("_events");
const sessions = await databaseBefore("_client_session_events");
const comparisons = await databaseBefore("_standing_differences");
const busy = await databaseBefore("_one_index_of_open_operations");

test("whoever could sign in still can; proved are those who used a mailed link or whom an operator made", async () => {
  const { db, url } = accounts;
  const [merchant, live] = [newId(), newId()];
  await db.sql`insert into merchants (id, name) values (${merchant}, 'Shop')`;
  await db.sql`insert into environments (id, merchant_id, mode) values (${live}, ${merchant}, 'live')`;
  const person = async (who: string, of: string | null = merchant) => {
    const id = newId();
    await db.sql`insert into users (id, merchant_id, email, password_hash, role)
      values (${id}, ${of}, ${`${who}@old.example`}, '', ${of === null ? "staff" : "owner"})`;
    return id;
  };
  const act = (action: string, by: string, object: string, detail: object) => db.sql`
    insert into audit_log (environment_id, id, actor, action, object_id, detail) values (${live}, ${newId()},
      ${db.sql.json({ type: "user", id: by })}, ${action}, ${object}, ${db.sql.json(detail as never)})`;
  const signedUp = await person("signed-up");
  await act("settings.account_opened", signedUp, merchant, { email: "signed-up@old.example" });
  const reset = await person("reset");
  await act("settings.account_opened", reset, merchant, { email: "reset@old.example" });
  await act("settings.password_reset", reset, reset, { email: "RESET@old.example" });
  const joined = await person("joined");
  await act("team.invitation_accepted", joined, joined, { email: "joined@old.example" });
  const moved = await person("moved");
  await act("team.invitation_accepted", moved, moved, { email: "first@old.example" });
  await act("settings.account_updated", moved, moved, {
    changes: { email: ["first@old.example", "moved@old.example"] },
  });
  await person("by-command");
  await person("staff", null);
  const invited = await person("invited");
  await db.sql`insert into user_tokens (id, user_id, purpose, token_sha256, expires_at)
    values (${newId()}, ${invited}, 'invite', ${Buffer.from("digest")}, now())`;

  await migrate(url);
  const rows = await db.sql<{ email: string; owns: boolean; proved: boolean }[]>`
    select email, owns_email as owns, email_verified_at is not null as proved from users order by id`;
  expect(rows.map(({ email, owns, proved }) => [email.split("@")[0], owns, proved])).toEqual([
    ["signed-up", true, false],
    ["reset", true, true],
    ["joined", true, true],
    ["moved", true, false],
    ["by-command", true, true],
    ["staff", true, true],
    ["invited", false, false],
  ]);
});

test("events of older versions are numbered, each for its object, and operations say whether they captured", async () => {
  const { db, url } = events;
  const [merchant, env, batch] = [newId(), newId(), newId()];
  await db.sql`insert into merchants (id, name) values (${merchant}, 'Shop')`;
  await db.sql`insert into environments (id, merchant_id, mode) values (${env}, ${merchant}, 'test')`;
  await db.sql`insert into settlement_batches (environment_id, id, currency, charge_count, charge_amount, refund_count,
      refund_amount, reversal_count, reversal_amount) values (${env}, ${batch}, 'EUR', 1, 100, 0, 0, 0, 0)`;
  const tell = (type: string, object: string, operation: string | null, seconds: number, payload: object) => db.sql`
    insert into events (environment_id, id, type, operation_id, object_id, payload, created_at) values (${env}, ${newId()},
      ${type}, ${operation}, ${object}, ${JSON.stringify(payload)}::text::json, now() + ${seconds} * interval '1 s')`;
  const pay = async (taken: boolean) => {
    const ids = { payment: newId(), charge: newId(), authorize: newId(), refund: newId(), back: newId() };
    await db.sql`insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount,
        capture_method, amount_captured, created_at, updated_at)
      values (${env}, ${ids.payment}, ${ids.charge}, ${ids.authorize}, 'SETTLED', 'EUR', 100, 'automatic', 100,
        ${idTime(ids.payment)}, now())`;
    for (const id of [ids.charge, ids.refund]) {
      await db.sql`insert into transactions (environment_id, id, payment_id, type, status, amount, currency, metadata,
          settlement_batch_id, refund_of, created_at, updated_at)
        values (${env}, ${id}, ${ids.payment}, ${id === ids.charge ? "CHARGE" : "REFUND"}, 'SETTLED', 100, 'EUR', '{}',
          ${batch}, ${id === ids.charge ? null : ids.charge}, ${idTime(id)}, now())`;
    }
    const act = (id: string, kind: string, transaction: string) => db.sql`
      insert into operations (environment_id, id, payment_id, transaction_id, kind, state, amount, currency, actor,
        lease_until, next_attempt_at) values (${env}, ${id}, ${ids.payment}, ${transaction}, ${kind}, 'succeeded', 100, 'EUR',
        '{"type":"system","id":null}', now(), now())`;
    await act(ids.authorize, "authorize", ids.charge);
    await act(ids.back, "refund", ids.refund);
    const enveloped = { object: "event", data: { id: "pay", object: "payment" } };
    // Written out of order: what counts is when it happened.
    await tell("payment.settled", ids.payment, null, 5, { amount: 100 });
    await tell(taken ? "payment.captured" : "payment.authorized", ids.payment, ids.authorize, 1, enveloped);
    await tell("refund.failed", ids.payment, ids.back, 9, { object: "event", data: { object: "transaction" } });
    await tell("refund.succeeded", ids.payment, ids.back, 8, { object: "event", data: { object: "transaction" } });
    return ids;
  };
  const [taken, onlyHeld] = [await pay(true), await pay(false)];
  const plan = newId();
  await tell("plan.created", plan, null, 1, { object: "subscription_plan" });

  await migrate(url);
  const told = (object: string) => db.sql`
    select type, sequence, operation_id, data from events where object_id = ${object} order by sequence`;
  expect([...(await told(taken.payment))]).toEqual([
    {
      ...{ type: "payment.captured", sequence: 1, operation_id: taken.authorize },
      data: { object: { id: "pay", object: "payment" }, previous: null },
    },
    {
      ...{ type: "payment.settled", sequence: 2, operation_id: batch },
      data: { object: { amount: 100 }, previous: null },
    },
  ]);
  expect((await told(onlyHeld.refund)).map(({ type, sequence }) => [type, sequence])).toEqual([
    ["refund.succeeded", 1],
    ["refund.failed", 2],
  ]);
  expect((await told(plan)).map(({ type }) => type)).toEqual(["subscription_plan.created"]);
  const counted = await db.sql`select id, event_sequence from payments order by id`;
  expect([...counted]).toEqual([taken, onlyHeld].map(({ payment }) => ({ id: payment, event_sequence: 2 })));
  const captured = await db.sql<{ id: string }[]>`select id from operations where captured`;
  expect(captured.map(({ id }) => id)).toEqual([taken.authorize]);
});

test("sessions that expired before it was told are not told of; those that are open, or have a payment under way, will be", async () => {
  const { db, url } = sessions;
  const [merchant, env, payment, link] = [newId(), newId(), newId(), newId()];
  await db.sql`insert into merchants (id, name) values (${merchant}, 'Shop')`;
  await db.sql`insert into environments (id, merchant_id, mode) values (${env}, ${merchant}, 'test')`;
  await db.sql`insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount,
      capture_method, created_at, updated_at)
    values (${env}, ${payment}, ${newId()}, ${newId()}, 'PENDING', 'EUR', 100, 'automatic', ${idTime(payment)}, now())`;
  await db.sql`insert into payment_links (environment_id, id, token, amount, currency, description, single_use, active,
      created_at, updated_at) values (${env}, ${link}, 'link', 100, 'EUR', 'A poster', false, true, ${idTime(link)}, now())`;
  const open = async (leftSeconds: number, more: { status?: string; pays?: string; link?: string } = {}) => {
    const id = newId();
    await db.sql`insert into client_sessions (environment_id, id, token_sha256, status, amount, currency, capture_method,
        open_payment_id, payment_link_id, allowed_origins, metadata, expires_at, created_at, updated_at)
      values (${env}, ${id}, ${Buffer.from(id)}, ${more.status ?? "OPEN"}, 100, 'EUR', 'automatic', ${more.pays ?? null},
        ${more.link ?? null}, '{}', '{}', now() + ${leftSeconds} * interval '1 s', ${idTime(id)}, now())`;
    return id;
  };
  const told = [await open(3_600), await open(-3_600, { pays: payment })];
  await open(-3_600);
  await open(3_600, { status: "CANCELLED" });
  await open(3_600, { link });
  await migrate(url);
  told.push(await open(-3_600));
  const rows = await db.sql`select id from client_sessions where tells_expiry order by id`;
  expect(rows.map(({ id }) => id)).toEqual(told);
});

test("what stood of comparisons with processors still stands", async () => {
  const { db, url } = comparisons;
  const day = (ago: number) => new Date(Date.UTC(2026, 10, 20) - ago * 24 * 3_600_000).toISOString();
  type Found = { state?: string; at?: number[]; beyond?: number; unchecked?: string[]; connection?: string };
  const connection = newId();
  const compare = async ([from, to]: [number, number], found: Found = {}) => {
    const { state = "done", at = [], beyond = 0, unchecked = [] } = found;
    const id = newId();
    await db.sql`insert into reconciliation_runs (id, connection_id, state, since, until, differences, difference_count,
        unchecked, started_at, finished_at)
      values (${id}, ${found.connection ?? connection}, ${state}, ${day(from)}, ${day(to)},
        ${db.sql.json(at.map((ago) => ({ at: day(ago) })))}, ${at.length + beyond}, ${db.sql.json(unchecked)}, now(), now())`;
  };
  // Its end is not looked at again, so what is beyond the differences that are kept stands.
  await compare([9, 5], { at: [8, 7, 6], beyond: 20 });
  await compare([8, 6], { at: [7.5], beyond: 2 });
  await compare([8, 6]);
  // These looked at nothing.
  await compare([10, 0], { state: "failed" });
  await compare([10, 0], { unchecked: ["It has no list."] });
  await compare([4, 1], { at: [3, 2], connection: newId() });
  await migrate(url);
  const rows =
    await db.sql`select standing_at::text[] as at, standing, standing_in_all as all from reconciliation_runs order by id`;
  expect(rows.map(({ at, standing, all }) => [at.length, standing, all])).toEqual([
    [1, 21, 0],
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 21],
    [2, 2, 2],
  ]);
});

test("a table that somebody reads for long stays open to others while a migration waits for it", async () => {
  const { db, url } = busy;
  const { reached, release, hold } = latch();
  const reading = db.sql.begin(async (tx) => {
    await tx`select from operations`;
    await hold();
  });
  await reached;
  const migrating = migrate(url);
  const waits = async () =>
    (
      await db.sql`
        select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database() where not l.granted`
    ).length;
  await expect.poll(waits).toBe(1);
  // Without an end to that wait this one would be behind it, and the reader would never be let go.
  await db.sql`select from operations`;
  release();
  await Promise.all([reading, migrating]);
  expect(await db.sql`select 1 from pg_indexes where indexname = 'operations_unknown'`).toEqual([]);
});
