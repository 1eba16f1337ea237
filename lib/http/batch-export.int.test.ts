import { beforeEach, expect, test } from "vitest";
import { insertBookedPayment } from "@/e2e/fixtures/books";
import { testDatabase } from "@/e2e/fixtures/database";
import { cookieOf, testUsers } from "@/e2e/fixtures/users";
import { listSettlementBatches } from "@/lib/domain/settlement/read-batches";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { batchExportRoute } from "./batch-export";
import { provideService } from "./current-service";
import { takeExportSlot } from "./export";

const { db } = await testDatabase();
const { service, merchant, newUser } = await testUsers(db);

beforeEach(() => void provideService(service));

const environmentId = merchant.test.id;
await insertBookedPayment(db, { environmentId, amount: 1_000 });
await insertBookedPayment(db, { environmentId, amount: 500, refunded: 200 });
await runSettlement(service, { environmentId });
const owner = await newUser("owner");
const cookie = await cookieOf(service, owner);
const [batch] = (await listSettlementBatches(owner.ctx, {})).data;

const get = (request: RequestInit = {}) =>
  batchExportRoute(
    new Request(`http://dashboard.test/test/settlement-batches/${batch?.id}/export`, {
      headers: { cookie },
      ...request,
    }),
    { mode: "test", id: batch?.id ?? "" },
  );
const history = () => db.sql`select action, actor, detail from audit_log
  where environment_id = ${merchant.live.id} and action like '%exported' order by id`;

test("a batch's transactions are a file of as many lines as it says, and a line in the account's history", async () => {
  const response = await get();
  expect(response.status).toBe(200);
  const lines = (await response.text()).split("\r\n");
  expect(lines[0]).toBe("transaction_id,payment_id,type,amount,currency,created_at");
  expect(
    lines
      .slice(1, -1)
      .map((line) => line.split(",").slice(2, 5).join(" "))
      .sort(),
  ).toEqual([...["charge 1000 EUR", "charge 500 EUR", "refund -200 EUR"]]);
  expect(response.headers.get("X-Total-Count")).toBe("3");
  expect([...(await history())]).toEqual([
    {
      action: "settings.settlement_batch_exported",
      actor: { type: "user", id: owner.user.id },
      detail: { mode: "test", batch: batch?.id },
    },
  ]);
});

test("who only asks for its headers opens nothing, and who has another export open waits or is refused", async () => {
  const before = (await history()).length;
  const head = await get({ method: "HEAD" });
  expect([head.status, head.headers.get("X-Total-Count"), await head.text()]).toEqual([200, "3", ""]);
  const slot = await takeExportSlot(merchant.id);
  const gone = AbortSignal.timeout(50);
  expect((await get({ signal: gone })).status).toBe(429);
  slot.release();
  expect(await history()).toHaveLength(before);
  const left = await get();
  await left.body?.cancel();
  await expect.poll(async () => (await get()).status).toBe(200);
});
