import { findOperation, holdAgain } from "@/db/queries/operations";
import type { PaymentSnapshot } from "@/db/queries/payments";
import { wasNotExecuted } from "@/db/unavailable";
import type { Outcome } from "@/lib/processor/port";
import type { Service } from "../context";
import { ACCEPTED, type Finished, finishOperation, leaveOpen, unknown } from "./finish-operation";
import { leaseOf, type OpenOperation } from "./operation";

/** `pending`: the outcome is not known yet, and will be found out. */
export type Executed = Finished | { kind: "pending" };

/** What provably was not executed is sent again under the same reference, so often, and for so long after it began. */
const SEND_TRIES = 3;
const SEND_AGAIN_WITHIN_MS = 30_000;
/** How often to look whether whoever has taken the operation over has let it go. */
const HOLD_PAUSE_MS = 100;

/** A call: when its operation began, by the monotonic clock, from before T1; and until when it may be executed. */
export type Sending = {
  readonly begun: number;
  readonly notAfter: string;
  readonly call: (notAfter: Date) => Promise<Outcome>;
};

/** Where the time begins in which an operation may be sent: read before T1, whose lease then outlives it. */
export const begin = ({ timer }: Service): number => timer.elapsedMs();

async function send({ processorTimeoutMs, timer }: Service, { begun, notAfter, call }: Sending): Promise<Outcome> {
  if (timer.elapsedMs() <= begun + processorTimeoutMs) return call(new Date(notAfter));
  return { kind: "not_sent", reason: "it was too late to send the request" };
}

/**
 * A new time for an operation that was held up, by a pause of this process or a lock, until it could not be sent any more.
 * Whoever else has taken it over only asks about an authorization, and finds nothing: then this request goes on with it. Of
 * anything else the other may have sent it, too. Null: it is closed, or not ours any more.
 */
async function moreTime(
  service: Service,
  operation: OpenOperation,
  sending: Sending,
  giveUpAt: number,
): Promise<{ operation: OpenOperation; sending: Sending } | null> {
  const lease = leaseOf(service.processorTimeoutMs);
  const onlyAskedAbout = operation.kind === "authorize";
  const { sql } = service.db.within(operation.environmentId);
  for (;;) {
    const begun = begin(service);
    try {
      const held = await holdAgain(sql, operation, lease, onlyAskedAbout);
      if (held) {
        return {
          operation: { ...operation, epoch: held.epoch },
          sending: { ...sending, begun, notAfter: held.not_after },
        };
      }
      const row = await findOperation(sql, operation.environmentId, operation.id);
      if (!onlyAskedAbout || row?.state !== "open" || service.timer.elapsedMs() > giveUpAt) return null;
    } catch (error) {
      // The database is away, as it is for moments after a crash, and the card is still at hand.
      if (!wasNotExecuted(error) || service.timer.elapsedMs() > giveUpAt) throw error;
    }
    await service.timer.wait(HOLD_PAUSE_MS);
  }
}

/**
 * P and T2 of a first request: sends the operation to the processor, holding no transaction and no connection, and writes
 * the outcome. An answer that cannot be read is never taken for a failure.
 */
export async function sendOperation(
  service: Service,
  first: OpenOperation,
  firstSending: Sending,
  known: PaymentSnapshot | null,
): Promise<Executed> {
  const giveUpAt = firstSending.begun + SEND_AGAIN_WITHIN_MS;
  let operation = first;
  let sending = firstSending;
  let outcome = await send(service, sending);
  for (
    let tries = 1;
    outcome.kind === "not_sent" && tries < SEND_TRIES && service.timer.elapsedMs() < giveUpAt;
    tries++
  ) {
    const again = await moreTime(service, operation, sending, giveUpAt);
    if (again === null) return { kind: "lost" };
    ({ operation, sending } = again);
    outcome = await send(service, sending);
  }
  switch (outcome.kind) {
    case "approved":
    case "declined":
    case "action_required":
      return finishOperation(service, operation, outcome, known);
    case "not_sent":
      // Held up until no time was left: nothing refused it, and whoever comes next may send it.
      if (service.timer.elapsedMs() >= giveUpAt) {
        await leaveOpen(service, operation, unknown(outcome.reason), { attempts: 1, sent: false });
        return { kind: "pending" };
      }
      return finishOperation(service, operation, { kind: "failed", reason: outcome.reason }, known);
    case "pending":
      await leaveOpen(service, operation, ACCEPTED, { attempts: 1, sent: true });
      return { kind: "pending" };
    case "unknown":
      await leaveOpen(service, operation, unknown(outcome.reason), { attempts: 1, sent: true });
      return { kind: "pending" };
    default:
      return outcome satisfies never;
  }
}
