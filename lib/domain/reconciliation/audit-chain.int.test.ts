import { beforeEach, expect, test } from "vitest";
import { insertAudit } from "@/db/queries/changes";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, TEST_SECRET, type TestMerchant, testService } from "@/e2e/fixtures/factories";
import { newId } from "@/lib/ids";
import { createSecret } from "@/lib/secret";
import { chainAuditLogs, sealAuditLogs } from "./audit-chain";
import { verifyBooks } from "./verify-books";

const { db } = await testDatabase();
const service = testService(db);
const TABLES = ["audit_log", "support_audit_log", "audit_links", "audit_seals"] as const;

/** Acts as a superuser who turns triggers off, which is possible on the server itself. */
const byForce = (statement: string) =>
  db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(statement);
  });
beforeEach(() => byForce(`truncate ${TABLES.join(", ")}, audit_pending`));

async function write({ test: environment }: TestMerchant, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const actor = { type: "user", id: newId() } as const;
    const entry = { id: newId(), actor, action: "settings.signed_in", object_id: newId(), request_id: null };
    await insertAudit(db.orm, environment.id, { ...entry, detail: { i }, created_at: new Date().toISOString() });
  }
}
const chainAll = async () => {
  let chained = 0;
  for (let n = 1; n > 0; chained += n) n = await chainAuditLogs(service);
  return chained;
};
/** Dates the chain to yesterday, so that it is due to be sealed. */
const sealAll = async () => {
  await byForce(`update audit_links set chained_at = chained_at - interval '1 day'`);
  return sealAuditLogs(service);
};
const faults = async (secret = service.secret) =>
  (await verifyBooks(db, secret)).checks.filter(({ count }) => count > 0).map(({ check }) => check);
const problems = async (secret = service.secret) =>
  (await verifyBooks(db, secret)).checks.flatMap(({ rows }) => rows.map(({ problem }) => problem));

test("each merchant has its own chain, which includes the staff's actions, however many processes chain concurrently", async () => {
  const [one, two] = [await createTestMerchant(db), await createTestMerchant(db)];
  await Promise.all([write(one, 20), write(two, 20), write(one, 20)]);
  const together = await Promise.all(Array.from({ length: 5 }, () => chainAuditLogs(service)));
  expect(together.reduce((sum, n) => sum + n) + (await chainAll())).toBe(60);
  const chains = await db.sql`
    select chain_id, count(*)::int as links, max(seq)::int as last from audit_links group by chain_id order by links`;
  expect(chains.map(({ links, last }) => [links, last])).toEqual([
    [20, 20],
    [40, 40],
  ]);
  expect(await faults()).toEqual([]);
});

test("no one updates, deletes or empties the logs and their chains", async () => {
  await write(await createTestMerchant(db), 2);
  await chainAll();
  await sealAll();
  for (const table of ["audit_log", "audit_links", "audit_seals"]) {
    await expect(db.sql.unsafe(`delete from ${table}`)).rejects.toThrow(/append-only/);
    await expect(db.sql.unsafe(`truncate ${table}`)).rejects.toThrow(/append-only/);
  }
  await expect(db.sql`update audit_log set action = 'x'`).rejects.toThrow(/append-only/);
  await expect(db.sql`update audit_links set seq = seq + 1`).rejects.toThrow(/append-only/);
  await expect(db.sql`update audit_seals set mac = 'x'`).rejects.toThrow(/append-only/);
});

test("a row that bypassed the log's trigger is a fault, and so is one that waits too long", async () => {
  const merchant = await createTestMerchant(db);
  await write(merchant, 1);
  expect(await faults()).toEqual([]);
  await byForce(`update audit_pending set queued_at = now() - interval '6 minutes'`);
  expect(await faults()).toEqual(["audit_rows_are_chained"]);
  await chainAll();
  expect(await faults()).toEqual([]);
  await byForce(`insert into audit_log (environment_id, id, actor, action, object_id)
    values ('${merchant.test.id}', '${newId()}', '{}', 'x', '${newId()}')`);
  expect(await faults()).toEqual(["audit_rows_are_chained"]);
});

/** Recomputes the rest of the chain after a change, as anyone with the database and this code can. */
const REWRITE = `
  with recursive redo as (
    select l.chain_id, 1::bigint as seq, sha256(uuid_send(l.chain_id) || int8send(1) || convert_to(t.text, 'UTF8')) as hash
    from audit_links l join texts t using (row_id) where l.seq = 1
    union all
    select l.chain_id, l.seq, sha256(r.hash || int8send(l.seq) || convert_to(t.text, 'UTF8'))
    from redo r join audit_links l on l.chain_id = r.chain_id and l.seq = r.seq + 1 join texts t using (row_id)
  ), texts as (
    select id as row_id, jsonb_build_array(environment_id, id, actor, action, object_id, request_id, detail,
      (extract(epoch from created_at) * 1000000)::bigint)::text as text from audit_log
  )
  update audit_links l set hash = redo.hash from redo where redo.chain_id = l.chain_id and redo.seq = l.seq`;

test.each([
  ["a row that is changed", `update audit_log set action = 'x' where id = $row`, "audit_chains_hold"],
  ["a row that is removed", `delete from audit_log where id = $row`, "audit_chains_hold"],
  [
    "a row that is removed with its link",
    `delete from audit_log where id = $row; delete from audit_links where row_id = $row`,
    "audit_chains_hold",
  ],
  [
    "the end cut off, rows and links",
    `delete from audit_log where id >= $row; delete from audit_links where row_id >= $row`,
    "audit_seals_hold",
  ],
  [
    "a change with the whole chain recomputed",
    `update audit_log set action = 'x' where id = $row; ${REWRITE}`,
    "audit_seals_hold",
  ],
  [
    "the same with a recomputed seal",
    `update audit_log set action = 'x' where id = $row; ${REWRITE};
    update audit_seals s set hash = l.hash from audit_links l where l.chain_id = s.chain_id and l.seq = s.seq`,
    "audit_seals_hold",
  ],
])("after the seal, %s is found", async (_how, statement, check) => {
  await write(await createTestMerchant(db), 6);
  await chainAll();
  expect(await sealAll()).toBe(1);
  expect(await sealAuditLogs(service)).toBe(0);
  expect(await faults()).toEqual([]);
  const [third] = await db.sql`select row_id from audit_links order by seq offset 2 limit 1`;
  await byForce(statement.replaceAll("$row", `'${third?.row_id}'`));
  expect(await faults()).toContain(check);
});

test("a chain that does not match its seal is not sealed again", async () => {
  const merchant = await createTestMerchant(db);
  await write(merchant, 3);
  await chainAll();
  await sealAll();
  await byForce(`delete from audit_links where seq = 3; delete from audit_log`);
  await write(merchant, 3);
  await chainAll();
  expect(await sealAll()).toBe(0);
  expect(await problems()).toContain("the chain was rewritten after it was sealed");
});

test("after a change of the secret the chains are sealed under the new one, and then the old one is not needed", async () => {
  await write(await createTestMerchant(db), 3);
  await chainAll();
  await sealAll();
  const next = "another secret that only the tests know, long enough";
  expect(await problems(createSecret(next))).toEqual([expect.stringMatching(/not known here/)]);
  expect(await sealAuditLogs({ ...service, secret: createSecret(next, [TEST_SECRET]) })).toBe(1);
  expect(await faults(createSecret(next))).toEqual([]);
});
