import type { PaymentSnapshot } from "@/db/queries/payments";
import type { Outcome } from "@/lib/processor/port";
import type { Service } from "../context";
import { ACCEPTED, type Finished, finishOperation, leaveOpen, unknown } from "./finish-operation";
import type { OpenOperation } from "./operation";

/** `pending`: the outcome is not known yet, and will be found out. */
export type Executed = Finished | { kind: "pending" };

/** A request that provably was not executed may be sent again, at once, under the same reference. */
const SEND_TRIES = 3;

/** A call, and until when it may be made: a reading of the monotonic clock, counted from before T1. */
export type Sending = { readonly sendBy: number; readonly call: () => Promise<Outcome> };

/** Begin of the time in which an operation may be sent: read it before T1, whose lease then outlives it. */
export function sendBy(service: Service): number {
  return performance.now() + service.processorTimeoutMs;
}

async function send(sending: Sending): Promise<Outcome> {
  if (performance.now() <= sending.sendBy) return sending.call();
  return { kind: "not_sent", reason: "it was too late to send the request" };
}

/**
 * P and T2 of a first request: sends the operation to the processor, holding no transaction and no connection, and writes
 * the outcome. An answer that cannot be read is never taken for a failure.
 */
export async function sendOperation(
  service: Service,
  operation: OpenOperation,
  sending: Sending,
  known: PaymentSnapshot | null,
): Promise<Executed> {
  let outcome = await send(sending);
  for (let tries = 1; outcome.kind === "not_sent" && tries < SEND_TRIES; tries++) outcome = await send(sending);
  switch (outcome.kind) {
    case "approved":
    case "declined":
    case "action_required":
      return finishOperation(service, operation, outcome, known);
    case "not_sent":
      return finishOperation(service, operation, { kind: "failed", reason: outcome.reason }, known);
    case "pending":
      await leaveOpen(service, operation, ACCEPTED, 1);
      return { kind: "pending" };
    case "unknown":
      await leaveOpen(service, operation, unknown(outcome.reason), 1);
      return { kind: "pending" };
    default:
      return outcome satisfies never;
  }
}
