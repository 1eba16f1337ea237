import type { Outcome } from "@/lib/processor/port";
import { type PaymentSnapshot } from "@/db/queries/payments";
import type { Service } from "../context";
import { finishOperation, type Finished, leaveOpen } from "./finish-operation";
import type { OpenOperation } from "./operation";

/** `pending`: the outcome is not known yet, and will be found out. */
export type Executed = Finished | { kind: "pending" };

/** A request that provably was not executed may be sent again, at once, under the same reference. */
const SEND_TRIES = 3;

/**
 * P and T2 of a first request: sends the operation to the processor, holding no transaction and no connection, and writes
 * the outcome. An answer that cannot be read is never taken for a failure.
 */
export async function sendOperation(
  service: Service,
  operation: OpenOperation,
  send: () => Promise<Outcome>,
  known: PaymentSnapshot | null,
): Promise<Executed> {
  let outcome = await send();
  for (let tries = 1; outcome.kind === "not_sent" && tries < SEND_TRIES; tries++) outcome = await send();
  switch (outcome.kind) {
    case "approved":
    case "declined":
    case "action_required":
      return finishOperation(service, operation, outcome, known);
    case "not_sent":
      return finishOperation(service, operation, { kind: "failed", reason: outcome.reason }, known);
    case "pending":
      await leaveOpen(service, operation, "the processor is still working on it", 1);
      return { kind: "pending" };
    case "unknown":
      await leaveOpen(service, operation, outcome.reason, 1);
      return { kind: "pending" };
    default:
      return outcome satisfies never;
  }
}
