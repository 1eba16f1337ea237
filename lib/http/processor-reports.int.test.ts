import { beforeAll, describe, expect, test } from "vitest";
import { otherCompany } from "@/e2e/doubles/other/company";
import { createOtherProcessor, reportMessage } from "@/e2e/doubles/other/processor";
import { createOtherStore } from "@/e2e/doubles/other/store";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { moneyTenant } from "@/e2e/fixtures/money";
import { problem } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { continuePayment } from "@/lib/domain/payments/follow-up";
import { processReport } from "@/lib/domain/payments/process-reports";
import type { InquireRequest } from "@/lib/processor/port";
import { createRegistry } from "@/lib/processor/registry";
import { provideService } from "./current-service";
import { receiveReports } from "./processor-reports";

const { db } = await testDatabase();
await createOtherStore(db.sql);
const company = otherCompany(db.sql);
const sandbox = testService(db).processors.builtIn("test");
if (!sandbox) throw new Error("tests always have the sandbox");
const other = createOtherProcessor({ sql: db.sql, decidesAfterMs: 60_000 });
const tenant = await moneyTenant(db, {
  processors: createRegistry({ sandbox: other, live: { ...sandbox, name: "asked" } }),
});
const processors = createRegistry({ sandbox: other, live: { ...sandbox, name: "asked" } });

beforeAll(() => void provideService({ ...tenant.service, processors }));

type Message = { headers?: Headers; body: string };
const send = ({ headers = new Headers(), body }: Message, name = "other") =>
  receiveReports(new Request(`http://cardlane.test/webhooks/${name}`, { method: "POST", headers, body }), {
    processor: name,
    connection: null,
  });

async function refusalOf(answer: Promise<Response>) {
  const response = await answer;
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const { status, code } = problem.parse(await response.json());
  expect(status).toBe(response.status);
  return { status, code };
}

async function acceptedRefund() {
  const { body: payment } = await tenant.create();
  await tenant.act("refund", payment.id, { amount: 4_000 });
  const [, refund] = await tenant.operations(payment.id);
  const [object] = await db.sql`
    select object_id from processor_objects where operation_id = ${refund?.id ?? ""} and kind = 'refund'`;
  return { id: payment.id as string, object: object?.object_id as string };
}

describe("a report sent by a processor", () => {
  test.each(["sandbox", "asked", "nobody", "__proto__"])("as %s, which sends none, is not found", async (name) => {
    expect(await refusalOf(send(reportMessage([]), name))).toEqual({ status: 404, code: "resource_not_found" });
  });

  test.each([
    ["without a signature", () => ({ body: reportMessage([]).body })],
    [
      "with that of another message",
      () => ({ ...reportMessage([]), body: reportMessage([{ id: "1", object: "2" }]).body }),
    ],
    ["with a byte more", () => ({ ...reportMessage([]), body: `${reportMessage([]).body}\n` })],
    ["as garbage", () => ({ headers: new Headers({ "X-Other-Signature": "é" }), body: "\u0000{" })],
    ["empty", () => ({ body: "" })],
  ])("%s is rejected, and changes nothing", async (_how, message) => {
    expect(await refusalOf(send(message()))).toEqual({ status: 400, code: "invalid_parameter" });
  });

  test("with more than 256 KiB is refused", async () => {
    const large = reportMessage([{ id: "x".repeat(270_000), object: "2" }]);
    expect((await refusalOf(send(large))).status).toBe(413);
  });

  test("about an operation in use is rejected for now and processed when redelivered", async () => {
    const { id, object } = await acceptedRefund();
    const message = reportMessage([
      { id: "1", object: "of_nobody" },
      { id: "2", object },
    ]);
    await db.sql`update operations set lease_until = now() + interval '1 minute'
      where environment_id = ${tenant.environmentId} and state = 'open'`;
    expect(await refusalOf(send(message))).toEqual({ status: 409, code: "outcome_pending" });
    await tenant.endLeases();
    // This processor decides later, and reports only then.
    expect((await send(message)).status).toBe(204);
    expect(await tenant.get(id)).toMatchObject({ amount_refunded: 0 });
    await company.decide(tenant.environmentId);
    for (const _ of [1, 2]) {
      const answer = await send(message);
      expect([answer.status, await answer.text()]).toEqual([204, ""]);
    }
    expect(await tenant.get(id)).toMatchObject({ status: "PARTIALLY_REFUNDED", amount_refunded: 4_000 });
  });
});

test("the status of a second challenge is queried under the payment's authorization", async () => {
  const asked: InquireRequest[] = [];
  const page = createOtherProcessor({ sql: db.sql, decidesAfterMs: 60_000, challenges: "its own page" });
  const inquire = (request: InquireRequest) => {
    asked.push(request);
    return page.inquire(request);
  };
  const challenged = await moneyTenant(db, { processors: createRegistry({ sandbox: { ...page, inquire } }) });
  const card = { number: "4000000000003220", exp_month: 12, exp_year: 2040, cvv: "123" };
  const { body } = await challenged.create({ card });
  await continuePayment(challenged.service, challenged.merchant.test, decodeId("payment", body.id) ?? "", "passed");
  const [authorize, again] = await challenged.operations(body.id);
  expect(again).toMatchObject({ kind: "continue", state: "action_required" });
  const from = await challenged.service.processors.reporter("other");
  const report = { id: "1", account: challenged.environmentId, reference: again?.id ?? "" };
  expect(from && (await processReport(challenged.service, from, report))).toBe(true);
  expect(asked.map(({ reference, authorization }) => [reference, authorization])).toEqual([[again?.id, authorize?.id]]);
});
