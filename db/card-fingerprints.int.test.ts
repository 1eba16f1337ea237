import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { createDatabase, dropDatabase } from "@/e2e/fixtures/cluster";
import { newId } from "@/lib/ids";
import { connect } from "./client";

const FOLDER = join(import.meta.dirname, "migrations");
const TAG = /_card_fingerprints_go$/;
const FINGERPRINT = "an-old-fingerprint-of-a-card-number";

const name = `fingerprints_${newId().replaceAll("-", "")}`;
const adminUrl = inject("adminUrl");
const db = connect(await createDatabase(adminUrl, name), { max: 1 });
afterAll(async () => {
  await db.close();
  await dropDatabase(adminUrl, name);
});

const { entries } = JSON.parse(readFileSync(join(FOLDER, "meta", "_journal.json"), "utf8")) as {
  entries: { tag: string }[];
};
const at = entries.findIndex(({ tag }) => TAG.test(tag));
async function apply(tags: { tag: string }[]): Promise<void> {
  for (const { tag } of tags) {
    const text = readFileSync(join(FOLDER, `${tag}.sql`), "utf8");
    await db.sql.begin(async (tx) => {
      for (const statement of text.split("--> statement-breakpoint")) await tx.unsafe(statement).simple();
    });
  }
}

/** The bytes of a table on disk, dropped columns and all. */
async function bytesOf(table: string): Promise<string> {
  await db.sql`checkpoint`;
  const [row] = await db.sql<{ bytes: Buffer }[]>`
    select pg_read_binary_file(pg_relation_filepath(${table}::text::regclass)) as bytes`;
  return row?.bytes.toString("latin1") ?? "";
}

test("an upgrade leaves no fingerprint of a card in the database, not even where no query sees it", async () => {
  await apply(entries.slice(0, at));
  // In SQL: the code of now knows columns that come later.
  const [environment, id] = [{ id: newId() }, newId()];
  await db.sql`insert into merchants (id, name) values (${id}, 'A shop')`;
  await db.sql`insert into environments (id, merchant_id, mode) values (${environment.id}, ${id}, 'test')`;
  const time = db.sql`to_timestamp(('x' || lpad(replace(left(${id}, 13), '-', ''), 16, '0'))::bit(64)::bigint / 1000.0)::timestamptz(3)`;
  await db.sql`insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, capture_method,
      created_at, updated_at)
    values (${environment.id}, ${id}, ${id}, ${id}, 'PENDING', 'USD', 1, 'automatic', ${time}, now())`;
  await db.sql`insert into transactions (environment_id, id, payment_id, type, status, amount, currency, metadata, card_fingerprint,
      created_at, updated_at)
    values (${environment.id}, ${id}, ${id}, 'CHARGE', 'PENDING', 1, 'USD', '{}', ${FINGERPRINT}, ${time}, now())`;
  await db.sql`insert into payment_tokens (environment_id, id, processor_token, card_last4, card_bin, card_exp_month, card_exp_year,
      card_fingerprint, expires_at, created_at)
    values (${environment.id}, ${id}, ${`sbx_${FINGERPRINT}`}, '1', '1', 1, 2030, ${FINGERPRINT}, now() + interval '5 minutes', now())`;
  const tables = ["transactions", "payment_tokens"];
  for (const table of tables) expect(await bytesOf(table)).toContain(FINGERPRINT);

  await apply(entries.slice(at));
  for (const table of tables) expect(await bytesOf(table)).not.toContain(FINGERPRINT);
  const [token] = await db.sql`select expires_at <= now() as expired from payment_tokens where id = ${id}`;
  expect(token?.expired).toBe(true);
});

test("no table has a column for a fingerprint or digest of a card", async () => {
  const found = await db.sql`
    select table_name, column_name from information_schema.columns
    where column_name ~ 'fingerprint|card.*(digest|hash)' and table_schema in ('public', 'sandbox_processor')`;
  expect([...found]).toEqual([]);
});
