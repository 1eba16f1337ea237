import { expect, test } from "vitest";
import { comparedConnections, HOUR_MS, heldUp } from "@/e2e/fixtures/compared-connections";
import { testDatabase } from "@/e2e/fixtures/database";
import { decodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { listSupportReconciliations } from "../support/reconciliation";
import { createStaff } from "../support/staff";
import { getReconciliation } from "./read-reconciliation";
import { listUnchecked, reconcile } from "./reconciliation";

const { db } = await testDatabase();
const { connected } = comparedConnections(db);

test("a difference remains until a comparison of its period finds none", async () => {
  const { ctx, service, connection, list, foreign } = await connected();
  const ago = (days: number) => new Date(Date.now() - days * 24 * HOUR_MS);
  const standing = async () => (await getReconciliation(ctx, { connection })).standing;
  list.entries.push(foreign(5 * 24 * HOUR_MS), foreign(3 * 24 * HOUR_MS));
  await reconcile(service, { connectionId: connection, since: ago(6) });
  expect(await standing()).toBe(2);
  await reconcile(service, { connectionId: connection, since: ago(2) });
  expect((await getReconciliation(ctx, { connection })).shown).toMatchObject({ difference_count: 0 });
  expect(await standing()).toBe(2);
  expect((await listUnchecked(service)).filter((sentence) => sentence.includes(connection))).toEqual([
    expect.stringContaining("2 differences found"),
  ]);
  list.fails = true;
  await expect(reconcile(service, { connectionId: connection, since: ago(6) })).rejects.toThrow("cannot be had");
  expect(await standing()).toBe(2);
  list.fails = false;
  await reconcile(service, { connectionId: connection, since: ago(4) });
  expect(await standing()).toBe(2);
  list.entries.length = 0;
  await reconcile(service, { connectionId: connection, since: ago(4) });
  expect(await standing()).toBe(1);
  await reconcile(service, { connectionId: connection, since: ago(6) });
  expect(await standing()).toBe(0);
});

test("remaining differences are counted without reading the findings of comparisons, however many there are", async () => {
  const { ctx, service, connection, id, list, foreign } = await connected();
  const day = 24 * HOUR_MS;
  list.entries.push(foreign(5 * day), foreign(3 * day), foreign(day));
  for (const days of [6, 4, 2, 0.5])
    await reconcile(service, { connectionId: connection, since: new Date(Date.now() - days * day) });
  // The three differences are in one comparison each, and the newest has none.
  await db.sql`update reconciliation_runs set differences = '"not to be read"' where connection_id = ${id} and difference_count > 0`;
  expect(await getReconciliation(ctx, { connection })).toMatchObject({ standing: 3, shown: { difference_count: 0 } });
  const { staff_id } = await createStaff(service, { email: `${newId()}@cardlane.example` });
  const staff = { userId: decodeId("user", staff_id) as string };
  const listed = await listSupportReconciliations({ service, staff, request: { id: newId(), path: "/support" } });
  expect(listed.find((one) => one.id === connection)).toMatchObject({ last: { difference_count: 3 } });
  expect((await listUnchecked(service)).filter((sentence) => sentence.includes(connection))).toEqual([
    expect.stringContaining("3 differences found"),
  ]);
});

test("differences beyond the stored ones remain until one comparison covers their whole period again", async () => {
  const { ctx, service, connection, list, foreign } = await connected();
  const since = (days: number) => new Date(Date.now() - days * 24 * HOUR_MS);
  const standing = async () => (await getReconciliation(ctx, { connection })).standing;
  list.entries.push(...Array.from({ length: 1_003 }, () => foreign(3 * 24 * HOUR_MS)));
  expect(await reconcile(service, { connectionId: connection, since: since(4) })).toMatchObject({
    difference_count: 1_003,
  });
  expect(await standing()).toBe(1_003);
  list.entries.length = 0;
  await reconcile(service, { connectionId: connection, since: since(3.5) });
  expect(await standing()).toBe(3);
  await reconcile(service, { connectionId: connection, since: since(5) });
  expect(await standing()).toBe(0);
});

test("a comparison that ends after a later one changes nothing in the later one's period", async () => {
  const { ctx, service, connection, list, foreign } = await connected();
  const day = 24 * HOUR_MS;
  const standing = async () => (await getReconciliation(ctx, { connection })).standing;
  const compare = (days: number) =>
    reconcile(service, { connectionId: connection, since: new Date(Date.now() - days * day) });
  list.entries.push(foreign(5 * day));
  await compare(6);
  const resolve = heldUp(list);
  const asked = list.asked;
  const before = compare(6);
  await expect.poll(() => list.asked).toBe(asked + 1);
  list.until = undefined;
  list.entries.splice(0, 1, foreign(day));
  await compare(2);
  expect(await standing()).toBe(2);
  list.entries.splice(0, 1, foreign(4 * day), foreign(day), foreign(day));
  resolve();
  expect((await before).difference_count).toBe(3);
  // The difference of four days ago is new, and that of five days
  // ago is gone. For one day ago, the later run is more complete.
  expect(await standing()).toBe(2);
});

test("an old requested comparison keeps only its remaining differences, and a listed one keeps all", async () => {
  const { ctx, service, connection, id, list, foreign } = await connected();
  const since = (days: number) => new Date(Date.now() - days * 24 * HOUR_MS);
  list.entries.push(foreign(5 * 24 * HOUR_MS), foreign());
  const kept = async () =>
    (
      await db.sql`select jsonb_array_length(differences) as kept from reconciliation_runs where connection_id = ${id} order by id`
    ).map((row) => row.kept);
  const { id: oldest } = await reconcile(service, { connectionId: connection, since: since(6) });
  await db.sql`update reconciliation_runs set requested_at = now() where connection_id = ${id}`;
  // The operator's own run stays unchanged.
  await reconcile(service, { connectionId: connection, since: since(1) });
  for (let made = 0; made < 29; made++) {
    const run = await reconcile(service, { connectionId: connection, since: since(1) });
    await db.sql`update reconciliation_runs set requested_at = now() where id = ${decodeId("reconciliation", run.id)}`;
  }
  expect(await kept()).toEqual([1, ...Array(30).fill(1)]);
  expect(await getReconciliation(ctx, { connection, run: oldest })).toMatchObject({
    standing: 2,
    shown: { difference_count: 2, differences: [{ at: list.entries[0]?.created_at.toISOString() }] },
  });
  await reconcile(service, { connectionId: connection, since: since(1) });
  await reconcile(service, { connectionId: connection, since: since(1) });
  expect(await kept()).toEqual([1, 1, 0, ...Array(30).fill(1)]);
  list.entries.length = 0;
  await reconcile(service, { connectionId: connection, since: since(6) });
  expect(await kept()).toEqual([0, 1, 0, 0, ...Array(29).fill(1), 0]);
  expect(await getReconciliation(ctx, { connection, run: oldest })).toMatchObject({
    standing: 0,
    shown: { difference_count: 2, differences: [] },
  });
});
