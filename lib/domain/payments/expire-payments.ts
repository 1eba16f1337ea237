import {
  type DuePayment,
  listAbandonedChallenges,
  listExpiredAuthorizations,
  type Turn,
} from "@/db/queries/payments/due-payments";
import { isDatabaseUnavailable } from "@/db/unavailable";
import type { Mode } from "@/lib/contract/transactions/words";
import { BEFORE_ALL, newId } from "@/lib/ids";
import type { Service } from "../context";
import { type Execution, execute } from "./execute";
import { continuePayment } from "./follow-up";
import { CHALLENGE_MINUTES } from "./outcome";

/** Payments that are listed at once, and how many of them are of one environment: the others' are not behind all of its. */
const BATCH = 100;
const SHARE = 25;

/**
 * Voids authorizations whose time has passed (`void_reason: "expired"`) and ends 3-D Secure challenges that nobody
 * answered: some of each environment, in turn. Each step is guarded, so any number of instances may run it. Answers how many
 * it ended.
 */
export async function expirePayments(service: Service, stopping?: AbortSignal): Promise<number> {
  const { sql } = service.db;
  const expired = await endInTurn(
    service,
    (turn) => listExpiredAuthorizations(sql, turn),
    (due) => voidExpired(service, environmentOf(due), due.id),
    stopping,
  );
  const abandoned = await endInTurn(
    service,
    (turn) => listAbandonedChallenges(sql, CHALLENGE_MINUTES, turn),
    (due) => abandon(service, environmentOf(due), due.id),
    stopping,
  );
  return expired + abandoned;
}

const environmentOf = (due: DuePayment) => ({ id: due.environment_id, mode: due.mode });

/** One that fails is logged and left for the next time; it does not hold up the others. */
async function endInTurn(
  service: Service,
  list: (turn: Turn) => Promise<DuePayment[]>,
  end: (due: DuePayment) => Promise<boolean>,
  stopping: AbortSignal | undefined,
): Promise<number> {
  let ended = 0;
  for (let after: string | undefined = BEFORE_ALL; after !== undefined; ) {
    const dues = await list({ after, share: SHARE, most: BATCH });
    for (const due of dues) {
      if (stopping?.aborted) return ended;
      try {
        if (await end(due)) ended++;
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        service.log.error({ err: error, payment: due.id }, "a payment past its time could not be ended");
      }
    }
    after = dues.length < BATCH ? undefined : dues.at(-1)?.environment_id;
  }
  return ended;
}

async function abandon(service: Service, environment: { id: string; mode: Mode }, paymentId: string): Promise<boolean> {
  if (!service.processors.processorFor(environment.mode)) return false;
  return isEnded(await continuePayment(service, environment, paymentId, "abandoned"));
}

async function voidExpired(
  service: Service,
  environment: { id: string; mode: Mode },
  paymentId: string,
): Promise<boolean> {
  if (!service.processors.processorFor(environment.mode)) return false;
  const execution = await execute(service, {
    ...{ id: newId(), environment, kind: "void", paymentId, detail: "expired" },
    ...{ claim: null, amount: null, refund: null, allowed: true },
  });
  return isEnded(execution);
}

const isEnded = (execution: Execution) =>
  execution.kind === "finished" && execution.change.result.kind !== "payment_failed";
