import {
  type DuePage,
  type DuePayment,
  listAbandonedChallenges,
  listAbandonedIn,
  listExpiredAuthorizations,
  listExpiredIn,
  listUnvoidedApprovals,
} from "@/db/queries/payments/due-payments";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { BEFORE_ALL } from "@/lib/ids";
import type { Service } from "../context";
import { connectionOf } from "../processors/connection-of";
import type { Execution } from "./execute";
import { executeOwn, voidLateApproval } from "./follow-up";
import { CHALLENGE_MINUTES, type Change } from "./outcome";

/** Results after which the payment is tried again later. */
const REFUSED: ReadonlySet<string> = new Set<Change["result"]["kind"]>(["payment_failed", "processor_refused"]);

/** Payments per query, and the max of one environment among them, so that it does not delay the others. */
const PAGE_SIZE = 100;
const MAX_PER_ENVIRONMENT = 25;

/**
 * Voids expired authorizations (`void_reason: "expired"`), ends abandoned 3-D Secure challenges, and retries
 * refused voids of late approvals, round-robin over environments. Each step is guarded, so any number of
 * instances may run it. Returns the number of payments it ended.
 */
export async function expirePayments(service: Service, stopping?: AbortSignal): Promise<number> {
  const { sql } = service.db;
  const expired = await endExpired(service, (page) => listExpiredAuthorizations(sql, page), stopping);
  const abandoned = await endAbandoned(
    service,
    (page) => listAbandonedChallenges(sql, CHALLENGE_MINUTES, page),
    stopping,
  );
  const returned = await endDue(
    service,
    (page) => listUnvoidedApprovals(sql, page),
    (due) => voidLateApproval(service, { id: due.environment_id, mode: due.mode }, due),
    stopping,
  );
  return expired + abandoned + returned;
}

type ListDue = (page: DuePage) => Promise<DuePayment[]>;

const endExpired = (service: Service, list: ListDue, stopping?: AbortSignal) =>
  endDue(service, list, endAs(service, "void", "expired"), stopping);

const endAbandoned = (service: Service, list: ListDue, stopping?: AbortSignal) =>
  endDue(service, list, endAs(service, "continue", "abandoned"), stopping);

const endAs =
  (service: Service, kind: "void" | "continue", detail: string) =>
  ({ environment_id: id, mode, id: paymentId }: DuePayment) =>
    executeOwn(service, { id, mode }, kind, paymentId, detail);

/** Voids the expired authorizations of a test environment, by its own time. */
export function expireAuthorizationsIn(service: Service, environmentId: string, stopping?: AbortSignal) {
  const { sql } = service.db.within(environmentId);
  return endExpired(service, () => listExpiredIn(sql, environmentId, PAGE_SIZE - 1), stopping);
}

/** Ends the abandoned challenges of a test environment, by its own time. */
export function endAbandonedIn(service: Service, environmentId: string, stopping?: AbortSignal) {
  const { sql } = service.db.within(environmentId);
  const page = { minutes: CHALLENGE_MINUTES, limit: PAGE_SIZE - 1 };
  return endAbandoned(service, () => listAbandonedIn(sql, environmentId, page), stopping);
}

/** A payment that fails is logged and left for the next run; it does not stop the others. */
async function endDue<Due extends DuePayment>(
  service: Service,
  list: (page: DuePage) => Promise<Due[]>,
  end: (due: Due) => Promise<Execution>,
  stopping: AbortSignal | undefined,
): Promise<number> {
  let ended = 0;
  for (let after: string | undefined = BEFORE_ALL; after !== undefined; ) {
    const dues = await list({ after, perEnvironment: MAX_PER_ENVIRONMENT, limit: PAGE_SIZE });
    for (const due of dues) {
      if (stopping?.aborted) return ended;
      try {
        if (!(await connectionOf(service, { id: due.environment_id, mode: due.mode }, due.id))) continue;
        const execution = await end(due);
        if (execution.kind === "finished" && !REFUSED.has(execution.change.result.kind)) ended++;
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        service.log.error({ err: error, payment: due.id }, "an expired payment could not be ended");
      }
    }
    after = dues.length < PAGE_SIZE ? undefined : dues.at(-1)?.environment_id;
  }
  return ended;
}
