import { beforeAll, describe, expect, test, vi } from "vitest";
import { otherCompany } from "@/e2e/doubles/other/company";
import { otherConnector } from "@/e2e/doubles/other/connector";
import { reportMessage } from "@/e2e/doubles/other/processor";
import { createOtherStore } from "@/e2e/doubles/other/store";
import { connectingService, connectingTenant } from "@/e2e/fixtures/connections";
import { testDatabase } from "@/e2e/fixtures/database";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { provideService } from "@/lib/http/current-service";
import { receiveReports } from "@/lib/http/processor-reports";
import { newId } from "@/lib/ids";
import type { Connector } from "@/lib/processor/connector";
import type { Report } from "@/lib/processor/port";
import type { Service } from "../context";
import { changeConnection, disconnectProcessor, listProcessors } from "./connections";
import { catchUpReports } from "./reports";

const { db } = await testDatabase();
await createOtherStore(db.sql);
const company = otherCompany(db.sql);
const serving = connectingService(db);
beforeAll(() => void provideService(serving));

const send = (processor: string, connection: string, { headers, body }: ReturnType<typeof reportMessage>) =>
  receiveReports(new Request("http://cardlane.test/webhooks", { method: "POST", headers, body }), {
    processor,
    connection,
  });

async function withRefund() {
  const tenant = await connectingTenant(db);
  const { id } = await tenant.connect();
  await changeConnection(tenant.owner(), { id, raw_cards: true });
  const { body: payment } = await tenant.create();
  await tenant.act("refund", payment.id, { amount: 4_000 });
  const [row] = await db.sql`select object_id from processor_objects
    where environment_id = ${tenant.environmentId} and kind = 'refund'`;
  return { tenant, id, payment: payment.id as string, object: row?.object_id as string };
}

describe("a message to a connection's address", () => {
  test("is processed and acknowledged as the processor requires; its owner sees that it arrived", async () => {
    const { tenant, id, payment, object } = await withRefund();
    await company.decide(tenant.environmentId);
    const answer = await send("other", id, reportMessage([{ id: "1", object }]));
    expect([answer.status, await answer.text()]).toEqual([200, "[taken]"]);
    expect(await tenant.get(payment)).toMatchObject({ amount_refunded: 4_000 });
    const { connections } = await listProcessors(tenant.owner());
    expect(connections[0]?.last_webhook_at).not.toBeNull();
  });

  test("of another connection, another processor or a disconnected one changes nothing", async () => {
    const { tenant, payment, object } = await withRefund();
    const otherMerchant = await connectingTenant(db);
    const { id: other } = await otherMerchant.connect();
    await company.decide(tenant.environmentId);
    const message = reportMessage([{ id: "1", object }]);
    expect((await send("other", other, message)).status).toBe(200);
    expect(await tenant.get(payment)).toMatchObject({ amount_refunded: 0 });
    await disconnectProcessor(otherMerchant.owner("test", serving), { id: other });
    for (const [processor, connection] of [
      ["other", other],
      ["stripe", other],
      ["other", encodeId("connection", newId())],
      ["other", "con_garbage"],
    ] as const)
      expect((await send(processor, connection, message)).status).toBe(404);
  });

  test("that is not signed is refused, and does not count as a message", async () => {
    const { tenant, id } = await withRefund();
    const unsigned = { ...reportMessage([]), headers: new Headers() };
    expect((await send("other", id, unsigned)).status).toBe(400);
    expect((await listProcessors(tenant.owner())).connections[0]?.last_webhook_at).toBeNull();
  });
});

/** The other processor, with a list of reports that `read` returns. */
function listing(
  read: (name: string, cursor: string | null) => Promise<{ reports: Report[]; cursor: string | null; more: boolean }>,
): Connector {
  const plain = otherConnector(db.sql, { decidesAfterMs: 60_000 });
  return {
    ...plain,
    create(options) {
      const processor = plain.create(options);
      if (processor.reports.kind !== "pushed") throw new Error("it pushes its reports");
      const catchUp = (cursor: string | null) => read(options.name, cursor);
      return { ...processor, reports: { ...processor.reports, catchUp } };
    },
  };
}

/** Makes the last poll look old. */
const aMinuteLater = () => db.sql`update processor_connections set reports_read_at = now() - interval '2 minutes'`;

describe("a list of reports", () => {
  test("is continued from its last position, and finds missed messages", async () => {
    const { tenant, id, payment, object } = await withRefund();
    const name = decodeId("connection", id);
    const places: (string | null)[] = [];
    const service = connectingService(db, {
      connectors: [
        listing(async (of, cursor) => {
          if (of !== name) return { reports: [], cursor, more: false };
          places.push(cursor);
          const first = cursor === null;
          return { reports: first ? [{ id: "1", object }] : [], cursor: first ? "a" : "b", more: first };
        }),
      ],
    });
    await aMinuteLater();
    // The process that sent the refund still holds its lease, so the list waits at this report.
    const held = (until: string) => db.sql`update operations set lease_until = now() + ${until}::interval
      where environment_id = ${tenant.environmentId} and state = 'open'`;
    await held("1 minute");
    await catchUpReports(service);
    expect(places).toEqual([null]);
    await held("-1 ms");
    await company.decide(tenant.environmentId);
    await aMinuteLater();
    await catchUpReports(service);
    expect(await tenant.get(payment)).toMatchObject({ amount_refunded: 4_000 });
    expect(places).toEqual([null, null, "a"]);
    // Not again within a minute.
    await catchUpReports(service);
    await aMinuteLater();
    await catchUpReports(service);
    expect(places).toEqual([null, null, "a", "b"]);
  });

  test("does not wait for later decisions, which have reports of their own", async () => {
    const { tenant, id, payment, object } = await withRefund();
    const name = decodeId("connection", id);
    const places: (string | null)[] = [];
    const service = connectingService(db, {
      connectors: [
        listing(async (of, cursor) => {
          if (of !== name) return { reports: [], cursor, more: false };
          places.push(cursor);
          return { reports: [{ id: "1", object }], cursor: "a", more: false };
        }),
      ],
    });
    await aMinuteLater();
    await catchUpReports(service);
    await aMinuteLater();
    expect(await tenant.get(payment)).toMatchObject({ amount_refunded: 0 });
    await company.decide(tenant.environmentId);
    await catchUpReports(service);
    expect(places).toEqual([null, "a"]);
    expect(await tenant.get(payment)).toMatchObject({ amount_refunded: 4_000 });
  });

  test("is read even if cards could not be deleted, which is logged separately", async () => {
    const { id } = await withRefund();
    const name = decodeId("connection", id);
    const read: string[] = [];
    const plain = listing(async (of, cursor) => {
      read.push(of);
      return { reports: [], cursor, more: false };
    });
    const failing: Connector = {
      ...plain,
      create: (options) => ({
        ...plain.create(options),
        forgetOldAttempts: () => Promise.reject(new Error("Adyen did not forget 1 card")),
      }),
    };
    const warn = vi.fn();
    const service = connectingService(db, { connectors: [failing] });
    await aMinuteLater();
    await catchUpReports({ ...service, log: { ...service.log, warn } as unknown as Service["log"] });
    expect(read).toContain(name);
    const said = warn.mock.calls.flatMap(([about, sentence]) => (about.connection === name ? [sentence] : []));
    expect(said).toEqual(["cards that a processor keeps could not be removed in time"]);
  });

  test("of a failing processor does not block others", async () => {
    const tenants = await Promise.all([1, 2, 3].map(() => withRefund()));
    const [dead, ...others] = tenants.map(({ id }) => decodeId("connection", id));
    const read: string[] = [];
    const service = connectingService(db, {
      connectors: [
        listing(async (name, cursor) => {
          if (name === dead) throw new Error("it is away");
          read.push(name);
          return { reports: [], cursor, more: false };
        }),
      ],
    });
    await aMinuteLater();
    await catchUpReports(service);
    expect(read).toEqual(expect.arrayContaining(others));
  });
});
