import { beforeEach, expect, test } from "vitest";
import { insertAudit } from "@/db/queries/changes";
import { countNeedingOtherSecrets } from "@/db/queries/service/secret-rotation";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, TEST_SECRET, type TestMerchant, testService } from "@/e2e/fixtures/factories";
import { newId } from "@/lib/ids";
import { createSecret } from "@/lib/secret";
import { chainAuditLogs, sealAuditLogs } from "./audit-chain";
import { verifyBooks } from "./verify-books";

const { db } = await testDatabase({ own: true });
const service = testService(db);

/** Acts as a superuser who turns triggers off, which is possible on the server itself. */
const byForce = (statement: string) =>
  db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(statement);
  });

beforeEach(async () => {
  await byForce("truncate audit_log, support_audit_log, audit_links, audit_seals, audit_pending");
});

/** An act of the merchant, which is chained immediately. */
async function act({ test: environment }: TestMerchant, count = 1): Promise<void> {
  const actor = { type: "user", id: newId() } as const;
  for (let i = 0; i < count; i++) {
    const entry = { id: newId(), actor, action: "settings.signed_in", object_id: newId(), request_id: null };
    await insertAudit(db.orm, environment.id, { ...entry, detail: { i }, created_at: new Date().toISOString() });
  }
  while ((await chainAuditLogs(service)) > 0);
}
/** Dates all links back by a day, and seals the chains that are then due. */
async function nextDay(as = service): Promise<number> {
  await byForce(`update audit_links set chained_at = chained_at - interval '1 day'`);
  let sealed = 0;
  for (let n = 1; n > 0; sealed += n) n = await sealAuditLogs(as);
  return sealed;
}
const problems = async (secret = service.secret) =>
  (await verifyBooks(db, secret)).checks.flatMap(({ check, rows }) =>
    rows.map(({ problem }) => `${check}: ${problem}`),
  );
const merchants = async () => [await createTestMerchant(db), await createTestMerchant(db)] as const;

/** Deletes the end of a merchant's log after `keep` links, which no later seal covers. */
const cutOff = ({ id, test: environment }: TestMerchant, keep: number) => `
  delete from audit_log where environment_id = '${environment.id}' and id in (
    select row_id from audit_links where chain_id = '${id}' and seq > ${keep});
  delete from audit_links where chain_id = '${id}' and seq > ${keep};
  delete from audit_seals where chain_id = '${id}' and seq > ${keep};`;

/** Changes one row and recomputes the chain's hashes from there, which takes no key. */
const rewrite = ({ id }: TestMerchant) => `
  update audit_log set action = 'x' where id = (select row_id from audit_links where chain_id = '${id}' and seq = 2);
  with recursive texts as (
    select l.seq, jsonb_build_array(a.environment_id, a.id, a.actor, a.action, a.object_id, a.request_id, a.detail,
      (extract(epoch from a.created_at) * 1000000)::bigint)::text as text
    from audit_links l join audit_log a on a.id = l.row_id where l.chain_id = '${id}'
  ), redo as (
    select seq, sha256(uuid_send('${id}') || int8send(1) || convert_to(text, 'UTF8')) as hash from texts where seq = 1
    union all
    select t.seq, sha256(r.hash || int8send(t.seq) || convert_to(t.text, 'UTF8')) from redo r join texts t on t.seq = r.seq + 1
  )
  update audit_links l set hash = redo.hash from redo where l.chain_id = '${id}' and l.seq = redo.seq;`;

test("links and seals by the service are valid, day by day", async () => {
  const [one, two] = await merchants();
  await act(one, 3);
  expect(await problems()).toEqual([]);
  expect(await nextDay()).toBe(1);
  await act(two, 2);
  await act(one);
  expect(await nextDay()).toBe(2);
  expect(await nextDay()).toBe(0);
  await act(one);
  expect(await problems()).toEqual([]);
});

test("unsealed rows can't be rewritten with access to the database alone, and are then never sealed", async () => {
  const [one, two] = await merchants();
  await act(one, 4);
  await act(two);
  await byForce(rewrite(one));
  const found = expect.stringMatching(/audit_seals_hold: a link that the service did not make/);
  expect(await problems()).toEqual([found]);
  await act(one, 2);
  expect(await nextDay()).toBe(1);
  expect(await problems()).toContainEqual(found);
  await nextDay();
  expect(await problems()).toEqual([expect.stringMatching(/no seal covers this day/), found]);
});

test.each([
  ["the last seal of all", "second"],
  ["a seal before others", "first"],
] as const)("a day cut off with its seal is found: %s, now and ever after", async (_which, whose) => {
  const [first, second] = await merchants();
  await act(first, 2);
  await act(second, 2);
  await nextDay();
  await act(first, 2);
  await act(second, 2);
  await nextDay();
  const other = whose === "first" ? second : first;
  await act(other);
  expect(await problems()).toEqual([]);
  await byForce(cutOff(whose === "first" ? first : second, 2));
  expect(await problems()).not.toEqual([]);
  await act(first);
  await act(second);
  await nextDay();
  expect(await problems()).not.toEqual([]);
  await act(first);
  await act(second);
  await nextDay();
  expect(await problems()).not.toEqual([]);
});

test("without the seals nothing matches, although the chains are consistent", async () => {
  const [one, two] = await merchants();
  await act(one);
  await nextDay();
  await act(two);
  await byForce("delete from audit_seals");
  expect(await problems()).toContainEqual(expect.stringMatching(/seal 1, which was there before this link, is gone/));
});

test("manually inserted seals are found", async () => {
  const [one] = await merchants();
  await act(one, 2);
  await nextDay();
  await byForce(`insert into audit_seals (chain_id, seq, key_id, day, hash, mac, number, previous_mac)
    select chain_id, seq, key_id, day, hash, mac, number + 2, mac from audit_seals`);
  expect(await problems()).toEqual([
    expect.stringMatching(/the seal was changed/),
    expect.stringMatching(/number 3, are missing or were changed/),
  ]);
});

test("links of an earlier secret need it until they are sealed under the new one", async () => {
  const [one] = await merchants();
  await act(one);
  const next = "another secret that only the tests know, long enough";
  expect(await problems(createSecret(next))).toEqual([expect.stringMatching(/chained under .* not known here/)]);
  expect(await countNeedingOtherSecrets(db.orm, createSecret(next).keyId)).toBe(1);
  await nextDay();
  expect(await countNeedingOtherSecrets(db.orm, createSecret(next).keyId)).toBe(1);
  await nextDay({ ...service, secret: createSecret(next, [TEST_SECRET]) });
  expect(await countNeedingOtherSecrets(db.orm, createSecret(next).keyId)).toBe(0);
  expect(await problems(createSecret(next))).toEqual([]);
});
