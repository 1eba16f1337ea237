import { findEnvironment } from "@/db/queries/accounts/merchants";
import { insertAudit, insertEvent } from "@/db/queries/changes";
import { readClock } from "@/db/queries/clock";
import {
  insertDispute,
  lockDispute,
  type NewDispute,
  readInstant,
  showOnPayment,
  updateDispute,
} from "@/db/queries/disputes";
import { keepFilesOf } from "@/db/queries/files";
import { findOperation } from "@/db/queries/payments/operations";
import { findOperationOfObject } from "@/db/queries/payments/processor-objects";
import type { DisputeRow } from "@/db/schema/disputes";
import { type ActorRecord, SYSTEM } from "@/db/schema/operations";
import { keepableText } from "@/lib/contract/card-numbers";
import type { Dispute } from "@/lib/contract/disputes/dispute";
import { DISPUTE_ACTIONS, FILES_KEPT_DAYS } from "@/lib/contract/disputes/evidence";
import { isDisputed } from "@/lib/contract/disputes/statuses";
import type { EventTypeOf } from "@/lib/contract/events/event";
import { encodeId } from "@/lib/contract/ids";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";
import { idTime, newId } from "@/lib/ids";
import type { Processor } from "@/lib/processor/port";
import type { Dispute as ProcessorsDispute } from "@/lib/processor/records";
import type { Reporter } from "@/lib/processor/registry";
import { type Environment, environmentNow, type Service } from "../context";
import { changedMembers, newEvent } from "../events/event";
import { bookDispute } from "./book-dispute";

/** A processor's report on a dispute: its id there, and a stored id or our reference of its payment. */
export type DisputeReport = { readonly id: string; readonly dispute: string } & (
  | { readonly object: string }
  | { readonly account: string; readonly reference: string }
);

const STATUSES: Record<ProcessorsDispute["status"], Dispute["status"]> = {
  needs_response: "NEEDS_RESPONSE",
  under_review: "UNDER_REVIEW",
  won: "WON",
  lost: "LOST",
  accepted: "ACCEPTED",
};
/** Max length of this text from outside. */
const MAX_CODE_LENGTH = 100;

/**
 * Updates a dispute. A report only triggers a read at the processor, and the latest read wins, whatever the
 * order of reports. False if the report must be redelivered.
 */
export async function recordDispute(
  service: Service,
  from: Pick<Reporter, "processor" | "mode" | "environmentId">,
  report: DisputeReport,
): Promise<boolean> {
  const { processor, mode } = from;
  const of = await findDisputed(service, from, report);
  // Time before the read: a read by another process that starts later includes at least this report's change.
  // The database's, because the processes' clocks differ by more than two reads.
  const read_at = of && (await readInstant(service.db.within(of.environmentId).sql));
  const read = of && (await processor.readDispute?.(report.dispute));
  if (!of || !read || read_at === null) {
    // An account may have payments outside Cardlane, and their disputes are reported too.
    service.log.info({ report }, "the processor reports a dispute that is not about a payment of Cardlane's");
    return true;
  }
  const dispute = toRow(processor, of.paymentId, read, read_at);
  const clock = await readClock(service.db.within(of.environmentId).sql, of.environmentId);
  const { submitted = false } = read;
  return writeDispute(service, { id: of.environmentId, mode, clock }, dispute, { submitted, effect: "unknown" });
}

type ReadRow = Omit<NewDispute, "updated_at">;

const toRow = (processor: Processor, paymentId: string, read: ProcessorsDispute, read_at: string): ReadRow => ({
  id: newId(),
  payment_id: paymentId,
  processor: processor.name,
  processor_dispute_id: read.id,
  amount: read.amount,
  currency: read.currency,
  reason: read.reason,
  network_reason_code: read.network_reason_code && keepableText(read.network_reason_code, MAX_CODE_LENGTH),
  fee: read.fee,
  withdrawn: read.withdrawn,
  dashboard_url: processor.dashboardUrl?.({ kind: "dispute", id: read.id }) ?? null,
  answerable: processor.respondToDispute !== undefined,
  status: STATUSES[read.status],
  respond_by: read.respond_by?.toISOString() ?? null,
  read_at,
  created_at: read.created_at.toISOString(),
});

/** Two reads in one millisecond can't be ordered, so the second is repeated. */
const MAX_READS = 5;

/** The effect of a response, as far as the processor has said. */
export type ResponseEffect = "sent" | "none" | "unknown";

/** Reads a known dispute after a response was sent, and writes its state. */
export async function readAfterResponse(
  service: Service,
  { processor }: Pick<Reporter, "processor">,
  environment: Pick<Environment, "id" | "mode">,
  row: DisputeRow,
  effect: ResponseEffect,
): Promise<void> {
  for (let reads = 0; reads < MAX_READS; reads++) {
    const read_at = await readInstant(service.db.within(environment.id).sql);
    const read = await processor.readDispute?.(row.processor_dispute_id);
    if (!read) throw new Error(`the processor no longer has the dispute ${row.processor_dispute_id}`);
    const clock = await readClock(service.db.within(environment.id).sql, environment.id);
    const dispute = toRow(processor, row.payment_id, read, read_at);
    const submitted = read.submitted || effect === "sent";
    if (await writeDispute(service, { ...environment, clock }, dispute, { submitted, effect })) return;
    await service.timer.wait(2);
  }
  throw new Error(`the dispute ${row.processor_dispute_id} is read too often to order its states`);
}

/** The payment of a report; null if there is none, or for another mode or merchant. */
async function findDisputed(
  service: Service,
  { processor, mode, environmentId: only }: Pick<Reporter, "processor" | "mode" | "environmentId">,
  report: DisputeReport,
) {
  const named =
    "object" in report
      ? await findOperationOfObject(service.db.sql, processor.name, report.object)
      : { environment_id: report.account, operation_id: report.reference };
  if (!named) return null;
  const { environment_id: environmentId, operation_id: id } = named;
  if (only !== null && only !== environmentId) return null;
  const { sql, orm } = service.db.within(environmentId);
  const environment = await findEnvironment(orm, environmentId);
  const operation = environment?.mode === mode ? await findOperation(sql, environmentId, id) : null;
  return operation && { environmentId, paymentId: operation.payment_id };
}

/**
 * False if a different state was read in the same millisecond, as the newer of the two is not known.
 * `submitted`: evidence has reached the bank, whatever became of the dispute. `effect`: of the response that is
 * being sent.
 */
function writeDispute(
  service: Service,
  environment: Pick<Environment, "id" | "mode" | "clock">,
  dispute: ReadRow,
  { submitted, effect }: { submitted: boolean; effect: ResponseEffect },
): Promise<boolean> {
  return service.db.within(environment.id).orm.transaction(async (tx) => {
    const at = environmentNow({ service, environment });
    const emit = (type: EventTypeOf<"dispute">, before: DisputeRow | null, after: DisputeRow, by = BY_SYSTEM) =>
      emitDisputeEvent(tx, environment, type, { before, after, by, at });
    const created = await insertDispute(tx, environment.id, { ...dispute, updated_at: at.toISOString() });
    if (created) {
      await bookDispute(tx, environment.id, created, at);
      await showOnPayment(tx, environment.id, created.payment_id);
      await emit("dispute.opened", null, created);
      return true;
    }
    const known = await lockDispute(tx, environment.id, dispute);
    if (!known) throw new Error(`dispute ${dispute.processor_dispute_id} belongs to another environment`);
    if (known.read_at >= dispute.read_at) return known.read_at > dispute.read_at || !differs(known, dispute);
    const { id, payment_id, processor, processor_dispute_id, created_at, ...read } = dispute;
    const isAccepting = known.response === "accept" && known.response_due_at !== null;
    // Given up by us, or lost by the bank's decision: the acceptance's own outcome shows which, and is written next.
    if (isAccepting && read.status === "LOST" && effect === "unknown") return true;
    const updated_at = changedAt(known, at);
    const changed = { ...read, ...afterResponse(known, read.status, effect), updated_at };
    if (!differs(known, changed)) {
      await updateDispute(tx, environment.id, known.id, { read_at: dispute.read_at });
      return true;
    }
    await updateDispute(tx, environment.id, known.id, changed);
    const after = { ...known, ...changed };
    if (isDisputed(known.status) && !isDisputed(after.status))
      await keepFilesOf(tx, environment.id, known.id, FILES_KEPT_DAYS[environment.mode]);
    await bookDispute(tx, environment.id, after, at);
    await showOnPayment(tx, environment.id, known.payment_id);
    const isEnded = known.response_due_at !== null && after.response_due_at === null && effect !== "none";
    const ended = isEnded ? known.response : null;
    const author = known.response_by ?? BY_SYSTEM;
    if (ended === "submit" && submitted && after.status !== "UNDER_REVIEW") {
      const reviewed = { ...after, status: "UNDER_REVIEW" as const };
      await emit("dispute.evidence_submitted", known, reviewed, author);
      await emit(changeOf(reviewed.status, after.status), reviewed, after);
    } else {
      // A bank may decide while a response is on its way.
      const isOurs = ended !== null && after.status === (ended === "submit" ? "UNDER_REVIEW" : "ACCEPTED");
      await emit(changeOf(known.status, after.status), known, after, isOurs ? author : BY_SYSTEM);
    }
    return true;
  });
}

/** The time of a change, by the environment's clock: never before the last one, which another process may have made. */
export const changedAt = ({ updated_at }: Pick<DisputeRow, "updated_at">, at: Date): string =>
  updated_at > at.toISOString() ? updated_at : at.toISOString();

/**
 * Ends a begun response once the dispute no longer needs one, whichever report shows that. A processor reports a
 * dispute that we gave up as lost.
 */
function afterResponse(known: DisputeRow, status: Dispute["status"], effect: ResponseEffect) {
  const isAccepted = known.response === "accept" && (known.status === "ACCEPTED" || effect === "sent");
  return {
    status: status === "LOST" && isAccepted ? ("ACCEPTED" as const) : status,
    response_due_at: status === "NEEDS_RESPONSE" ? known.response_due_at : null,
  };
}

/** The event of a change; `dispute.updated` if the status stayed, or the bank asks for evidence again. */
function changeOf(before: Dispute["status"], after: Dispute["status"]): EventTypeOf<"dispute"> {
  if (before === after) return "dispute.updated";
  switch (after) {
    case "NEEDS_RESPONSE":
      return "dispute.updated";
    case "UNDER_REVIEW":
      return "dispute.evidence_submitted";
    case "WON":
      return "dispute.won";
    case "LOST":
      return "dispute.lost";
    case "ACCEPTED":
      return "dispute.accepted";
    default:
      return after satisfies never;
  }
}

const COMPARED_FIELDS = [
  ...[
    "amount",
    "currency",
    "reason",
    "status",
    "respond_by",
    "network_reason_code",
    "fee",
    "withdrawn",
    "dashboard_url",
    "answerable",
  ],
] as const satisfies readonly (keyof DisputeRow)[];

const differs = (
  a: Pick<DisputeRow, (typeof COMPARED_FIELDS)[number]>,
  b: Pick<DisputeRow, (typeof COMPARED_FIELDS)[number]>,
) => COMPARED_FIELDS.some((member) => a[member] !== b[member]);

const BY_SYSTEM: { actor: ActorRecord; request_id: string | null } = { actor: SYSTEM, request_id: null };

/** Records a change of a dispute in the outbox and the audit log, in the transaction that holds its row. */
export async function emitDisputeEvent(
  tx: Parameters<typeof insertEvent>[0],
  { id: environmentId, mode }: { id: string; mode: Mode },
  type: EventTypeOf<"dispute">,
  change: { before: DisputeRow | null; after: DisputeRow; by?: typeof BY_SYSTEM; at: Date },
): Promise<void> {
  const { before, after, by = BY_SYSTEM, at } = change;
  const object = presentDispute(after, mode);
  const previous = before && changedMembers(presentDispute(before, mode), object);
  const event = newEvent(type, { objectId: after.id, operationId: null }, { object, previous }, at.toISOString());
  await insertEvent(tx, environmentId, event);
  const auditId = newId();
  const audit = { id: auditId, action: type, object_id: after.payment_id, ...by };
  const detail = { dispute: object.id, status: after.status, event: event.id };
  await insertAudit(tx, environmentId, { ...audit, detail, created_at: idTime(auditId) });
}

/** Converts the row to the API's format. */
export function presentDispute(row: DisputeRow, mode: Mode): Dispute {
  const isResponding = row.response_due_at !== null;
  return {
    id: encodeId("dispute", row.id),
    object: "dispute",
    payment_id: encodeId("payment", row.payment_id),
    transaction_id: encodeId("transaction", row.transaction_id),
    customer_id: row.customer_id,
    processor_id: row.processor_dispute_id,
    amount: row.amount,
    currency: row.currency,
    reason: row.reason,
    status: row.status,
    respond_by: row.respond_by,
    evidence: presentEvidence(row),
    available_actions: row.answerable && row.status === "NEEDS_RESPONSE" && !isResponding ? [...DISPUTE_ACTIONS] : [],
    pending_action: isResponding ? row.response : null,
    fee: row.fee,
    network_reason_code: row.network_reason_code,
    dashboard_url: row.dashboard_url,
    environment: API_ENVIRONMENTS[mode],
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

function presentEvidence({ evidence }: Pick<DisputeRow, "evidence">): Dispute["evidence"] {
  return {
    product_description: evidence.product_description ?? null,
    customer_communication: evidence.customer_communication ?? null,
    shipping_carrier: evidence.shipping_carrier ?? null,
    shipping_tracking: evidence.shipping_tracking ?? null,
    shipped_at: evidence.shipped_at ?? null,
    refund_policy: evidence.refund_policy ?? null,
    notes: evidence.notes ?? null,
    files: (evidence.files ?? []).map((id) => encodeId("file", id)),
  };
}
