import { getEvent, listEvents, streamEvents } from "@/lib/contract/events/endpoints";
import { type Event, eventSchema } from "@/lib/contract/events/event";
import { encodeId } from "@/lib/contract/ids";
import { getPayment, refundPayment } from "@/lib/contract/payments/endpoints";
import { newId } from "@/lib/ids";
import type { Api } from "../client";
import { expect, test } from "../fixtures/playwright";
import { authorized, captured, newPlan } from "../samples";

/** Reads a stream until it has `count` events. `opened` is called once it has started. */
async function readStream(api: Api, count: number, lastEventId: string | null, opened = async () => {}) {
  const leave = new AbortController();
  const response = await fetch(`${api.baseUrl}/v1/events/stream`, {
    headers: { "X-Api-Key": api.apiKey ?? "", ...(lastEventId !== null && { "Last-Event-ID": lastEventId }) },
    signal: leave.signal,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  await opened();
  const frames: { id: string; event: string; data: Event }[] = [];
  let text = "";
  for await (const piece of response.body as ReadableStream<Uint8Array>) {
    text += Buffer.from(piece).toString("utf8");
    const parts = text.split("\n\n");
    text = parts.pop() ?? "";
    for (const frame of parts.filter((part) => part.startsWith("id: "))) {
      const lines = Object.fromEntries(frame.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
      frames.push({ id: lines.id, event: lines.event, data: JSON.parse(lines.data) });
    }
    if (frames.length >= count) break;
  }
  leave.abort();
  return frames;
}

test("changes to a payment are events, with the payment as it was then and the changed fields", async ({
  api,
  decidesLater,
}) => {
  const payment = await captured(api);
  (await api.call(refundPayment, { id: payment.id, body: { amount: 1_500 } })).ok();
  const told = (await api.call(listEvents)).ok().data;
  const data = told.filter(({ type }) => type !== "transaction.pending");
  const ofPending = told.filter(({ type }) => type === "transaction.pending");
  expect(ofPending.length).toBeLessThanOrEqual(decidesLater ? 1 : 0);
  expect(data.map(({ type }) => type)).toEqual([
    ...["transaction.captured", "transaction.partially_refunded", "payment.partially_refunded", "refund.succeeded"],
    ...["transaction.captured", "payment.captured", "api_key.created"],
  ]);
  const [accepted, ofCharge, ofPart, refunded, taken, charged] = data;
  expect(charged).toMatchObject({ type: "payment.captured", sequence: 1, data: { object: payment, previous: null } });
  expect(refunded).toMatchObject({
    type: "refund.succeeded",
    environment: "sandbox",
    data: { object: { object: "transaction", type: "REFUND", amount: 1_500, payment_id: payment.id } },
  });
  const { transactions } = (await api.call(getPayment, { id: payment.id })).ok();
  expect([ofCharge, accepted].map((event) => event?.data.object)).toEqual(transactions);
  expect(taken?.data).toEqual({ object: payment.transactions[0], previous: null });
  expect(ofCharge).toMatchObject({ sequence: 2, data: { previous: { status: "CAPTURED", amount_refunded: 0 } } });
  for (const event of told) {
    expect(eventSchema(event.type as "payment.captured").parse(event)).toEqual(event);
    expect((await api.call(getEvent, { id: event.id })).ok()).toEqual(event);
  }
  const ofPayment = (await api.call(listEvents, { query: { object_id: payment.id } })).ok();
  expect(ofPayment.data).toEqual([ofPart, charged]);
  expect(ofPart).toMatchObject({ sequence: 2, data: { object: { status: "PARTIALLY_REFUNDED" } } });
  const refunds = (await api.call(listEvents, { query: { type: "refund.succeeded" } })).ok();
  expect(refunds.data).toEqual([refunded]);
});

test("the list continues after an event, and is limited to the key's merchant and mode", async ({
  tenant,
  stranger,
}) => {
  const { api } = tenant;
  for (let i = 0; i < 3; i++) await newPlan(api);
  const all = (await api.call(listEvents)).ok().data;
  const first = (await api.call(listEvents, { query: { limit: 2 } })).ok();
  expect(first).toMatchObject({ limit: 2, has_more: true, total: 4 });
  const last = first.data.at(-1)?.id;
  const next = (await api.call(listEvents, { query: { limit: 2, starting_after: last } })).ok();
  expect([...first.data, ...next.data]).toEqual(all);
  expect(next.has_more).toBe(false);
  for (const other of [stranger.api, tenant.live]) {
    const theirs = (await other.call(listEvents)).ok().data;
    expect(theirs.map(({ type }) => type)).toEqual(["api_key.created"]);
    expect(all.map(({ id }) => id)).not.toContain(theirs[0]?.id);
    (await other.call(listEvents, { query: { starting_after: last } })).problem("invalid_parameter");
    (await other.call(getEvent, { id: last ?? "" })).problem("resource_not_found");
  }
});

for (const [query, param] of [
  [{ type: "payment.nothing" }, "type"],
  [{ limit: 0 }, "limit"],
  [{ limit: 101 }, "limit"],
  [{ created_after: "yesterday" }, "created_after"],
  [{ created_after: "2026-02-02", created_before: "2026-02-01" }, "created_after"],
  [{ starting_after: encodeId("event", "019aa399-1c58-7e0d-b3c4-58a1f6d2e907") }, "starting_after"],
] as const) {
  test(`a parameter of the list is checked: ${JSON.stringify(query).slice(0, 60)}`, async ({ api }) => {
    expect((await api.call(listEvents, { query })).problem("invalid_parameter").param).toBe(param);
  });
}

test("a stream delivers events as they happen, and resumes after the last one", { tag: "@next" }, async ({
  api,
  stranger,
}) => {
  const before = await newPlan(api);
  const frames = await readStream(api, 4, null, async () => {
    await captured(stranger.api);
    await captured(api);
    await authorized(api);
  });
  expect(frames.map(({ event }) => event)).toEqual([
    ...["payment.captured", "transaction.captured"],
    ...["payment.authorized", "transaction.authorized"],
  ]);
  // The first event belongs to the key that makes the request.
  const listed = (await api.call(listEvents)).ok().data.reverse().slice(1);
  expect(listed[0]?.data.object.id).toBe(before.id);
  expect(frames.map(({ data }) => data)).toEqual(listed.slice(1));
  expect(frames.map(({ id }) => id)).toEqual(listed.slice(1).map(({ id }) => id));
  const again = await readStream(api, 4, listed[0]?.id ?? "");
  expect(again).toEqual(frames);
});

test("a stream rejects invalid event ids and too many concurrent streams", async ({ api }) => {
  for (const id of ["nonsense", encodeId("event", newId())]) {
    const refused = await api.call(streamEvents, { headers: { "Last-Event-ID": id } });
    expect(refused.problem("invalid_parameter").param).toBe("Last-Event-ID");
  }
  const leave = new AbortController();
  const open = async () => {
    const headers = { "X-Api-Key": api.apiKey ?? "" };
    const response = await fetch(`${api.baseUrl}/v1/events/stream`, { headers, signal: leave.signal });
    expect(response.status).toBe(200);
    await (response.body as ReadableStream<Uint8Array>).getReader().read();
  };
  for (let i = 0; i < 5; i++) await open();
  (await api.call(streamEvents)).problem("rate_limited");
  leave.abort();
  // Their slots are free once the service has noticed the disconnects.
  await expect.poll(async () => (await api.call(streamEvents)).status).toBe(200);
});
