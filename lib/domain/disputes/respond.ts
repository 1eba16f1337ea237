import { readClock } from "@/db/queries/clock";
import {
  beginResponse,
  listDueResponses,
  postponeResponse,
  takeOverResponse,
  withdrawResponse,
} from "@/db/queries/dispute-responses";
import { findDispute } from "@/db/queries/disputes";
import { type FileFacts, findFileBytes, listFilesOf } from "@/db/queries/files";
import { claimKeyAlone, endKeyLease, resumeKey, storeResponse } from "@/db/queries/idempotency/keys";
import type { DisputeRow } from "@/db/schema/disputes";
import { isDatabaseUnavailable } from "@/db/unavailable";
import type { DisputeResponse } from "@/lib/contract/disputes/evidence";
import { PENDING_STATUS } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { idTime, newId } from "@/lib/ids";
import type { DisputeEvidence, DisputeResponseOutcome } from "@/lib/processor/records";
import type { Reporter } from "@/lib/processor/registry";
import { type Context, clockTime, type Environment, type Reply, resourceNotFound, type Service } from "../context";
import { createClaim, inProgress, keyedRequest, replayKnown, replyFromKey } from "../idempotency/used-key";
import { refuseClaimed } from "../payments/money-request";
import { connectionMissing } from "../processors/connection-of";
import { presentDispute, type ResponseEffect, readAfterResponse } from "./record-dispute";
import { requireAnswerable } from "./update-evidence";

export const submitDispute = (ctx: Context, input: { id: string }): Promise<Reply> =>
  respondUnderKey(ctx, input, "submit");
export const acceptDispute = (ctx: Context, input: { id: string }): Promise<Reply> =>
  respondUnderKey(ctx, input, "accept");

const MAX_ATTEMPTS = 10;
/** Uploads of a few files, the response and a read. Longer leases count as expired. */
const leaseMsOf = ({ processorTimeoutMs }: Service) => Math.min(3 * processorTimeoutMs + 2_000, 120_000);

/**
 * Runs a response under the request's key, which keeps the response's reference until its outcome is known:
 * a repeat continues the same response.
 */
async function respondUnderKey(ctx: Context, input: { id: string }, kind: DisputeResponse): Promise<Reply> {
  const known = await replayKnown(ctx);
  if (known) return known;
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const leaseMs = leaseMsOf(ctx.service);
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const claim = await createClaim(ctx, newId(), leaseMs);
    if (claim.operationId && (await claimKeyAlone(sql, ctx.environment.id, claim)))
      return runClaimed(ctx, input, kind, claim.operationId);
    const resume = async (operationId: string) =>
      (await resumeKey(sql, ctx.environment.id, { ...claim, operationId }))
        ? runClaimed(ctx, input, kind, operationId)
        : null;
    const reply = await replyFromKey(ctx, resume, { withoutOperation: true });
    if (reply) return reply;
  }
  throw inProgress();
}

async function runClaimed(
  ctx: Context,
  input: { id: string },
  kind: DisputeResponse,
  reference: string,
): Promise<Reply> {
  const { service, environment } = ctx;
  const { sql, orm } = service.db.within(environment.id);
  const { key, requestId } = keyedRequest(ctx);
  try {
    const row = await respond(ctx, input.id, kind, reference);
    const made = presentDispute(row, environment.mode);
    if (row.response_due_at !== null) {
      await endKeyLease(sql, environment.id, key, requestId);
      return { status: PENDING_STATUS, body: JSON.stringify(made), replayed: false, made };
    }
    const reply = service.renderReply({ ...ctx.request, requestId }, { kind: "made", made });
    if (!(await storeResponse(orm, environment.id, keyedRequest(ctx), reply))) throw inProgress();
    return reply;
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return refuseClaimed(ctx, error);
    await endKeyLease(sql, environment.id, key, requestId);
    throw error;
  }
}

/** The dispute after the response; `response_due_at` is set while the outcome is unknown. */
async function respond(ctx: Context, publicId: string, kind: DisputeResponse, reference: string): Promise<DisputeRow> {
  const { service, environment } = ctx;
  const { orm } = service.db.within(environment.id);
  const id = decodeId("dispute", publicId);
  const find = async () => {
    const row = id && (await findDispute(orm, environment.id, id));
    if (!row) throw resourceNotFound("dispute", publicId);
    return row;
  };
  const requirePossible = (now: DisputeRow) => {
    requireAnswerable(presentDispute(now, environment.mode));
    if (kind === "submit" && Object.keys(now.evidence).length === 0) throw nothingToSubmit();
  };
  const row = await find();
  const leaseMs = leaseMsOf(service);
  // A repeat of a request that died: its response took effect, is being checked, or has to be taken over.
  if (row.response_id === reference) {
    if (row.response_due_at === null) {
      // The bank decided before the acceptance arrived.
      if (kind === "accept" && row.status !== "ACCEPTED") requirePossible(row);
      return row;
    }
    const taken = await takeOverResponse(orm, environment.id, row.id, { reference, leaseMs });
    return taken ? settle(service, environment, taken, reference) : find();
  }
  requirePossible(row);
  if ((await connectedTo(service, environment, row)) === null) throw connectionMissing(row.processor);
  const by = { actor: ctx.actor, request_id: ctx.request.id };
  const begun = await beginResponse(orm, environment.id, row.id, { response: kind, reference, by, leaseMs });
  if (begun) return settle(service, environment, begun, reference);
  requirePossible(await find());
  throw inProgress("Another response to this dispute has just ended. Get the dispute again.");
}

export const nothingToSubmit = () =>
  new AppError(
    "missing_parameter",
    "evidence: There is no evidence to submit. Save some first with PATCH /v1/disputes/{id}, or accept the dispute.",
    { param: "evidence", errors: [{ param: "evidence", code: "missing_parameter", message: "Save evidence first." }] },
  );

/** The processor that a dispute is at; null if its connection is gone. */
async function connectedTo(
  { processors }: Service,
  { mode }: Pick<Environment, "mode">,
  row: DisputeRow,
): Promise<Reporter | null> {
  const from = await processors.reporter(row.processor);
  return from?.mode === mode && from.processor.respondToDispute ? from : null;
}

/**
 * Sends a begun response whose lease this process holds, and writes what became of the dispute: only the
 * dispute itself tells whether the response took effect. A repeat has the same reference, which takes effect
 * once. Throws if the processor refused it.
 */
async function settle(
  service: Service,
  environment: Pick<Environment, "id" | "mode">,
  begun: DisputeRow,
  reference: string,
): Promise<DisputeRow> {
  const { orm } = service.db.within(environment.id);
  const of = [orm, environment.id, begun.id] as const;
  const find = async () => (await findDispute(...of)) as DisputeRow;
  const from = await connectedTo(service, environment, begun);
  if (from === null) {
    await postponeResponse(...of, { reference, pauseMs: MAX_PAUSE_MS });
    return find();
  }
  const read = (effect: ResponseEffect) => readAfterResponse(service, from, environment, begun, effect);
  try {
    const outcome = await send(service, from, environment.id, begun, reference);
    if (outcome.kind === "refused" || outcome.kind === "refused_repeat") {
      // The read comes first: if it fails, the intent is still there and has it repeated.
      await read(outcome.kind === "refused" ? "none" : "sent");
      const after = await find();
      if (outcome.kind === "refused_repeat" && after.status === "ACCEPTED") return after;
      // Both attempts are over, so neither closed a dispute that still needs a response. If the processor applies
      // one later, it reports the loss, which moves the same money.
      await withdrawResponse(...of, { reference, refused: true });
      const now = await find();
      requireAnswerable(presentDispute(now, environment.mode));
      throw new AppError("processor_refused", outcome.refusal);
    }
    if (outcome.kind !== "sent")
      service.log.warn({ dispute: begun.id, reason: outcome.reason }, "a response to a dispute has no known outcome");
    const isGivenUp = ageMsOf(service, reference) > GIVE_UP_MS;
    await read(outcome.kind === "sent" ? "sent" : isGivenUp ? "none" : "unknown");
  } catch (error) {
    if (error instanceof AppError || isDatabaseUnavailable(error)) throw error;
    service.log.warn({ err: error, dispute: begun.id }, "a response to a dispute is checked later");
  }
  await postponeResponse(...of, { reference, pauseMs: pauseMsOf(service, reference) });
  return find();
}

async function send(
  service: Service,
  { processor }: Reporter,
  account: string,
  { id, evidence, response, processor_dispute_id: dispute }: DisputeRow,
  reference: string,
): Promise<DisputeResponseOutcome> {
  const clock = await readClock(service.db.within(account).sql, account);
  const stored = response === "submit" ? await listFilesOf(service.db.within(account).orm, account, id) : [];
  const request = { account, dispute, reference, ...(clock && { now: clockTime(service.clock, clock) }) };
  const call =
    response === "accept"
      ? ({ ...request, kind: "accept" } as const)
      : ({ ...request, kind: "submit", evidence: evidenceOf(service, account, id, stored, evidence) } as const);
  const outcome = await processor.respondToDispute?.(call);
  return outcome ?? { kind: "not_sent", reason: "the processor takes no responses" };
}

/** The files are read one by one as they are sent: together they may have 40 MB. */
function evidenceOf(
  { db }: Service,
  environmentId: string,
  disputeId: string,
  stored: readonly FileFacts[],
  { files = [], shipped_at, ...texts }: DisputeRow["evidence"],
): DisputeEvidence {
  const { orm } = db.within(environmentId);
  return {
    texts,
    shippedAt: shipped_at === undefined ? null : new Date(shipped_at),
    files: files.map((id) => {
      const facts = stored.find((file) => file.id === id);
      if (!facts) throw new Error(`the file ${id} of the dispute ${disputeId} is gone`);
      const { name, type, size } = facts;
      return {
        id,
        name,
        type,
        size,
        async read() {
          const file = await findFileBytes(orm, environmentId, { id, disputeId });
          if (!file) throw new Error(`the file ${id} of the dispute ${disputeId} is gone`);
          return file.bytes;
        },
      };
    }),
  };
}

const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [1_000, 10 * 60_000];
/** Age at which a response is given up if a read of the dispute shows no trace of it. */
const GIVE_UP_MS = 24 * 3_600_000;

const ageMsOf = (service: Service, reference: string) => service.clock.now().getTime() - Date.parse(idTime(reference));
/** Half of the response's age, so that a short outage is over soon and a long one costs few calls. */
const pauseMsOf = (service: Service, reference: string) =>
  Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, Math.round(ageMsOf(service, reference) / 2)));

const BATCH = 20;

/**
 * Job that finishes responses whose process died or whose outcome is unknown. Safe to run in several
 * instances. Returns the number finished.
 */
export async function finishResponses(service: Service, stopping?: AbortSignal): Promise<number> {
  let done = 0;
  for (const due of await listDueResponses(service.db.sql, BATCH)) {
    if (stopping?.aborted) break;
    const { environment_id: environmentId, id, response_id: reference, mode } = due;
    const { orm } = service.db.within(environmentId);
    const taken = await takeOverResponse(orm, environmentId, id, { reference, leaseMs: leaseMsOf(service) });
    if (!taken) continue;
    try {
      const row = await settle(service, { id: environmentId, mode }, taken, reference);
      if (row.response_due_at === null) done++;
      else if (Date.parse(row.read_at) - Date.parse(idTime(reference)) > GIVE_UP_MS)
        await giveUp(service, row, reference);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      service.log.warn({ err: error, dispute: id }, "the processor refused a response to a dispute");
      done++;
    }
  }
  return done;
}

/** The latest read shows that the dispute still needs a response, so it takes another one. */
async function giveUp(service: Service, { environment_id: environmentId, id }: DisputeRow, reference: string) {
  await withdrawResponse(service.db.within(environmentId).orm, environmentId, id, { reference });
  service.log.error({ dispute: id, reference }, "a response to a dispute never took effect and was given up");
}
