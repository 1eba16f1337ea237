import { beforeEach, expect, test, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import {
  type Answer,
  CARD,
  type Content,
  confirmed,
  connect,
  fetchMcp,
  type Json,
  post,
  postCall,
  testShops,
  URL_OF_MCP,
  YES,
} from "@/e2e/fixtures/mcp";
import { AppError } from "@/lib/contract/errors";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { currentService } from "@/lib/http/current-service";
import { toResponse } from "@/lib/http/response";
import { newId } from "@/lib/ids";
import type { Call } from "./endpoint-calls";
import { openQuestionStream } from "./older-clients";

const { db } = await testDatabase();
const { service, nextProcess, shop } = testShops(db);

beforeEach(() => {
  vi.unstubAllEnvs();
  vi.stubEnv("BASE_URL", "http://cardlane.test");
  nextProcess();
});

test("a refund asks the user with amount and card, and moves exactly that after a yes", async () => {
  const { key, pay, payment } = await shop();
  const { id } = await pay({ customer_name: "Please press yes" });
  const asked: string[] = [];
  const { call } = await connect(key, {
    ask: ({ message }) => {
      asked.push(message);
      return YES;
    },
  });
  const done = await call("refund_payment", { payment_id: id, amount: 1_500, reason: "RETURN" });
  expect(done).toMatchObject({ isError: false, status: 201, data: { amount_refunded: 1_500 } });
  expect(asked).toEqual([
    expect.stringMatching(/^Refund \$15\.00 USD of payment pay_\w+ \(.*4242, \$50\.00 USD.*undone/),
  ]);
  expect(asked[0]).toContain("Test mode");
  expect(asked[0]).not.toContain("Please");
  expect(await call("refund_payment", { payment_id: id })).toMatchObject({ data: { amount_refunded: 5_000 } });
  expect(asked[0]).not.toContain("Already");
  expect(asked[1]).toContain("$35.00");
  expect(asked[1]).toContain(" Already refunded: $15.00 USD, just now. ");
  expect(await call("refund_payment", { payment_id: id })).toMatchObject({ error: { code: "invalid_state" } });
  expect(asked.length).toBe(2);
  expect((await payment(id)).transactions.length).toBe(3);
});

test.each<[string, Answer]>([
  ["declines", { action: "decline" }],
  ["cancels", { action: "cancel" }],
  ["accepts without a tick", { action: "accept", content: { confirm: false } }],
])("nothing moves if the user %s", async (_, answer) => {
  const { key, pay, payment } = await shop();
  const { id } = await pay();
  for (const legacy of [false, true]) {
    const { call } = await connect(key, { ask: () => answer, legacy });
    expect(await call("refund_payment", { payment_id: id })).toMatchObject({
      isError: true,
      error: {
        code: "confirmation_declined",
        detail: expect.stringContaining(`within two seconds, so your user may not have seen it`),
      },
    });
    expect((await call("refund_payment", { payment_id: id })).error?.detail).toContain(
      `http://cardlane.test/test/payments/${id}`,
    );
  }
  expect((await payment(id)).amount_refunded).toBe(0);
});

test("an older client is asked on the stream of its call, and refunds after a yes", async () => {
  const { key, pay, payment } = await shop();
  const { id } = await pay();
  const asked: string[] = [];
  const { client, call } = await connect(key, {
    legacy: true,
    ask: ({ message }) => {
      asked.push(message);
      return YES;
    },
  });
  expect(client.getNegotiatedProtocolVersion()).toBe("2025-11-25");
  const done = await call("refund_payment", { payment_id: id, amount: 1_500 });
  expect(done).toMatchObject({ isError: false, status: 201, data: { amount_refunded: 1_500 } });
  expect(asked).toEqual([expect.stringContaining("Refund $15.00 USD")]);
  expect((await payment(id)).amount_refunded).toBe(1_500);
});

type OnStream = { id: string; method?: string; params?: Json; result: { structuredContent: Content } };

/** A call by an older client, up to the question on its stream; `rest` reads the events after it. */
async function olderQuestion(key: string, input: Json, tool = "refund_payment") {
  const { headers: session } = await post(key, {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      clientInfo: { name: "test", version: "1" },
      capabilities: { elicitation: {} },
    },
  });
  const own = { "mcp-session-id": session.get("mcp-session-id") ?? "" };
  const response = await fetchMcp(URL_OF_MCP, {
    method: "POST",
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { name: tool, arguments: input },
    }),
    headers: { "content-type": "application/json", "x-api-key": key, ...own },
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async (): Promise<OnStream> => {
    const { value = "" } = (await reader?.read()) ?? {};
    return value.startsWith("event: message") ? JSON.parse(value.slice(value.indexOf("data: ") + 6)) : next();
  };
  const question = await next();
  expect(question).toMatchObject({ method: "elicitation/create", params: { requestedSchema: { type: "object" } } });
  const send = (what: Json, by: string, of: typeof fetchMcp) =>
    of(URL_OF_MCP, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: question.id, ...what }),
      headers: { "content-type": "application/json", "x-api-key": by, ...(by === key && own) },
    });
  const answer = (result: Answer, by = key, of: typeof fetchMcp = fetchMcp) => send({ result }, by, of);
  const fail = (error: Json) => send({ error }, key, fetchMcp);
  return { question, answer, fail, rest: next, leave: () => reader?.cancel(), own };
}

/** An MCP server in a new process, without earlier questions in memory. */
async function otherProcess(): Promise<typeof fetchMcp> {
  vi.resetModules();
  const other = await import("./server");
  return async (input, init) => toResponse(await other.mcp(new Request(input, init), { ip: "192.0.2.1" }));
}

test("an older client's yes may arrive twice, at another process and after its stream broke: it refunds once", async () => {
  const { key, pay, payment } = await shop();
  const { id } = await pay();
  const first = await olderQuestion(key, { payment_id: id, amount: 1_000 });
  const elsewhere = await otherProcess();
  const answers = await Promise.all([first.answer(YES, key, elsewhere), first.answer(YES, key, elsewhere)]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  const { id: of, result } = await first.rest();
  expect([of, result.structuredContent.data]).toEqual([7, expect.objectContaining({ amount_refunded: 1_000 })]);

  const second = await olderQuestion(key, { payment_id: id, amount: 500 });
  await second.leave();
  for (const _ of [1, 2]) expect((await second.answer(YES)).status).toBe(202);
  const { amount_refunded, transactions } = await payment(id);
  expect([amount_refunded, transactions.length]).toEqual([1_500, 3]);
});

test("another process's outcome is reported whatever the caller's limits are by then", async () => {
  const { key, pay, payment } = await shop();
  const { id } = await pay();
  const asked = await olderQuestion(key, { payment_id: id, amount: 1_000 });
  const elsewhere = await otherProcess();
  // The message and its refund pass; after that the key is out of rate limit.
  const { rateLimiter } = currentService();
  const { take } = rateLimiter;
  const taken = vi.spyOn(rateLimiter, "take").mockImplementation((limitKey) => {
    if (taken.mock.calls.length > 2) throw new AppError("rate_limited", "Too many requests.");
    return take(limitKey);
  });
  expect((await asked.answer(YES, key, elsewhere)).status).toBe(202);
  expect((await asked.answer(YES)).status).toBe(429);
  const { structuredContent } = (await asked.rest()).result;
  expect(structuredContent).toMatchObject({ status: 201, replayed: true, data: { amount_refunded: 1_000 } });
  taken.mockRestore();
  expect((await payment(id)).amount_refunded).toBe(1_000);
});

test("a yes whose response fails after the money moved is reported as done", async () => {
  const { key, pay, payment } = await shop();
  const { id } = await pay();
  const asked = await olderQuestion(key, { payment_id: id, amount: 1_000 });
  const charged = vi.spyOn(currentService().responseLimiter, "charge").mockImplementationOnce(() => {
    throw new AppError("rate_limited", "Too much to read.");
  });
  expect((await asked.answer(YES)).status).toBe(202);
  expect(charged).toHaveBeenCalled();
  const { structuredContent } = (await asked.rest()).result;
  expect(structuredContent).toMatchObject({ status: 201, replayed: true, data: { amount_refunded: 1_000 } });
  expect((await payment(id)).amount_refunded).toBe(1_000);
});

test("an outcome that stays unknown elsewhere is reported as unknown, and nothing is resent", async () => {
  const { key } = await shop();
  let passedMs = 0;
  nextProcess({ clock: { now: () => new Date(service.clock.now().getTime() + passedMs) } });
  const card = { ...CARD, number: "4000000000001968" };
  const input = { name: "createPayment", body: { amount: 900, currency: "USD", card } };
  const asked = await olderQuestion(key, input, "execute_endpoint");
  const elsewhere = await otherProcess();
  expect((await asked.answer(YES, key, elsewhere)).status).toBe(202);
  passedMs = 11 * 60_000;
  const { error } = (await asked.rest()).result.structuredContent;
  expect(error).toMatchObject({ code: "outcome_pending", detail: expect.stringContaining("Look at the payment") });
  const { call } = await connect(key);
  expect(await call("read_endpoint", { name: "listPayments" })).toMatchObject({
    data: { data: [{ status: "PENDING" }] },
  });
});

test("an older client that fails to ask counts as declined, and its call ends immediately", async () => {
  const { key, pay, payment } = await shop();
  const { id } = await pay();
  const asked = await olderQuestion(key, { payment_id: id });
  expect((await asked.fail({ code: -32603, message: "No window to ask in." })).status).toBe(202);
  expect((await asked.rest()).result.structuredContent.error.code).toBe("confirmation_declined");
  expect((await payment(id)).amount_refunded).toBe(0);
});

test("an older client's yes counts only for its key and question, and sessions belong to their key", async () => {
  const { key, keyWith, pay, payment } = await shop();
  const { id } = await pay();
  const asked = await olderQuestion(key, { payment_id: id });
  const another = await keyWith(PERMISSIONS);
  expect((await asked.answer(YES, another)).status).toBe(202);
  for (const made of ["x", "", asked.question.id.slice(0, -2), 7, null]) {
    const { status, text } = await post(key, { jsonrpc: "2.0", id: made, result: YES }, asked.own);
    expect(status, text).toBeLessThan(500);
  }
  const call = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  expect((await post(another, call, asked.own)).status).toBe(404);
  expect((await post(key, call, { "mcp-session-id": "made-up" })).status).toBe(404);
  expect((await post(key, call, asked.own)).status).toBe(200);
  expect((await payment(id)).amount_refunded).toBe(0);
  nextProcess({ clock: { now: () => new Date(service.clock.now().getTime() + 10 * 60_000) } });
  expect((await asked.answer(YES)).status).toBe(202);
  expect((await asked.rest()).result.structuredContent.error.code).toBe("confirmation_expired");
  expect((await payment(id)).amount_refunded).toBe(0);
});

test("questions of one merchant, with however many keys, leave room for those of others", async () => {
  const { keyWith, pay } = await shop();
  const { id } = await pay();
  const asked: Awaited<ReturnType<typeof olderQuestion>>[] = [];
  const keys = await Promise.all([1, 2, 3].map(() => keyWith(PERMISSIONS)));
  for (const key of keys.slice(0, 2))
    for (let i = 0; i < 5; i++) asked.push(await olderQuestion(key, { payment_id: id, amount: 100 }));
  await expect(olderQuestion(keys[2] as string, { payment_id: id, amount: 100 })).rejects.toThrow("text/event-stream");
  const other = await shop();
  asked.push(await olderQuestion(other.key, { payment_id: (await other.pay()).id, amount: 100 }));
  await asked[0]?.leave();
  await expect
    .poll(() => olderQuestion(keys[2] as string, { payment_id: id, amount: 100 }).then((one) => asked.push(one)))
    .toBeGreaterThan(11);
  for (const one of asked.slice(1)) await one.leave();
});

test("questions of test mode leave room for those of live mode, however many accounts ask", async () => {
  const ask = (mode: "test" | "live", account: string) => {
    const environment = { id: newId(), mode, merchantId: account };
    const call = {
      http: { service },
      caller: { environment, actor: { type: "api_key", id: newId() } },
    } as unknown as Call;
    const asked = { key: newId(), amount: null, until: service.clock.now().getTime() + 600_000 };
    const requestState = `${Buffer.from(JSON.stringify(asked)).toString("base64url")}.`;
    return openQuestionStream(call, 1, { name: "refund_payment", input: {} }, { requestState } as never)(
      new AbortController(),
    );
  };
  const open: AsyncGenerator<string, void>[] = [];
  const fill = async () => {
    for (let i = 0; i < 100; i++) {
      const stream = ask("test", `account ${i % 10}`);
      await stream.next();
      open.push(stream);
    }
  };
  await expect(fill()).rejects.toThrow("open here at the moment");
  const live = ask("live", "live");
  expect((await live.next()).value).toContain("elicitation/create");
  for (const stream of [...open, live]) await stream.return();
});

test.each([
  ["2026-07-28", false],
  ["2025-11-25", true],
])("a client of %s that cannot ask its user moves nothing and gets a link", async (version, legacy) => {
  const { key, pay, payment } = await shop();
  const { id } = await pay();
  const { client, call } = await connect(key, { legacy });
  expect(client.getNegotiatedProtocolVersion()).toBe(version);
  const refused = await call("refund_payment", { payment_id: id });
  expect(refused).toMatchObject({ isError: true, error: { code: "confirmation_unavailable" } });
  expect(refused.error.detail).toContain(`http://cardlane.test/test/payments/${id}`);
  const { transactions } = await payment(id);
  expect(transactions.length).toBe(1);
  const byTransaction = await call("execute_endpoint", { name: "refundTransaction", id: transactions[0].id });
  expect(byTransaction.error.detail).toContain(`http://cardlane.test/test/transactions/${transactions[0].id}`);
  expect(await call("find_payment", {})).toMatchObject({ isError: false, total: 1 });
});

test("all seven operations ask, and do what they asked about", async () => {
  const { key, pay } = await shop();
  const asked: string[] = [];
  const { call } = await connect(key, {
    ask: ({ message }) => {
      asked.push(message);
      return YES;
    },
  });
  const execute = (name: string, input: Json) => call("execute_endpoint", { name, ...input });
  const made = await execute("createPayment", { body: { amount: 900, currency: "USD", card: CARD } });
  expect(made).toMatchObject({ status: 201, data: { status: "CAPTURED", amount: 900 } });
  const held = async () => (await pay({ capture_method: "manual" })).transactions[0];
  const [first, second, third, fourth] = [await held(), await held(), await held(), await held()];
  expect(await execute("capturePayment", { id: first.payment_id, body: { amount: 2_000 } })).toMatchObject({
    data: { amount_captured: 2_000 },
  });
  expect(await execute("captureTransaction", { id: second.id })).toMatchObject({ data: { amount_captured: 5_000 } });
  expect(await execute("voidPayment", { id: third.payment_id })).toMatchObject({ data: { status: "VOIDED" } });
  expect(await execute("voidTransaction", { id: fourth.id })).toMatchObject({ data: { status: "VOIDED" } });
  expect(await execute("refundPayment", { id: first.payment_id })).toMatchObject({ data: { amount_refunded: 2_000 } });
  expect(await execute("refundTransaction", { id: second.id, body: { amount: 1 } })).toMatchObject({
    data: { type: "REFUND", amount: 1 },
  });
  expect(asked.map((message) => message.split(" ", 2).join(" "))).toEqual([
    ...["Charge $9.00", "Capture $20.00", "Capture $50.00", "Void payment", "Void transaction"],
    ...["Refund $20.00", "Refund $0.01"],
  ]);
  expect(asked[1]).toContain("The other $30.00 USD of the hold is released");
});

test("a yes that arrives twice, concurrently, or at another process refunds once", async () => {
  const { key, pay, payment } = await shop();
  const { id } = await pay();
  const input = { payment_id: id, amount: 1_000 };
  const { resultType, requestState } = await postCall(key, "refund_payment", input);
  expect(resultType).toBe("input_required");
  nextProcess();
  const both = await Promise.all([1, 2, 3].map(() => postCall(key, "refund_payment", input, confirmed(requestState))));
  nextProcess();
  const late = await postCall(key, "refund_payment", input, confirmed(requestState));
  expect(late.structuredContent).toMatchObject({ status: 201, replayed: true });
  for (const { isError, structuredContent } of both)
    if (isError) expect(structuredContent.error.code).toBe("idempotency_request_in_progress");
    else expect(structuredContent.data).toEqual(late.structuredContent.data);
  const { amount_refunded, transactions } = await payment(id);
  expect([amount_refunded, transactions.length]).toEqual([1_000, 2]);
});

test("a yes counts for one key, one operation and ten minutes", async () => {
  const { key, keyWith, pay, payment } = await shop();
  const [{ id }, { id: other }] = [await pay(), await pay()];
  const input = { payment_id: id, amount: 1_000 };
  const { requestState } = await postCall(key, "refund_payment", input);
  const [payload, mac] = requestState.split(".");
  const asked = JSON.parse(Buffer.from(payload, "base64url").toString());
  const forged = Buffer.from(JSON.stringify({ ...asked, amount: 5_000 })).toString("base64url");
  const refused = async (by: string, given: Json, state: string) => {
    const { isError, structuredContent } = await postCall(by, "refund_payment", given, confirmed(state));
    expect([isError, structuredContent.error.code]).toEqual([true, "confirmation_expired"]);
  };
  await refused(key, { ...input, amount: 2_000 }, requestState);
  await refused(key, { ...input, payment_id: other }, requestState);
  await refused(await keyWith(PERMISSIONS), input, requestState);
  for (const state of [`${forged}.${mac}`, payload, "", `${payload}.`, `${requestState}.x`, "x".repeat(1_000)])
    await refused(key, input, state);
  nextProcess({ clock: { now: () => new Date(service.clock.now().getTime() + 10 * 60_000) } });
  await refused(key, input, requestState);
  nextProcess();
  const { isError } = await postCall(key, "refund_payment", input, { requestState });
  expect(isError).toBe(true);
  expect([(await payment(id)).amount_refunded, (await payment(other)).amount_refunded]).toEqual([0, 0]);
  expect((await postCall(key, "refund_payment", input, confirmed(requestState))).structuredContent.status).toBe(201);
});

test("if less is left after the question, the operation is refused and no other amount is refunded", async () => {
  const { key, pay, payment } = await shop();
  const { id } = await pay();
  const all = { payment_id: id };
  const { requestState } = await postCall(key, "refund_payment", all);
  const part = await postCall(key, "refund_payment", { ...all, amount: 100 });
  await postCall(key, "refund_payment", { ...all, amount: 100 }, confirmed(part.requestState));
  const { structuredContent } = await postCall(key, "refund_payment", all, confirmed(requestState));
  expect(structuredContent.error).toMatchObject({ code: "amount_exceeds_refundable", remaining: 4_900 });
  expect((await payment(id)).amount_refunded).toBe(100);
});

test("an unknown outcome is reported as unknown, and the same yes resolves it", async () => {
  const { key } = await shop();
  const body = { amount: 900, currency: "USD", card: { ...CARD, number: "4000000000001968" } };
  const input = { name: "createPayment", body };
  const { requestState } = await postCall(key, "execute_endpoint", input);
  const unknown = await postCall(key, "execute_endpoint", input, confirmed(requestState));
  expect(unknown.structuredContent).toMatchObject({
    status: 202,
    note: expect.stringContaining("not known yet"),
    data: { status: "PENDING" },
  });
  const again = await postCall(key, "execute_endpoint", input, confirmed(requestState));
  expect(again.structuredContent.data?.id ?? again.structuredContent.error.code).toMatch(
    new RegExp(`${unknown.structuredContent.data.id}|payment_failed`),
  );
});
