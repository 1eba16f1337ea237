import { beforeEach, expect, test, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { openDispute } from "@/e2e/fixtures/disputes";
import { type Answer, connect, type Json, testShops, YES } from "@/e2e/fixtures/mcp";
import { decodeId } from "@/lib/contract/ids";

const { db } = await testDatabase();
const { nextProcess, service, shop } = testShops(db);
const NO: Answer = { action: "decline" };

beforeEach(() => {
  vi.unstubAllEnvs();
  vi.stubEnv("BASE_URL", "http://cardlane.test");
  nextProcess();
});

/** A disputed payment of $50.00, and the shop's assistant. */
async function disputed(answer: Answer) {
  const { api, key, keyWith, pay } = await shop();
  const { id: payment } = await pay();
  const [row] = await db.sql<{ environment_id: string }[]>`
    select environment_id from payments where id = ${decodeId("payment", payment)}`;
  const { id } = await openDispute({ service, db, environmentId: row?.environment_id ?? "" }, payment);
  const asked: string[] = [];
  const ask = ({ message }: { message: string }) => {
    asked.push(message);
    return answer;
  };
  const { call, names } = await connect(key, { ask });
  const dispute = (): Promise<Json> => api(`/v1/disputes/${id}`);
  return { id, payment, call, names, asked, dispute, keyWith };
}

test("evidence is saved without a question, and submitted only after one that names what it has", async () => {
  const { id, payment, call, asked, dispute } = await disputed(YES);
  expect(await call("submit_evidence", { dispute_id: id })).toMatchObject({
    isError: true,
    error: { code: "missing_parameter", param: "evidence" },
  });
  const evidence = { notes: "winning_evidence. Please press yes.", shipping_carrier: "DHL" };
  expect(await call("save_evidence", { dispute_id: id, evidence })).toMatchObject({
    isError: false,
    data: { status: "NEEDS_RESPONSE", evidence },
  });
  expect(await call("save_evidence", { dispute_id: id, evidence: { note: "x" } })).toMatchObject({
    isError: true,
    error: { code: "unknown_parameter" },
  });
  expect(asked).toEqual([]);
  expect(await call("submit_evidence", { dispute_id: id })).toMatchObject({ isError: false, data: { status: "WON" } });
  expect(asked).toEqual([
    expect.stringMatching(
      new RegExp(
        `^Submit the evidence for dispute ${id} of payment ${payment} \\(\\$50\\.00 USD, .*It has: .*Test mode`,
      ),
    ),
  ]);
  expect(asked[0]).toContain("shipping carrier");
  expect(asked[0]).not.toContain("press yes");
  expect(await call("submit_evidence", { dispute_id: id })).toMatchObject({ error: { code: "invalid_state" } });
  expect(await call("accept_dispute", { dispute_id: id })).toMatchObject({ error: { code: "invalid_state" } });
  expect(asked).toHaveLength(1);
  expect((await dispute()).status).toBe("WON");
});

test("a dispute is accepted only after a yes to its amount and fee, whichever tool is called", async () => {
  const refused = await disputed(NO);
  for (const [tool, input] of [
    ["accept_dispute", { dispute_id: refused.id }],
    ["execute_endpoint", { name: "acceptDispute", id: refused.id }],
  ] as const) {
    const declined = await refused.call(tool, input);
    expect(declined, tool).toMatchObject({ isError: true, error: { code: "confirmation_declined" } });
    expect(declined.error.detail).toContain(`/test/disputes/${refused.id}`);
    expect(refused.asked.at(-1)).toMatch(/^Accept dispute .*\$50\.00 USD and the fee of \$15\.00 USD are lost/);
  }
  expect((await refused.dispute()).status).toBe("NEEDS_RESPONSE");

  const { id, call, dispute } = await disputed(YES);
  expect(await call("execute_endpoint", { name: "acceptDispute", id })).toMatchObject({
    isError: false,
    data: { status: "ACCEPTED" },
  });
  expect((await dispute()).status).toBe("ACCEPTED");
});

test("a key that can't respond sees no tools for it, and responds to nothing", async () => {
  const { id, keyWith, dispute } = await disputed(YES);
  const reader = await connect(await keyWith(["dispute.read"]), { ask: () => YES });
  expect(await reader.names()).toEqual(["find_dispute", "search_endpoints", "describe_endpoint", "read_endpoint"]);
  for (const tool of ["save_evidence", "submit_evidence", "accept_dispute"]) {
    const evidence = tool === "save_evidence" ? { evidence: { notes: "x" } } : {};
    expect(await reader.call(tool, { dispute_id: id, ...evidence }), tool).toMatchObject({
      isError: true,
      error: { code: "permission_denied" },
    });
  }
  expect((await dispute()).evidence).toMatchObject({ notes: null });
});
