import { Webhook } from "standardwebhooks";
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookDelivery,
  getWebhookEndpoint,
  listWebhookDeliveries,
  listWebhookEndpoints,
  replayWebhookEndpoint,
  resendWebhookDelivery,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from "@/lib/contract/webhooks/endpoints";
import { test as base, expect } from "../fixtures/playwright";
import { openReceiver, type Receiver, status } from "../fixtures/webhooks";
import { anEndpoint, aReplay, captured, newEndpoint } from "../samples";

const test = base.extend<{ receiver: Receiver }>({
  receiver: async ({ host: _ }, use) => {
    const receiver = await openReceiver();
    await use(receiver);
    await receiver.close();
  },
});

test("a payment is delivered, with a signature that the standardwebhooks package verifies", async ({
  api,
  receiver,
}) => {
  const endpoint = await newEndpoint(api, { url: receiver.url, event_types: ["payment.captured"] });
  const payment = await captured(api);
  await expect.poll(() => receiver.received.length).toBe(1);
  const { headers, body } = receiver.received[0] as Receiver["received"][number];
  const event = new Webhook(endpoint.secret ?? "").verify(body, headers) as { id: string };
  expect(event).toMatchObject({ object: "event", type: "payment.captured", data: { object: { id: payment.id } } });
  const delivered = async () => (await api.call(listWebhookDeliveries, { id: endpoint.id })).ok().data[0];
  await expect.poll(async () => (await delivered())?.status).toBe("DELIVERED");
  const delivery = await delivered();
  expect(delivery).toMatchObject({ event_id: event.id, webhook_endpoint_id: endpoint.id, attempt_count: 1 });
  const detail = (await api.call(getWebhookDelivery, { id: delivery?.id ?? "" })).ok();
  expect(detail.attempts).toMatchObject([{ response: { status: 200, body: "thanks" }, error: null }]);
});

test("a failed delivery is retried, and resent on request, under the same id", async ({ api, receiver }) => {
  receiver.answer = status(503);
  const { id } = await newEndpoint(api, { url: receiver.url });
  const delivery = (await api.call(testWebhookEndpoint, { id })).ok();
  expect(delivery).toMatchObject({ status: "PENDING", event_type: "webhook_endpoint.test", attempt_count: 0 });
  await expect.poll(() => receiver.received.length).toBe(1);
  receiver.answer = status(200);
  expect((await api.call(resendWebhookDelivery, { id: delivery.id })).ok()).toMatchObject({ id: delivery.id });
  await expect
    .poll(async () => (await api.call(getWebhookDelivery, { id: delivery.id })).ok().status)
    .toBe("DELIVERED");
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids)).toEqual(new Set([delivery.event_id]));
  expect(ids.length).toBeGreaterThan(1);
});

test("the secret is only in the responses that create it and in their replays", async ({ api }) => {
  const body = anEndpoint({ description: "Orders", signature: "v1+v1a", payload: "thin" });
  const first = await api.call(createWebhookEndpoint, { body, key: "an endpoint" });
  const made = first.ok();
  expect(made).toMatchObject({ ...body, event_types: ["*"], status: "ENABLED", environment: "sandbox" });
  expect(made.secret).toMatch(/^whsec_/);
  expect(made.public_key).toMatch(/^whpk_/);
  const again = await api.call(createWebhookEndpoint, { body, key: "an endpoint" });
  expect([again.text, again.replayed]).toEqual([first.text, true]);
  expect((await api.call(getWebhookEndpoint, { id: made.id })).ok()).toEqual({ ...made, secret: null });
  expect((await api.call(listWebhookEndpoints)).ok()).toMatchObject({ data: [{ ...made, secret: null }], total: 1 });
  const rotated = (await api.call(rotateWebhookSecret, { id: made.id, body: { overlap_hours: 0 } })).ok();
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotated.secret).not.toBe(made.secret);
});

test("a URL belongs to one endpoint", async ({ api }) => {
  const [first, other] = [await newEndpoint(api), await newEndpoint(api)];
  const again = await api.call(createWebhookEndpoint, { body: anEndpoint({ url: first.url }) });
  expect(again.problem("already_exists").param).toBe("url");
  (await api.call(updateWebhookEndpoint, { id: other.id, body: { url: first.url } })).problem("already_exists");
});

test("an endpoint can be changed; a deleted endpoint no longer exists", async ({ api }) => {
  const { id } = await newEndpoint(api);
  const changed = { description: "Another", event_types: ["refund.failed"], status: "DISABLED" };
  expect((await api.call(updateWebhookEndpoint, { id, body: changed })).ok()).toMatchObject({
    ...changed,
    disabled_reason: "manual",
  });
  (await api.call(testWebhookEndpoint, { id })).problem("invalid_state");
  (await api.call(replayWebhookEndpoint, { id, body: aReplay() })).problem("invalid_state");
  await api.call(updateWebhookEndpoint, { id, body: { status: "ENABLED" } });
  expect((await api.call(replayWebhookEndpoint, { id, body: aReplay() })).ok()).toMatchObject({ next_since: null });
  expect((await api.call(deleteWebhookEndpoint, { id })).ok()).toEqual({
    id,
    object: "webhook_endpoint",
    deleted: true,
  });
  (await api.call(getWebhookEndpoint, { id })).problem("resource_not_found");
  (await api.call(deleteWebhookEndpoint, { id })).problem("resource_not_found");
});

for (const [param, value] of [
  ["url", "not a url"],
  ["url", "ftp://127.0.0.1/"],
  ["url", "http://user@127.0.0.1/"],
  ["url", `http://127.0.0.1/${"x".repeat(2_048)}`],
  ["description", "card 4242 4242 4242 4242"],
  ["event_types", []],
  ["event_types", ["*", "refund.failed"]],
  ["event_types.0", ["payment.lost"]],
  ["payload", "fat"],
  ["signature", "v2"],
] as const) {
  test(`${param} is checked: ${JSON.stringify(value).slice(0, 30)}`, async ({ api }) => {
    const body = anEndpoint({ [param.split(".")[0] as string]: value });
    expect((await api.call(createWebhookEndpoint, { body })).problem("invalid_parameter").param).toBe(param);
  });
}

test("overlap and range are checked", async ({ api }) => {
  const { id } = await newEndpoint(api);
  const rotate = await api.call(rotateWebhookSecret, { id, body: { overlap_hours: 2 } });
  expect(rotate.problem("invalid_parameter").param).toBe("overlap_hours");
  const replay = (body: object) => api.call(replayWebhookEndpoint, { id, body });
  expect((await replay({})).problem("missing_parameter").param).toBe("since");
  expect((await replay({ since: "2020-01-01" })).problem("invalid_parameter").param).toBe("since");
  const backwards = { since: new Date().toISOString(), until: "2026-01-01" };
  expect((await replay(backwards)).problem("invalid_parameter").param).toBe("since");
});
