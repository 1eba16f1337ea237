import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { disputeToRespondTo } from "@/e2e/fixtures/dispute-responses";
import { latch } from "@/e2e/fixtures/latch";
import { idAt } from "@/lib/ids";
import type { Processor } from "@/lib/processor/port";
import { createRegistry } from "@/lib/processor/registry";
import { processReports } from "../payments/process-reports";
import { finishResponses } from "./respond";

const { db } = await testDatabase();
const disputed = () => disputeToRespondTo(db);

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

test("an acceptance whose repeat is refused took effect if the dispute is lost, and ends if it still needs a response", async () => {
  const repeat = async () => ({ kind: "refused_repeat" as const, refusal: "Stripe refused the request: not now" });
  const unknown = async () => ({ kind: "unknown" as const, reason: "500" });
  const accepted = await disputed();
  accepted.script.push(unknown, async () => {
    await accepted.dispute.becomes({ status: "lost", respond_by: null });
    return repeat();
  });
  expect((await accepted.respond("accept", "k")).status).toBe(202);
  await accepted.endLeases();
  expect(await finishResponses(accepted.service)).toBe(1);
  expect(await accepted.respond("accept", "k")).toMatchObject({ status: 200, body: { status: "ACCEPTED" } });
  expect(await accepted.told()).toEqual(["dispute.opened", "dispute.accepted"]);

  const open = await disputed();
  open.script.push(unknown, repeat, repeat);
  expect((await open.respond("accept", "k")).status).toBe(202);
  await open.endLeases();
  expect(await finishResponses(open.service)).toBe(1);
  expect(await open.now()).toMatchObject({ status: "NEEDS_RESPONSE", pending_action: null });
  for (const _ of ["refused again", "replayed"])
    expect(await open.respond("accept", "k")).toMatchObject({ status: 422, code: "processor_refused" });
  expect(new Set(open.requests.map(({ reference }) => reference)).size).toBe(1);
  await open.save({ notes: "x" });
  expect(await open.respond("submit")).toMatchObject({ status: 200, body: { status: "UNDER_REVIEW" } });
});

test.each(["under_review", "won"] as const)(
  "an acceptance whose repeat is refused because the dispute is %s is refused, and so is its replay",
  async (status) => {
    const { script, dispute, respond, told } = await disputed();
    script.push(async () => {
      await dispute.becomes({ status, respond_by: null });
      return { kind: "refused_repeat", refusal: `This dispute is already ${status}.` };
    });
    for (const _ of ["first", "replayed"])
      expect(await respond("accept", "k")).toMatchObject({ status: 409, code: "invalid_state" });
    expect(await told()).not.toContain("dispute.accepted");
  },
);

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
