import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { disputeToRespondTo } from "@/e2e/fixtures/dispute-responses";
import { openDispute } from "@/e2e/fixtures/disputes";
import { createTestMerchant, testContext } from "@/e2e/fixtures/factories";
import { latch } from "@/e2e/fixtures/latch";
import { createTestUser } from "@/e2e/fixtures/users";
import type { Context } from "../context";
import { getPaymentDetail } from "../payments/payment-detail";
import { verifyBooks } from "../reconciliation/verify-books";
import { createFile, getFile, removeFiles } from "./files";
import { getDispute } from "./read-disputes";
import { updateDispute } from "./update-evidence";

const { db } = await testDatabase();
const disputed = () => disputeToRespondTo(db);

const pdf = (text = "") => Buffer.from(`%PDF-1.7\n${text}\n%%EOF`);
const upload = async (ctx: Context, name = "proof.pdf", bytes = pdf()) =>
  JSON.parse((await createFile(ctx, { file: { name, size: bytes.byteLength, sha256: "" }, bytes })).body);

test("evidence is merged member by member, null removes one, and every change is an event by its author", async () => {
  const { save, now, told, audit, user } = await disputed();
  await save({ notes: "They signed for it.", shipping_carrier: "DHL", shipped_at: "2026-11-14" });
  const second = await save({ shipping_carrier: null, refund_policy: "30 days" });
  expect(second.body.evidence).toEqual({
    product_description: null,
    customer_communication: null,
    shipping_carrier: null,
    shipping_tracking: null,
    shipped_at: "2026-11-14T00:00:00.000Z",
    refund_policy: "30 days",
    notes: "They signed for it.",
    files: [],
  });
  expect(await now()).toEqual(second.body);
  await save({ refund_policy: "30 days" });
  expect(await told()).toEqual(["dispute.opened", "dispute.updated", "dispute.updated"]);
  expect(await audit()).toEqual([
    ["dispute.opened", null],
    ["dispute.updated", user.id],
    ["dispute.updated", user.id],
  ]);
});

test("submitted evidence reaches the processor whole, and puts the dispute under review, by its author", async () => {
  const { save, respond, requests, ctx, told, audit, user, dispute } = await disputed();
  const file = await upload(ctx, "Lieferschein Müller & Söhne.pdf");
  await save({ notes: "They signed for it.", shipped_at: "2026-11-14", files: [file.id] });
  const submitted = await respond("submit");
  expect(submitted).toMatchObject({
    status: 200,
    body: { status: "UNDER_REVIEW", available_actions: [], pending_action: null, evidence: { files: [file.id] } },
  });
  expect(requests).toMatchObject([
    {
      kind: "submit",
      dispute: dispute.name,
      evidence: {
        texts: { notes: "They signed for it." },
        shippedAt: new Date("2026-11-14T00:00:00Z"),
        files: [{ name: "Lieferschein Müller & Söhne.pdf", type: "application/pdf", size: pdf().byteLength }],
      },
    },
  ]);
  const [sent] = requests;
  expect(sent?.kind === "submit" && (await sent.evidence.files[0]?.read())).toEqual(pdf());
  expect((await told()).at(-1)).toBe("dispute.evidence_submitted");
  expect((await audit()).at(-1)).toEqual(["dispute.evidence_submitted", user.id]);
  expect(await save({ notes: "More" })).toMatchObject({ status: 409, code: "invalid_state" });
  expect(await respond("accept")).toMatchObject({ status: 409, code: "invalid_state" });
});

test("a response is its author's on the payment's page, and a decision the bank's", async () => {
  for (const [kind, notes, by] of [
    ["accept", "x", "Ada Park"],
    ["submit", "x", "Ada Park"],
    ["submit", "winning_evidence", "Cardlane"],
  ] as const) {
    const { save, respond, ctx, tenant, user, now } = await disputed();
    await createTestUser(db, { merchantId: tenant.merchant.id, role: "owner", id: user.id, name: "Ada Park" });
    await save({ notes });
    expect((await respond(kind)).status).toBe(200);
    const { timeline } = await getPaymentDetail(ctx, { id: (await now()).payment_id });
    expect(timeline.slice(-2).map(({ actor }) => actor.name)).toEqual(["Cardlane", by]);
  }
});

test("the sandbox decides at once by the words in the notes", async () => {
  for (const [notes, status, event] of [
    ["with winning_evidence", "WON", "dispute.won"],
    ["losing_evidence", "LOST", "dispute.lost"],
  ] as const) {
    const { save, respond, told, audit, user } = await disputed();
    await save({ notes });
    expect((await respond("submit")).body).toMatchObject({ status });
    expect((await told()).slice(-2)).toEqual(["dispute.evidence_submitted", event]);
    expect((await audit()).slice(-2)).toEqual([
      ["dispute.evidence_submitted", user.id],
      [event, null],
    ]);
  }
});

test("of two submissions at once one is sent; the other is refused, and its repeat as well", async () => {
  const { save, respond, requests, told } = await disputed();
  await save({ notes: "x" });
  const results = await Promise.all([respond("submit", "a"), respond("submit", "b")]);
  expect(results.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
  expect(requests).toHaveLength(1);
  expect((await told()).filter((type) => type === "dispute.evidence_submitted")).toHaveLength(1);
  const lost = results[0]?.status === 409 ? "a" : "b";
  expect(await respond("submit", lost)).toMatchObject({ status: 409, code: "invalid_state" });
});

test("a repeat under the same key gets the stored response, byte for byte, and nothing is sent again", async () => {
  const { respond, requests } = await disputed();
  const first = await respond("accept", "k");
  expect(first.body).toMatchObject({ status: "ACCEPTED" });
  expect(await respond("accept", "k")).toEqual({ ...first, replayed: true });
  expect(requests).toHaveLength(1);
  const { checks } = await verifyBooks(db);
  expect(checks.find(({ check }) => check === "answered_keys_are_completed")?.count).toBe(0);
});

test("accepting while a submission is on its way is refused until its outcome is known", async () => {
  const { save, respond, script, requests } = await disputed();
  await save({ notes: "x" });
  const { reached, release, hold } = latch();
  script.push(async (real, request) => {
    await hold();
    return real(request);
  });
  const submitted = respond("submit");
  await reached;
  expect(await respond("accept")).toMatchObject({ status: 409, code: "outcome_pending" });
  expect(await save({ notes: "y" })).toMatchObject({ status: 409, code: "outcome_pending" });
  release();
  expect(await submitted).toMatchObject({ status: 200, body: { status: "UNDER_REVIEW" } });
  expect(requests).toHaveLength(1);
});

test("nothing to submit, another environment's dispute, and a processor without responses are refused", async () => {
  const { respond, tenant, service, dispute, save } = await disputed();
  expect(await respond("submit")).toMatchObject({ status: 400, code: "missing_parameter" });
  expect(await respond("submit", "k", "dp_unknown")).toMatchObject({ status: 404 });
  const stranger = testContext(service, (await createTestMerchant(db)).test);
  await expect(updateDispute(stranger, { id: dispute.id, evidence: { notes: "x" } })).rejects.toMatchObject({
    code: "resource_not_found",
  });
  await db.sql`update disputes set answerable = false where environment_id = ${tenant.environmentId}`;
  expect(await save({ notes: "x" })).toMatchObject({ status: 422, code: "processor_refused" });
  expect(await respond("accept")).toMatchObject({
    status: 422,
    text: expect.stringContaining("https://processor.example/disputes/"),
  });
});

test("files are PDF, PNG or JPEG by their content, keep their names, and belong to their environment", async () => {
  const { ctx, service, save, tenant } = await disputed();
  const png = Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), Buffer.alloc(20)]);
  expect(await upload(ctx, "photo.txt", png)).toMatchObject({ object: "file", name: "photo.txt", type: "image/png" });
  expect(await upload(ctx, "a.jpg", Buffer.from("ffd8ffe000104a46", "hex"))).toMatchObject({ type: "image/jpeg" });
  expect(await upload(ctx, "Lieferschein Müller & Söhne.pdf")).toMatchObject({
    name: "Lieferschein Müller & Söhne.pdf",
    size: pdf().byteLength,
  });
  for (const bytes of [
    Buffer.from("<html>"),
    Buffer.from("MZ"),
    Buffer.from("PK\u0003\u0004"),
    Buffer.from(" %PDF-1.7"),
  ])
    await expect(upload(ctx, "invoice.pdf", bytes)).rejects.toMatchObject({ code: "invalid_parameter", param: "file" });
  const stranger = testContext(service, (await createTestMerchant(db)).test);
  const foreign = await upload(stranger);
  await expect(getFile(ctx, { id: foreign.id })).rejects.toMatchObject({ code: "resource_not_found" });
  expect(await getFile(stranger, { id: foreign.id })).toEqual(foreign);
  const live = testContext(service, tenant.merchant.live);
  await expect(getFile(live, { id: (await upload(ctx)).id })).rejects.toMatchObject({ code: "resource_not_found" });
  expect(await save({ files: [foreign.id] })).toMatchObject({
    status: 404,
    code: "resource_not_found",
    body: { param: "evidence.files.0" },
  });
});

test("a file is evidence in one dispute, and an unused one is removed after a day", async () => {
  const { ctx, service, save, dispute, tenant } = await disputed();
  const [kept, dropped] = [await upload(ctx), await upload(ctx)];
  await save({ files: [kept.id, dropped.id] });
  const { body: payment } = await tenant.create({});
  const other = await openDispute({ service, db, environmentId: tenant.environmentId }, payment.id);
  await expect(updateDispute(ctx, { id: other.id, evidence: { files: [kept.id] } })).rejects.toMatchObject({
    code: "resource_not_found",
  });
  await save({ files: [kept.id] });
  const pass = (hours: number) => db.sql`
    update files set remove_at = remove_at - make_interval(hours => ${hours}) where environment_id = ${tenant.environmentId}`;
  // A day since it was last used, however long ago it was uploaded.
  await db.sql`update files set created_at = now() - interval '30 days' where environment_id = ${tenant.environmentId}`;
  await pass(23);
  await removeFiles(service);
  expect((await getFile(ctx, { id: dropped.id })).id).toBe(dropped.id);
  await pass(1);
  await removeFiles(service);
  expect((await getFile(ctx, { id: kept.id })).id).toBe(kept.id);
  await expect(getFile(ctx, { id: dropped.id })).rejects.toMatchObject({ code: "resource_not_found" });
  expect((await getDispute(ctx, { id: dispute.id })).evidence.files).toEqual([kept.id]);
});

test("the files of an ended dispute are removed later, and never those of an open one", async () => {
  const { ctx, service, save, dispute, tenant } = await disputed();
  const file = await upload(ctx);
  await save({ notes: "delivered", files: [file.id] });
  const isKept = async () => {
    await removeFiles(service);
    return getFile(ctx, { id: file.id }).then(
      () => true,
      () => false,
    );
  };
  const setTo = (removeAt: string) => db.sql`
    update files set remove_at = now() + ${removeAt}::interval where environment_id = ${tenant.environmentId}`;
  await setTo("-1 hour");
  expect(await isKept()).toBe(true);
  await dispute.becomes({ status: "won", respond_by: null });
  expect(await isKept()).toBe(true);
  const [kept] = await db.sql<{ days: number }[]>`
    select extract(epoch from remove_at - now())::float8 / 86400 as days from files where environment_id = ${tenant.environmentId}`;
  expect(kept?.days).toBeCloseTo(7, 1);
  await setTo("-1 second");
  expect(await isKept()).toBe(false);
  expect((await getDispute(ctx, { id: dispute.id })).evidence.files).toEqual([file.id]);
});
