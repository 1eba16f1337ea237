import { findInspectedKey, type InspectedKey, readKeyActors } from "@/db/queries/idempotency-inspection";
import type { KeyDetail } from "@/lib/contract/idempotency/idempotency-key";
import { encodeId } from "@/lib/contract/ids";
import type { Context } from "../context";
import { presentActor } from "../payments/present-actor";
import { differencesOf } from "./differences-of";
import { methodOf, presentKey, stateOf } from "./present-key";

/** Longer answers, of payments with very many refunds, would take the process too long to draw. */
const LONGEST_SHOWN = 250_000;

/** Everything that is known of a key of the environment; null when it has none of that name. */
export async function findIdempotencyKey(ctx: Context, input: { key: string }): Promise<KeyDetail | null> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const row = await findInspectedKey(sql, ctx.environment.id, input.key);
  if (!row) return null;
  const actors = await readKeyActors(sql, ctx.environment, row);
  const reuse = row.last_reuse;
  const tooLong = (row.response_body?.length ?? 0) > LONGEST_SHOWN;
  return {
    ...presentKey(row),
    operation: row.operation_name,
    request_id: encodeId("request", row.request_id),
    actor: presentActor(row.actor, actors),
    body: row.request_body,
    response: row.response_sealed || tooLong || row.response_body === null ? null : JSON.parse(row.response_body),
    sealed: row.response_sealed,
    too_long: tooLong,
    completed_at: row.completed_at,
    expires_at: row.expires_at,
    last_replayed_at: row.last_replayed_at,
    retry: retryWords(row),
    effect: effectOf(row),
    reuse: reuse && {
      path: reuse.path,
      request_id: encodeId("request", reuse.request_id),
      actor: presentActor(reuse.actor, actors),
      at: reuse.at,
      body: reuse.body,
      differences: differencesOf(
        { endpoint: `${methodOf(row.operation_name)} ${row.path}`, body: row.request_body },
        { endpoint: `POST ${reuse.path}`, body: reuse.body },
      ),
    },
  };
}

function effectOf(row: InspectedKey): KeyDetail["effect"] {
  if (row.o_kind === null || row.o_state === null || row.o_payment_id === null || row.o_transaction_id === null)
    return null;
  return {
    kind: row.o_kind,
    state: row.o_state,
    payment_id: encodeId("payment", row.o_payment_id),
    transaction_id: encodeId("transaction", row.o_transaction_id),
    attempts: row.o_attempts ?? 1,
  };
}

/** What the same request would get now. The rules are those of `answerFromKey` and `runOnce`. */
function retryWords(row: InspectedKey): string {
  const state = stateOf(row);
  switch (state) {
    case "expired":
      return "The key is more than 24 hours old, so it counts as new: the request would run again, as a new operation.";
    case "done":
      return `The same request gets the stored answer again (${row.status_code}), to the byte, marked Idempotent-Replayed: true. Nothing runs a second time. Another request with this key gets 409 idempotency_key_reused.`;
    case "waiting":
      return "The outcome at the processor is not known yet. A retry asks what became of the same operation and answers 202 until that is known, then its one true result. It never starts a second one.";
    case "running":
      return row.lease_over
        ? "The first request stopped before it had an answer. A retry goes on where it stopped, with the same operation; it never starts a second one."
        : "The first request is still running. A retry waits up to 2 seconds for its answer, then gets 409 idempotency_request_in_progress and may be sent again.";
    default:
      return state satisfies never;
  }
}
