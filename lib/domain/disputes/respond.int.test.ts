import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { openDispute } from "@/e2e/fixtures/disputes";
import { eventsAsTold } from "@/e2e/fixtures/events";
import { createTestMerchant, testContext, testIdempotency } from "@/e2e/fixtures/factories";
import { latch } from "@/e2e/fixtures/latch";
import { moneyTenant } from "@/e2e/fixtures/money";
import { AppError } from "@/lib/contract/errors";
import { idAt, newId } from "@/lib/ids";
import type { Processor } from "@/lib/processor/port";
import type { DisputeResponseOutcome, DisputeResponseRequest } from "@/lib/processor/records";
import { createRegistry } from "@/lib/processor/registry";
import { sha256 } from "@/lib/secret";
import type { Context, Reply, Service } from "../context";
import { processReports } from "../payments/process-reports";
import { verifyBooks } from "../reconciliation/verify-books";
import { createFile, getFile, removeFiles } from "./files";
import { getDispute } from "./read-disputes";
import { acceptDispute, finishResponses, submitDispute } from "./respond";
import { updateDispute } from "./update-evidence";

const { db } = await testDatabase();

type Respond = (
  real: (request: DisputeResponseRequest) => Promise<DisputeResponseOutcome>,
  request: DisputeResponseRequest,
) => Promise<DisputeResponseOutcome>;

/** A disputed payment at the sandbox; `script` replaces the next calls that respond. */
async function disputed() {
  const tenant = await moneyTenant(db);
  const sandbox = tenant.service.processors.builtIn("test") as Processor;
  const real = (request: DisputeResponseRequest) =>
    (sandbox.respondToDispute as NonNullable<Processor["respondToDispute"]>)(request);
  const script: Respond[] = [];
  const requests: DisputeResponseRequest[] = [];
  const processor: Processor = {
    ...sandbox,
    dashboardUrl: ({ id }) => `https://processor.example/disputes/${id}`,
    respondToDispute(request) {
      requests.push(request);
      const step = script.shift();
      return step ? step(real, request) : real(request);
    },
  };
  const service: Service = { ...tenant.service, processors: createRegistry({ sandbox: processor }) };
  const { body: payment } = await tenant.create({});
  const dispute = await openDispute({ service, db, environmentId: tenant.environmentId }, payment.id);
  const user = { type: "user", id: newId() } as const;
  const contextOf = (endpoint: string, path: string, key: string | null) =>
    testContext(service, tenant.merchant.test, {
      actor: user,
      idempotency: key === null ? null : testIdempotency(key, sha256(path), null),
      request: { id: newId(), endpoint, path },
    });
  const respond = (kind: "submit" | "accept", key: string = randomUUID(), id = dispute.id) =>
    answerOf(
      (kind === "submit" ? submitDispute : acceptDispute)(
        contextOf(`${kind}Dispute`, `/v1/disputes/${id}/${kind}`, key),
        { id },
      ),
    );
  const save = (evidence: Parameters<typeof updateDispute>[1]["evidence"]) =>
    answerOf(
      updateDispute(contextOf("updateDispute", `/v1/disputes/${dispute.id}`, null), { id: dispute.id, evidence }),
    );
  return {
    service,
    tenant,
    dispute,
    user,
    script,
    requests,
    respond,
    save,
    ctx: contextOf("getDispute", `/v1/disputes/${dispute.id}`, null),
    now: () => getDispute(testContext(service, tenant.merchant.test), { id: dispute.id }),
    async endLeases() {
      await db.sql`update disputes set response_due_at = now() - interval '1 ms'
        where environment_id = ${tenant.environmentId} and response_due_at is not null`;
      await tenant.endLeases();
    },
    async told() {
      const events = (await eventsAsTold(db, tenant.environmentId)).map(({ event }) => event);
      return events.filter(({ data }) => data.object.object === "dispute").map(({ type }) => type);
    },
    async audit() {
      const rows = await db.sql<{ action: string; actor: { id: string | null } }[]>`
        select action, actor from audit_log where environment_id = ${tenant.environmentId} and action like 'dispute.%' order by id`;
      return rows.map(({ action, actor }) => [action, actor.id] as const);
    },
  };
}

async function answerOf(reply: Promise<Reply>) {
  try {
    const { status, body, replayed } = await reply;
    const parsed = JSON.parse(body);
    return { status, code: status >= 400 ? parsed.code : null, replayed, body: parsed, text: body };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { status: error.status, code: error.code, replayed: false, body: error, text: error.message };
  }
}

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

test("a bank that decides while a submission is on its way wins, and the submission is refused", async () => {
  const { save, respond, script, dispute, told, audit } = await disputed();
  await save({ notes: "x" });
  script.push(async (real, request) => {
    await dispute.becomes({ status: "lost", respond_by: null });
    return real(request);
  });
  expect(await respond("submit", "k")).toMatchObject({ status: 409, code: "invalid_state" });
  expect(await respond("submit", "k")).toMatchObject({ status: 409, replayed: true });
  expect((await told()).slice(-1)).toEqual(["dispute.lost"]);
  expect(await told()).not.toContain("dispute.evidence_submitted");
  expect((await audit()).at(-1)).toEqual(["dispute.lost", null]);
});

test("a submission that is refused after a report of the bank's decision is not kept as the response", async () => {
  const { save, respond, script, service, tenant, dispute, told } = await disputed();
  await save({ notes: "x" });
  script.push(async (real, request) => {
    await dispute.becomes({ status: "lost", respond_by: null });
    await processReports(service);
    return real(request);
  });
  expect(await respond("submit", "k")).toMatchObject({ status: 409, code: "invalid_state" });
  const rows = await db.sql`select status, response, response_id, response_by, response_due_at from disputes
    where environment_id = ${tenant.environmentId}`;
  expect(rows).toEqual([
    { status: "LOST", response: null, response_id: null, response_by: null, response_due_at: null },
  ]);
  expect(await told()).not.toContain("dispute.evidence_submitted");
});

test("a loss that is reported while an acceptance is on its way is its effect, or the bank's decision", async () => {
  const { respond, script, service, dispute, told, audit, user, now } = await disputed();
  script.push(async () => {
    await dispute.becomes({ status: "lost", respond_by: null });
    await processReports(service);
    expect((await now()).status).toBe("NEEDS_RESPONSE");
    return { kind: "sent" };
  });
  expect(await respond("accept", "k")).toMatchObject({ status: 200, body: { status: "ACCEPTED" } });
  expect(await told()).toEqual(["dispute.opened", "dispute.accepted"]);
  expect((await audit()).at(-1)).toEqual(["dispute.accepted", user.id]);

  const refused = await disputed();
  refused.script.push(async (real, request) => {
    await refused.dispute.becomes({ status: "lost", respond_by: null });
    await processReports(refused.service);
    expect((await refused.now()).status).toBe("NEEDS_RESPONSE");
    return real(request);
  });
  for (const _ of ["first", "repeat"])
    expect(await refused.respond("accept", "k")).toMatchObject({ status: 409, code: "invalid_state" });
  expect((await refused.now()).status).toBe("LOST");
  expect(await refused.told()).toEqual(["dispute.opened", "dispute.lost"]);
});

test("an acceptance whose outcome is unknown is sent again after the bank's decision, and found refused", async () => {
  const { respond, script, service, tenant, dispute, told, now, endLeases } = await disputed();
  script.push(async () => {
    await dispute.becomes({ status: "lost", respond_by: null });
    return { kind: "unknown", reason: "no response" };
  });
  expect(await respond("accept", "k")).toMatchObject({ status: 202, body: { status: "NEEDS_RESPONSE" } });
  await endLeases();
  expect(await finishResponses(service)).toBe(1);
  expect((await now()).status).toBe("LOST");
  expect(await told()).toEqual(["dispute.opened", "dispute.lost"]);
  expect(await respond("accept", "k")).toMatchObject({ status: 409, code: "invalid_state" });
  const rows = await db.sql`select response, response_id, response_by, response_due_at from disputes
    where environment_id = ${tenant.environmentId}`;
  expect(rows).toEqual([{ response: null, response_id: null, response_by: null, response_due_at: null }]);
});

test("an acceptance that has no known outcome for a day is given up, and the bank's decision stands", async () => {
  const { respond, script, service, tenant, dispute, now, endLeases } = await disputed();
  const unknown = async () => ({ kind: "unknown" as const, reason: "no response" });
  script.push(unknown, unknown);
  await respond("accept", "k");
  await dispute.becomes({ status: "lost", respond_by: null });
  await db.sql`update disputes set response_id = ${idAt(new Date(Date.now() - 25 * 3_600_000))}
    where environment_id = ${tenant.environmentId}`;
  await endLeases();
  await finishResponses(service);
  expect((await now()).status).toBe("LOST");
});

test("a webhook that reports the submission first and the request itself end with one event", async () => {
  const { save, respond, script, dispute, told, audit, user } = await disputed();
  await save({ notes: "x" });
  script.push(async (real, request) => {
    const outcome = await real(request);
    await dispute.becomes({ status: "under_review", respond_by: null });
    return outcome;
  });
  expect(await respond("submit")).toMatchObject({ status: 200, body: { status: "UNDER_REVIEW" } });
  expect((await told()).filter((type) => type === "dispute.evidence_submitted")).toHaveLength(1);
  expect((await audit()).at(-1)).toEqual(["dispute.evidence_submitted", user.id]);
});

test("a report of the end first, after the request died, tells of the submission, too", async () => {
  const { save, respond, script, service, told, audit, user } = await disputed();
  await save({ notes: "winning_evidence" });
  script.push(async (real, request) => {
    await real(request);
    await processReports(service);
    throw new Error("the process died");
  });
  expect(await respond("submit")).toMatchObject({ status: 200, body: { status: "WON" } });
  expect((await told()).slice(-2)).toEqual(["dispute.evidence_submitted", "dispute.won"]);
  expect((await audit()).slice(-2)).toEqual([
    ["dispute.evidence_submitted", user.id],
    ["dispute.won", null],
  ]);
});

test("a lost answer is found at the dispute, without a second submission", async () => {
  const { save, respond, script, requests } = await disputed();
  await save({ notes: "x" });
  script.push(async (real, request) => {
    await real(request);
    return { kind: "unknown", reason: "the connection was lost" };
  });
  expect(await respond("submit")).toMatchObject({ status: 200, body: { status: "UNDER_REVIEW" } });
  expect(requests).toHaveLength(1);
});

test("a submission whose process died before the call is finished by the job under its reference", async () => {
  const { service, save, respond, script, requests, now, endLeases, told } = await disputed();
  await save({ notes: "x" });
  // The process dies: the call never ends.
  const dead = latch();
  script.push(async () => {
    await dead.hold();
    throw new Error("this process is dead");
  });
  void respond("submit", "k").catch(() => {});
  await dead.reached;
  expect(await now()).toMatchObject({ status: "NEEDS_RESPONSE", available_actions: [], pending_action: "submit" });
  await finishResponses(service);
  expect(requests, "the lease holds").toHaveLength(1);
  await endLeases();
  await Promise.all([finishResponses(service), finishResponses(service)]);
  expect(await now()).toMatchObject({ status: "UNDER_REVIEW", pending_action: null });
  expect(new Set(requests.map(({ reference }) => reference)).size).toBe(1);
  expect((await told()).filter((type) => type === "dispute.evidence_submitted")).toHaveLength(1);
  expect(await respond("submit", "k")).toMatchObject({ status: 200, body: { status: "UNDER_REVIEW" } });
  expect(requests).toHaveLength(2);
});

test("an unknown outcome is 202 until it is known; then the same key gets the result", async () => {
  const { service, respond, script, endLeases, now, requests } = await disputed();
  script.push(async () => ({ kind: "unknown", reason: "503" }));
  expect(await respond("accept", "k")).toMatchObject({
    status: 202,
    body: { status: "NEEDS_RESPONSE", pending_action: "accept", available_actions: [] },
  });
  expect(await respond("accept", "other")).toMatchObject({ status: 409, code: "outcome_pending" });
  await endLeases();
  await finishResponses(service);
  expect(await now()).toMatchObject({ status: "ACCEPTED" });
  expect(await respond("accept", "k")).toMatchObject({ status: 200, body: { status: "ACCEPTED" } });
  expect(new Set(requests.map(({ reference }) => reference)).size).toBe(1);
});

test("a refusal by the processor leaves the dispute open for another response", async () => {
  const { save, respond, script, now } = await disputed();
  await save({ notes: "x" });
  script.push(async () => ({ kind: "refused", refusal: "Stripe refused the request: the files are too large" }));
  expect(await respond("submit", "k")).toMatchObject({ status: 422, code: "processor_refused" });
  expect(await respond("submit", "k")).toMatchObject({ status: 422, replayed: true });
  expect(await now()).toMatchObject({ status: "NEEDS_RESPONSE", pending_action: null });
  expect(await respond("submit", "k2")).toMatchObject({ status: 200, body: { status: "UNDER_REVIEW" } });
});

test("a dispute that we gave up stays ACCEPTED when its processor calls it lost", async () => {
  const { respond, dispute, now } = await disputed();
  await respond("accept");
  await dispute.becomes({ status: "lost", respond_by: null });
  expect(await now()).toMatchObject({ status: "ACCEPTED" });
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

test("a response without effect is given up after a day only if the dispute could be read and still needs one", async () => {
  const { service, tenant, script, respond, save, endLeases, now } = await disputed();
  await save({ notes: "delivered" });
  script.push(async () => ({ kind: "unknown", reason: "no answer" }));
  script.push(async () => ({ kind: "unknown", reason: "no answer" }));
  script.push(async () => ({ kind: "unknown", reason: "no answer" }));
  expect((await respond("submit")).status).toBe(202);
  await db.sql`update disputes set response_id = ${idAt(new Date(Date.now() - 25 * 3_600_000))}, read_at = read_at - interval '25 hours'
    where environment_id = ${tenant.environmentId}`;
  const processor = service.processors.builtIn("test") as Processor;
  const unreadable = { ...processor, readDispute: () => Promise.reject(new Error("the processor is down")) };
  await endLeases();
  await finishResponses({ ...service, processors: createRegistry({ sandbox: unreadable }) });
  expect(await now()).toMatchObject({ status: "NEEDS_RESPONSE", pending_action: "submit", available_actions: [] });
  await endLeases();
  await finishResponses(service);
  expect(await now()).toMatchObject({ status: "NEEDS_RESPONSE", pending_action: null });
});
