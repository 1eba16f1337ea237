import { isDeepStrictEqual } from "node:util";
import { lockDisputeById } from "@/db/queries/dispute-responses";
import { updateDispute as writeDispute } from "@/db/queries/disputes";
import { attachFiles } from "@/db/queries/files";
import type { StoredEvidence } from "@/db/schema/disputes";
import type { Dispute, UpdateDisputeBody } from "@/lib/contract/disputes/dispute";
import { AppError } from "@/lib/contract/errors";
import { instantOf } from "@/lib/contract/fields";
import { decodeId } from "@/lib/contract/ids";
import { type Context, environmentNow, type Reply, resourceNotFound } from "../context";
import { runOnce } from "../idempotency/run-once";
import { changedAt, emitDisputeEvent, presentDispute } from "./record-dispute";

/** Merges members into the draft; null removes one. */
export function updateDispute(ctx: Context, input: UpdateDisputeBody & { id: string }): Promise<Reply> {
  const { id: environmentId, mode } = ctx.environment;
  const id = decodeId("dispute", input.id);
  return runOnce(ctx, async (tx) => {
    const row = id && (await lockDisputeById(tx, environmentId, id));
    if (!row) throw resourceNotFound("dispute", input.id);
    requireAnswerable(presentDispute(row, mode));
    const evidence = merge(row.evidence, input.evidence);
    if (isDeepStrictEqual(evidence, row.evidence)) return presentDispute(row, mode);
    const now = environmentNow(ctx);
    const changed = { evidence, updated_at: changedAt(row, now) };
    if (input.evidence.files !== undefined) {
      const ids = evidence.files ?? [];
      const own = new Set(await attachFiles(tx, environmentId, row.id, ids));
      const missing = ids.findIndex((file) => !own.has(file));
      if (missing >= 0)
        throw resourceNotFound("unused file", input.evidence.files?.[missing] ?? "", `evidence.files.${missing}`);
    }
    await writeDispute(tx, environmentId, row.id, changed);
    const after = { ...row, ...changed };
    const by = { actor: ctx.actor, request_id: ctx.request.id };
    await emitDisputeEvent(tx, ctx.environment, "dispute.updated", { before: row, after, by, at: now });
    return presentDispute(after, mode);
  });
}

function merge(before: StoredEvidence, given: UpdateDisputeBody["evidence"]): StoredEvidence {
  const { files, shipped_at, ...texts } = given;
  const members: Record<string, unknown> = { ...before, ...texts };
  if (shipped_at !== undefined) members.shipped_at = shipped_at && instantOf(shipped_at).toISOString();
  if (files !== undefined) members.files = files?.length ? files.map(fileId) : null;
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
}

function fileId(publicId: string, index: number): string {
  const id = decodeId("file", publicId);
  if (id === null) throw resourceNotFound("unused file", publicId, `evidence.files.${index}`);
  return id;
}

/** Throws unless the dispute takes evidence or a response now. */
export function requireAnswerable({ pending_action, status, available_actions, dashboard_url }: Dispute): void {
  if (pending_action !== null) {
    const sent = pending_action === "accept" ? "The dispute was accepted" : "The evidence was submitted";
    throw new AppError(
      "outcome_pending",
      `${sent}, and the processor has not confirmed it yet. Get the dispute again in a moment.`,
      { retryAfterSeconds: 5 },
    );
  }
  if (status !== "NEEDS_RESPONSE") {
    throw new AppError("invalid_state", `The dispute is ${status}. It takes no response anymore.`, {
      extra: { current_status: status, allowed_actions: [] },
    });
  }
  if (available_actions.length === 0) {
    const where = dashboard_url === null ? "in the processor's dashboard" : `at ${dashboard_url}`;
    throw new AppError(
      "processor_refused",
      `The processor of this payment takes responses only there: respond ${where}.`,
    );
  }
}
