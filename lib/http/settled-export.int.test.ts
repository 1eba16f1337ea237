import { parse } from "csv-parse/sync";
import { beforeEach, expect, test } from "vitest";
import { insertBookedPayment } from "@/e2e/fixtures/books";
import { testDatabase } from "@/e2e/fixtures/database";
import { openDispute } from "@/e2e/fixtures/disputes";
import { cookieOf, testUsers } from "@/e2e/fixtures/users";
import { encodeId } from "@/lib/contract/ids";
import { listPayouts, runPayouts } from "@/lib/domain/settlement/payouts";
import { listSettlementBatches } from "@/lib/domain/settlement/read-batches";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { newId } from "@/lib/ids";
import { provideService } from "./current-service";
import { acquireExportSlot } from "./export";
import { batchExportRoute, payoutItemsExportRoute } from "./settled-export";

const { db } = await testDatabase();
const { service, merchant, newUser } = await testUsers(db);

beforeEach(() => void provideService(service));

const environmentId = merchant.test.id;
const { charge } = await insertBookedPayment(db, { environmentId, amount: 1_000, feeBasisPoints: 290 });
await db.sql`update transactions set customer_name = 'Ann' where environment_id = ${environmentId} and id = ${charge}`;
await insertBookedPayment(db, { environmentId, amount: 500, refunded: 200 });
await runSettlement(service, { environmentId });
const owner = await newUser("owner");
const cookie = await cookieOf(service, owner);
const [batch] = (await listSettlementBatches(owner.ctx, {})).data;

const get = (request: RequestInit = {}, query = "") =>
  batchExportRoute(
    new Request(`http://dashboard.test/test/settlement-batches/${batch?.id}/export${query}`, {
      headers: { cookie },
      ...request,
    }),
    { mode: "test", id: batch?.id ?? "" },
  );
const history = () => db.sql`select action, actor, detail from audit_log
  where environment_id = ${merchant.live.id} and action like '%exported' order by id`;

test("a batch's transactions are a file with as many lines as it states, and an entry in the account's history", async () => {
  const response = await get();
  expect(response.status).toBe(200);
  const rows: Record<string, string>[] = parse(await response.text(), { columns: true });
  expect(Object.keys(rows[0] ?? {})).toEqual([
    ...[
      "transaction_id",
      "payment_id",
      "type",
      "amount",
      "currency",
      "created_at",
      "fee",
      "net",
      "created_at_local",
      "customer",
    ],
  ]);
  expect(
    rows
      .map(({ type, amount, currency, fee, net, customer }) => [type, amount, currency, fee, net, customer].join(" "))
      .sort(),
  ).toEqual([...["charge 1000 EUR 29 971 Ann", "charge 500 EUR 0 500 ", "refund -200 EUR 0 -200 "]]);
  expect(rows.reduce((sum, { net }) => sum + Number(net), 0)).toBe(batch?.net_amount);
  expect(response.headers.get("X-Total-Count")).toBe("3");
  expect([...(await history())]).toEqual([
    {
      action: "settings.settlement_batch_exported",
      actor: { type: "user", id: owner.user.id },
      detail: { mode: "test", batch: batch?.id },
    },
  ]);
});

test("the file is of the chosen kind, and another kind is refused", async () => {
  const excel = await get({}, "?format=csv_excel&locale=de-DE");
  expect(excel.headers.get("Content-Disposition")).toMatch(/\.csv"$/);
  const bytes = Buffer.from(await excel.arrayBuffer()).toString("utf8");
  // The business is in UTC, so one column has both times.
  expect(bytes).toMatch(/^\ufeffTransaction id;Payment id;Type;Amount;Currency;Fee;Net;Customer;Created \(UTC\)\r\n/);
  expect(bytes).toContain(";Charge;10,00;EUR;0,29;9,71;Ann;");
  const workbook = await get({}, "?format=xlsx");
  expect(workbook.headers.get("Content-Disposition")).toMatch(/\.xlsx"$/);
  expect(
    Buffer.from(await workbook.arrayBuffer())
      .subarray(0, 2)
      .toString(),
  ).toBe("PK");
  const before = (await history()).length;
  for (const query of ["?format=pdf", "?format=csv_excel&locale=nowhere-at-all"])
    expect((await get({}, query)).status).toBe(400);
  expect(await history()).toHaveLength(before);
});

test("a HEAD request opens nothing, and a second export waits or is refused", async () => {
  const before = (await history()).length;
  const head = await get({ method: "HEAD" });
  expect([head.status, head.headers.get("X-Total-Count"), await head.text()]).toEqual([200, "3", ""]);
  const slot = await acquireExportSlot(merchant.id);
  const gone = AbortSignal.timeout(50);
  expect((await get({ signal: gone })).status).toBe(429);
  slot.release();
  expect(await history()).toHaveLength(before);
  const left = await get();
  await left.body?.cancel();
  await expect.poll(async () => (await get()).status).toBe(200);
});

test("a payout's transactions and disputes are a file whose net amounts add up to the payout", async () => {
  const { merchant: shop, newUser: newMember } = await testUsers(db);
  const { id } = shop.test;
  await insertBookedPayment(db, { environmentId: id, amount: 1_000, feeBasisPoints: 290 });
  const disputed = await insertBookedPayment(db, { environmentId: id, amount: 500, refunded: 200 });
  await openDispute({ service, db, environmentId: id }, encodeId("payment", disputed.payment), {
    amount: 100,
    fee: 15,
  });
  await runSettlement(service, { environmentId: id });
  await runPayouts(service);
  const member = await newMember("owner");
  const [payout] = (await listPayouts(member.ctx, {})).data;
  if (!payout) throw new Error("there is no payout");
  const memberCookie = await cookieOf(service, member);
  const fetchFile = (query = "", payoutId = payout.id) =>
    payoutItemsExportRoute(
      new Request(`http://dashboard.test/test/payouts/${payoutId}/export${query}`, {
        headers: { cookie: memberCookie },
      }),
      { mode: "test", id: payoutId },
    );
  const response = await fetchFile();
  expect(response.headers.get("Content-Disposition")).toContain(`payout-${payout.id}.csv`);
  const rows: Record<string, string>[] = parse(await response.text(), { columns: true });
  expect(rows.map(({ type, amount, fee, net }) => [type, amount, fee, net].join(" ")).sort()).toEqual([
    "charge 1000 29 971",
    "charge 500 0 500",
    "dispute -100 15 -115",
    "refund -200 0 -200",
  ]);
  expect(rows.reduce((sum, { net }) => sum + Number(net), 0)).toBe(payout.amount);
  expect(response.headers.get("X-Total-Count")).toBe(String(rows.length));
  const [last] = rows.slice(-1);
  expect([last?.type, last?.transaction_id, last?.dispute_id]).toEqual(["dispute", "", expect.stringMatching(/^dp_/)]);
  const german = await (await fetchFile("?format=csv_excel&locale=de-DE")).text();
  expect(german).toContain("Type;Amount;Currency;Fee;Net;Customer;Created (UTC);Dispute id\r\n");
  expect(german).toContain(";Dispute;-1,00;EUR;0,15;-1,15;");
  const workbook = Buffer.from(await (await fetchFile("?format=xlsx")).arrayBuffer());
  expect(workbook.subarray(0, 2).toString()).toBe("PK");
  const acts = await db.sql`select detail from audit_log
    where environment_id = ${shop.live.id} and action = 'settings.payout_exported'`;
  expect(acts).toHaveLength(3);
  expect(acts[0]?.detail).toEqual({ mode: "test", payout: payout.id });
  expect((await fetchFile("", encodeId("payout", newId()))).status).toBe(404);
});
