import { randomUUID } from "node:crypto";
import {
  acceptDispute,
  createFile,
  getDispute,
  getFile,
  listDisputes,
  submitDispute,
  updateDispute,
} from "@/lib/contract/disputes/endpoints";
import { listEvents } from "@/lib/contract/events/endpoints";
import { refundPayment } from "@/lib/contract/payments/endpoints";
import { openDispute } from "../fixtures/disputes";
import { test as base, expect } from "../fixtures/playwright";
import { aFile, captured } from "../samples";

const test = base.extend<{ dispute: (paymentId: string) => ReturnType<typeof openDispute> }>({
  dispute: async ({ tenant, service, db }, use) => {
    await use((paymentId) => openDispute({ service, db, environmentId: tenant.merchant.test.id }, paymentId));
  },
});

const MB = 1024 * 1024;
const PDF = Buffer.from("%PDF-1.7\n%%EOF");

test("evidence is saved, submitted and decided; the events tell each step", async ({ api, dispute }) => {
  const payment = await captured(api);
  const { id } = await dispute(payment.id);
  const file = (await api.call(createFile, { body: aFile(PDF, "Lieferschein Müller & Söhne.pdf") })).ok();
  expect(file).toMatchObject({
    name: "Lieferschein Müller & Söhne.pdf",
    type: "application/pdf",
    size: PDF.byteLength,
  });
  expect((await api.call(getFile, { id: file.id })).ok()).toEqual(file);

  const evidence = { notes: "It has winning_evidence.", shipping_carrier: "DHL", files: [file.id] };
  const saved = (await api.call(updateDispute, { id, body: { evidence } })).ok();
  expect(saved).toMatchObject({ status: "NEEDS_RESPONSE", evidence: { ...evidence, refund_policy: null } });
  const cleared = (await api.call(updateDispute, { id, body: { evidence: { shipping_carrier: "" } } })).ok();
  expect(cleared.evidence).toEqual({ ...saved.evidence, shipping_carrier: null });

  const won = (await api.call(submitDispute, { id })).ok();
  expect(won).toMatchObject({ status: "WON", available_actions: [], pending_action: null });
  expect((await api.call(getDispute, { id })).ok()).toEqual(won);
  (await api.call(submitDispute, { id })).problem("invalid_state");
  (await api.call(acceptDispute, { id })).problem("invalid_state");
  (await api.call(updateDispute, { id, body: { evidence: { notes: "More" } } })).problem("invalid_state");
  const events = (await api.call(listEvents, { query: { object_id: id } })).ok();
  expect(events.data.map(({ type }) => type)).toEqual([
    "dispute.won",
    "dispute.evidence_submitted",
    "dispute.updated",
    "dispute.updated",
    "dispute.opened",
  ]);
});

test("accepting is final, and the same key gets the same response", async ({ api, dispute }) => {
  const payment = await captured(api);
  const { id } = await dispute(payment.id);
  const key = randomUUID();
  const first = await api.call(acceptDispute, { id, key });
  expect(first.ok()).toMatchObject({ status: "ACCEPTED" });
  const second = await api.call(acceptDispute, { id, key });
  expect([second.text, second.replayed]).toEqual([first.text, true]);
  (await api.call(submitDispute, { id, key })).problem("idempotency_key_reused");
  const refund = await api.call(refundPayment, { id: payment.id, body: { acknowledge_dispute: true } });
  refund.problem("payment_disputed");
  expect((await api.call(listDisputes, { query: { status: "ACCEPTED" } })).ok().data.map((one) => one.id)).toEqual([
    id,
  ]);
});

test("a response without a key happens once", async ({ api, dispute }) => {
  const [submitted, accepted] = [await dispute((await captured(api)).id), await dispute((await captured(api)).id)];
  (await api.call(updateDispute, { id: submitted.id, body: { evidence: { notes: "Delivered." } } })).ok();
  const calls = [
    [submitDispute, submitted.id, "UNDER_REVIEW"],
    [acceptDispute, accepted.id, "ACCEPTED"],
  ] as const;
  for (const [endpoint, id, status] of calls) {
    const first = await api.call(endpoint, { id, key: null });
    expect([first.ok().status, first.replayed]).toEqual([status, false]);
    expect((await api.call(endpoint, { id, key: null })).problem("invalid_state").current_status).toBe(status);
  }
});

test("wrong evidence is refused member by member", async ({ api, dispute }) => {
  const payment = await captured(api);
  const { id } = await dispute(payment.id);
  const problemOf = async (evidence: object) => (await api.call(updateDispute, { id, body: { evidence } })).problem;
  (await problemOf({ notes: "x".repeat(9_501) }))("invalid_parameter");
  (await problemOf({ shipped_at: "yesterday" }))("invalid_parameter");
  (await problemOf({ note: "x" }))("unknown_parameter");
  (await problemOf({ notes: "Card 4242 4242 4242 4242" }))("invalid_parameter");
  (await problemOf({ files: ["file_01jz0000000000000000000000"] }))("resource_not_found");
  (await api.call(updateDispute, { id, body: {} })).problem("missing_parameter");
  (await api.call(submitDispute, { id })).problem("missing_parameter");
  const long = {
    product_description: "ä".repeat(10_000),
    refund_policy: "€".repeat(10_000),
    notes: "字".repeat(9_500),
  };
  expect((await api.call(updateDispute, { id, body: { evidence: long } })).ok().evidence).toMatchObject(long);
  for (const endpoint of [submitDispute, acceptDispute])
    (await api.call(endpoint, { id: "dp_01jz0000000000000000000000" })).problem("resource_not_found");
});

test("uploads take 5 MB of PDF, PNG or JPEG by content, and nothing else does", async ({ api }) => {
  const whole = Buffer.concat([PDF, Buffer.alloc(5 * MB - PDF.byteLength)]);
  expect((await api.call(createFile, { body: aFile(whole) })).ok().size).toBe(5 * MB);
  (await api.call(createFile, { body: aFile(Buffer.concat([whole, PDF])) })).problem("body_too_large");
  (await api.call(createFile, { body: aFile(Buffer.concat([whole, whole])) })).problem("body_too_large");
  (await api.call(createFile, { body: aFile(Buffer.from("<svg onload=alert(1)>"), "a.pdf") })).problem(
    "invalid_parameter",
  );
  (await api.call(createFile, { body: aFile(Buffer.alloc(0)) })).problem("invalid_parameter");
  (await api.call(createFile, { body: aFile(PDF, "4242 4242 4242 4242.pdf") })).problem("invalid_parameter");
  (await api.call(createFile, { body: aFile(PDF, "a.pdf", "upload") })).problem("missing_parameter");
  const twice = aFile();
  twice.append("file", new Blob(["%PDF-1.7"]), "b.pdf");
  (await api.call(createFile, { body: twice })).problem("invalid_parameter");
  const more = aFile();
  more.set("purpose", "evidence");
  (await api.call(createFile, { body: more })).problem("unknown_parameter");
  (await api.call(createFile, { body: { file: "JVBERi0=" } })).problem("unsupported_media_type");
  const broken = { method: "POST", path: "/v1/files", headers: { "Content-Type": "multipart/form-data; boundary=x" } };
  (await api.raw({ ...broken, body: "--x\r\nContent-Disposition: form-data; name=" })).problem("invalid_parameter");
  const key = randomUUID();
  const first = await api.call(createFile, { key, body: aFile() });
  expect((await api.call(createFile, { key, body: aFile() })).text).toBe(first.text);
  (await api.call(createFile, { key, body: aFile(PDF, "other.pdf") })).problem("idempotency_key_reused");
});

test("another environment's files and disputes do not exist", async ({ api, dispute, stranger: { api: stranger } }) => {
  const { id } = await dispute((await captured(api)).id);
  const own = (await api.call(createFile, { body: aFile() })).ok();
  const foreign = (await stranger.call(createFile, { body: aFile() })).ok();
  (await stranger.call(getFile, { id: own.id })).problem("resource_not_found");
  (await stranger.call(updateDispute, { id, body: { evidence: { notes: "x" } } })).problem("resource_not_found");
  (await stranger.call(acceptDispute, { id })).problem("resource_not_found");
  const refused = await api.call(updateDispute, { id, body: { evidence: { files: [own.id, foreign.id] } } });
  expect(refused.problem("resource_not_found").param).toBe("evidence.files.1");
  expect((await api.call(getDispute, { id })).ok().evidence.files).toEqual([]);
});
