import { findEnvironment } from "@/db/queries/accounts/merchants";
import { REAL_TIME, readClock } from "@/db/queries/clock";
import { findOperation, hasVoid, makeDue, takeOperation } from "@/db/queries/payments/operations";
import { insertMarkEvent, lockPayment, reverseCapture } from "@/db/queries/payments/outcomes";
import { findOperationOfObject } from "@/db/queries/payments/processor-objects";
import { findConnectionOfPayment } from "@/db/queries/processors/connections";
import { type OperationRow, SYSTEM } from "@/db/schema/operations";
import type { PaymentRow } from "@/db/schema/payments";
import { isDatabaseUnavailable } from "@/db/unavailable";
import type { Mode } from "@/lib/contract/transactions/words";
import { BEFORE_ALL, newId } from "@/lib/ids";
import type { Inquiry, OperationReport, PulledReport, Report } from "@/lib/processor/port";
import type { Connected, Reporter } from "@/lib/processor/registry";
import { clockTime, type Service } from "../context";
import { type DisputeReport, recordDispute } from "../disputes/record-dispute";
import { newEvent, paymentData } from "../events/event";
import { storeLateCard } from "../payment-methods/late-stored-card";
import { processStoredCardReport } from "../payment-methods/stored-card-reports";
import type { Execution } from "./execute";
import { type Executed, finishOperation, getOperationPayment } from "./finish-operation";
import { continuePayment, voidLateApproval } from "./follow-up";
import { leaseOf, type OpenOperation, operationFromRow } from "./operation";
import { keepsReports, recordOutsideRefunds } from "./outside-refunds";
import { inquireProcessor } from "./processor-calls";
import { resolveOperation } from "./recover-operations";
import { hasEndedUnpaid } from "./states";

const BATCH = 50;

/**
 * Pulls and processes the built-in processors' reports, account by account in batches. A report is
 * acknowledged after its outcome is written, and redelivered until then, so a crash loses nothing. Returns
 * the number processed.
 */
export async function processReports(service: Service, stopping?: AbortSignal): Promise<number> {
  let processed = 0;
  for (const mode of ["test", "live"] as const) {
    const from = await service.processors.reporter(service.processors.builtIn(mode)?.name ?? "");
    if (from?.processor.reports.kind !== "pulled") continue;
    const { reports } = from.processor;
    for (let after: string | undefined = BEFORE_ALL; after !== undefined; ) {
      const listed: PulledReport[] = await reports.list(BATCH, after);
      for (const report of listed) {
        if (stopping?.aborted) return processed;
        if (!(await tryReport(service, from, report))) continue;
        await reports.acknowledge(report.id);
        processed++;
      }
      after = listed.length < BATCH ? undefined : listed.at(-1)?.account;
    }
  }
  return processed;
}

/**
 * Processes a report. False: it will be redelivered. A report that fails is logged and does not stop the
 * others.
 */
export async function tryReport(service: Service, from: Reporter, report: Report): Promise<boolean> {
  try {
    return await processReport(service, from, report);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    service.log.error({ err: error, report }, "a processor's report could not be processed and will be redelivered");
    return false;
  }
}

/**
 * Checks the status of a report's operation and writes the outcome. The report itself is not trusted; reports
 * may be duplicated, late or out of order. False: it has to be redelivered.
 */
export async function processReport(service: Service, from: Reporter, report: Report): Promise<boolean> {
  if ("storedCard" in report) {
    if (report.change !== "stored") return processStoredCardReport(service, from, report);
    const payment = await findReported(service, from, report);
    return payment === null || storeLateCard(service, from, payment, report.storedCard);
  }
  if (isAboutDispute(report)) return recordDispute(service, from, report);
  const row = await findReported(service, from, report);
  if ("outside" in report && report.outside) return row === null || processOutsideRefunds(service, from, row);
  if (!row) {
    service.log.error({ report }, "the processor reports on an operation that is not Cardlane's");
    return true;
  }
  if (row.state !== "open") return processEnded(service, from, row, report);
  if (!(await resolveReported(service, from, row, report))) return false;
  // A stored report is not redelivered, so it is applied immediately to an operation that has ended in the
  // meantime.
  const now = storesReports(from) ? await findReported(service, from, report) : null;
  return now === null || now.state === "open" || processEnded(service, from, now, report);
}

const isAboutDispute = (report: OperationReport): report is DisputeReport => report.dispute !== undefined;

/** The simulated processor of test mode, if there is one. */
async function simulated(service: Service) {
  const from = await service.processors.reporter(service.processors.builtIn("test")?.name ?? "");
  const reports = from?.processor.reports;
  return from && reports?.kind === "pulled" && reports.simulation ? { from, reports, ...reports.simulation } : null;
}

/** When the simulated processor acts next in an environment, later than `after`; null if never. */
export const nextActIn = async (service: Service, environmentId: string, after: string): Promise<string | null> =>
  (await simulated(service))?.nextAct(environmentId, after) ?? null;

/**
 * Does what the simulated processor has to do in an environment by the environment's time, which may be ahead,
 * and processes its reports. Returns the number processed.
 */
export async function actInEnvironment(service: Service, environmentId: string): Promise<number> {
  const found = await simulated(service);
  if (!found) return 0;
  const { from, reports, act } = found;
  const clock = await readClock(service.db.within(environmentId).sql, environmentId);
  let processed = 0;
  for (const report of await act(environmentId, clockTime(service.clock, clock))) {
    if (!(await tryReport(service, from, report))) continue;
    await reports.acknowledge(report.id);
    processed++;
  }
  return processed;
}

/**
 * Books refunds that were made at the processor. A stored report is never held back: that would delay the
 * report that ends the operation which blocks it, and that end books deferred refunds.
 */
async function processOutsideRefunds(service: Service, from: Reporter, row: OperationRow): Promise<boolean> {
  const at = { ...from, environmentId: row.environment_id, paymentId: row.payment_id };
  return (await recordOutsideRefunds(service, at)) || storesReports(from);
}

async function processEnded(
  service: Service,
  from: Reporter,
  row: OperationRow,
  report: OperationReport,
): Promise<boolean> {
  const authorizes = row.kind === "authorize" || row.kind === "continue";
  // A failed refund may have blocked the booking of an outside one.
  if (row.state !== "succeeded" && row.kind === "refund") return processOutsideRefunds(service, from, row);
  if (row.state !== "succeeded" && !authorizes) return true;
  // Reports of a challenged payment name its first operation, but a later one captured it.
  if (row.state !== "succeeded")
    return (await continueAfterChallenge(service, from, row, report)) && checkCapture(service, from, row);
  const returns = row.kind === "refund" || row.kind === "void";
  return returns ? checkReversedRefund(service, from, row) : checkCapture(service, from, row);
}

/** The processor's reports are stored here, so a redelivered one adds nothing. */
const storesReports = ({ processor }: Connected) => keepsReports(processor);

/**
 * Logs a report whose outcome is unknown. True: it is done, because a stored report whose outcome is final
 * would only block those behind it. False: it is redelivered.
 */
function leaveUnknown({ log }: Service, from: Connected, payment: string, outcome: Inquiry): boolean {
  const isDone = storesReports(from) && outcome.kind === "unknown" && outcome.final === true;
  const next = isDone ? "check it there" : "its report will be redelivered";
  log[isDone ? "error" : "warn"](
    { payment, reason: "reason" in outcome ? outcome.reason : outcome.kind },
    `a processor reports on a payment whose outcome it does not reveal: ${next}`,
  );
  return isDone;
}

/** A report's operation; null if there is none, or it is not at this processor. */
async function findReported(service: Service, from: Reporter, report: OperationReport): Promise<OperationRow | null> {
  const named =
    "object" in report
      ? await findOperationOfObject(service.db.sql, from.processor.name, report.object)
      : { environment_id: report.account, operation_id: report.reference };
  if (!named) return null;
  const { environment_id: environmentId, operation_id: id } = named;
  if (from.environmentId !== null && from.environmentId !== environmentId) return null;
  const { sql, orm } = service.db.within(environmentId);
  const environment = await findEnvironment(orm, environmentId);
  if (environment?.mode !== from.mode) return null;
  const row = await findOperation(sql, environmentId, id);
  const payment = row && (await findConnectionOfPayment(sql, environmentId, row.payment_id));
  return payment?.connection_id === from.connectionId ? row : null;
}

/**
 * Resolves a report's operation. False: another process holds it, or its outcome is still unknown. Of stored
 * reports only one that insists waits for that process; others are covered by its status check, or by
 * recovery's.
 */
async function resolveReported(
  service: Service,
  from: Connected,
  row: OperationRow,
  report: OperationReport | null,
): Promise<boolean> {
  const { environment_id: environmentId, id, kind, payment_id: paymentId } = row;
  const { sql } = service.db.within(environmentId);
  const taken = await takeOperation(sql, environmentId, id, leaseOf(service.processorTimeoutMs));
  const executed = taken && (await resolveOperation(service, taken));
  if (executed && isHandled(executed)) return true;
  if (report === null || !storesReports(from)) return false;
  if (executed?.kind === "pending") {
    const operation = { id, kind, environmentId, paymentId };
    const { payment } = await getOperationPayment(service, operation);
    const outcome = await inquireProcessor(service, from.processor, operation, payment.authorization_id);
    return leaveUnknown(service, from, paymentId, outcome);
  }
  if ("insists" in report && report.insists) return (await findOperation(sql, environmentId, id))?.state !== "open";
  return makeDue(sql, environmentId, id);
}

/** The outcome is written, or the processor has accepted the operation and reports again. */
const isHandled = (executed: Executed | Execution): boolean =>
  executed.kind === "finished" || (executed.kind === "pending" && executed.accepted);

/**
 * Continues a payment whose shopper passed or failed the challenge at the processor and may never return to
 * the form; a late approval is voided. True also if nothing is left to do. `report`: null if the shopper
 * returned.
 */
export async function continueAfterChallenge(
  service: Service,
  from: Connected,
  row: OperationRow,
  report: OperationReport | null,
): Promise<boolean> {
  const { processor, mode } = from;
  const { id, kind, environment_id: environmentId, payment_id: paymentId } = row;
  const operation = { id, kind, environmentId, paymentId };
  let { payment } = await getOperationPayment(service, operation);
  // The payment is being continued or abandoned, and that operation decides.
  if (payment.status === "PENDING") {
    if (!(await resolveInProgress(service, from, payment, report))) return false;
    payment = (await getOperationPayment(service, operation)).payment;
  }
  if (hasEndedUnpaid(payment.status)) return checkEnded(service, from, operation, payment);
  if (payment.status !== "REQUIRES_ACTION") return true;
  const outcome = await inquireProcessor(service, processor, operation, payment.authorization_id);
  if (outcome.kind === "action_required") return true;
  if (outcome.kind !== "approved" && outcome.kind !== "declined" && outcome.kind !== "pending")
    return report !== null && leaveUnknown(service, from, paymentId, outcome);
  const challenge = outcome.kind === "declined" ? "failed" : "passed";
  if (!isHandled(await continuePayment(service, { id: environmentId, mode }, paymentId, challenge))) return false;
  // An approval of another amount than requested ends the payment, and is voided.
  if (outcome.kind !== "declined" || !outcome.holds) return true;
  return checkEnded(service, from, operation, (await getOperationPayment(service, operation)).payment);
}

async function resolveInProgress(
  service: Service,
  from: Connected,
  payment: PaymentRow,
  report: OperationReport | null,
): Promise<boolean> {
  const { environment_id: environmentId, open_operation_id: id } = payment;
  const open = id && (await findOperation(service.db.within(environmentId).sql, environmentId, id));
  if (!open) return false;
  return open.state !== "open" || resolveReported(service, from, open, report);
}

/**
 * Voids a late approval: the shopper passed an abandoned challenge, or the processor approved after a
 * decline. If the void is refused, the job that expires payments retries it.
 */
async function checkEnded(
  service: Service,
  from: Connected,
  operation: Pick<OpenOperation, "id" | "kind" | "environmentId" | "paymentId">,
  payment: PaymentRow,
): Promise<boolean> {
  const { processor, mode } = from;
  const { environmentId, paymentId } = operation;
  if (!hasEndedUnpaid(payment.status)) return true;
  const outcome = await inquireProcessor(service, processor, operation, payment.authorization_id);
  if (outcome.kind === "unknown" || outcome.kind === "not_sent") return leaveUnknown(service, from, paymentId, outcome);
  if (!hasApproved(outcome)) return true;
  if (await hasVoid(service.db.within(environmentId).sql, environmentId, paymentId)) return true;
  const execution = await voidLateApproval(service, { id: environmentId, mode }, payment);
  if (execution.kind === "refused" || execution.kind === "unclaimed") return false;
  const about = { payment: paymentId, operation: execution.operation.id };
  service.log.error(about, "a processor approved a payment after it had ended here: the approval is being reversed");
  return true;
}

/** The processor approved the payment, possibly with another amount. */
const hasApproved = (outcome: Inquiry): boolean =>
  outcome.kind === "approved" || (outcome.kind === "declined" && outcome.holds === true);

/** Reverses an accepted refund that was returned. The void of a late approval may be a refund, too. */
async function checkReversedRefund(service: Service, from: Reporter, row: OperationRow): Promise<boolean> {
  const { processor, mode } = from;
  // No request waits for the response, and no further call is sent.
  const operation = operationFromRow(
    { ...row, ...REAL_TIME, mode, actor: SYSTEM, request_id: null, not_after: row.created_at },
    null,
  );
  const snapshot = await getOperationPayment(service, operation);
  if (row.kind === "void" && !hasEndedUnpaid(snapshot.payment.status)) return true;
  const outcome = await inquireProcessor(service, processor, operation, snapshot.payment.authorization_id);
  if (outcome.kind === "approved") return true;
  if (outcome.kind !== "declined") return leaveUnknown(service, from, operation.paymentId, outcome);
  const reversed = await finishOperation(service, operation, { kind: "reversed" }, snapshot);
  return reversed.kind === "finished" && (row.kind === "void" || processOutsideRefunds(service, from, row));
}

/**
 * A card network can reject an accepted capture days later. The contract has no transition back from
 * CAPTURED, and the money may be paid out already, so nothing is booked: the payment is marked, which blocks
 * refunds, with one event.
 */
async function checkCapture(service: Service, from: Reporter, row: OperationRow): Promise<boolean> {
  const { id, kind, environment_id: environmentId, payment_id: paymentId } = row;
  const operation = { id, kind, environmentId, paymentId };
  const { payment } = await getOperationPayment(service, operation);
  const isHeld = payment.status === "AUTHORIZED" && storesReports(from);
  if (payment.amount_captured === 0 && !isHeld) return true;
  const outcome = await inquireProcessor(service, from.processor, operation, payment.authorization_id);
  if (outcome.kind === "unknown" || outcome.kind === "not_sent") return leaveUnknown(service, from, paymentId, outcome);
  if (outcome.kind === "declined" && outcome.holds) {
    service.log.error(
      { operation: id, payment: paymentId },
      "a processor approved an amount that differs from the booked one",
    );
    return true;
  }
  const isReturned = outcome.kind === "declined" || (outcome.kind === "approved" && outcome.captured === false);
  if (!isReturned || isHeld) return true;
  if (await markReversed(service, from.mode, operation))
    service.log.error({ operation: id, payment: paymentId }, "a booked capture failed at the processor later");
  return true;
}

/** Marks a payment as reversed. False: it is marked already. */
function markReversed(
  service: Service,
  mode: Mode,
  operation: Pick<OpenOperation, "id" | "environmentId" | "paymentId">,
): Promise<boolean> {
  const { environmentId, paymentId } = operation;
  return service.db.within(environmentId).sql.begin(async (tx) => {
    await lockPayment(tx, environmentId, null, paymentId);
    const before = await getOperationPayment(service, operation, tx);
    if (before.payment.capture_reversed_at !== null) return false;
    const event_sequence = before.payment.event_sequence + 1;
    const at = await reverseCapture(tx, environmentId, paymentId);
    const payment = { ...before.payment, event_sequence, capture_reversed_at: at, updated_at: at };
    const data = paymentData(before, { ...before, payment }, mode);
    const event = newEvent("payment.capture_reversed", { objectId: paymentId, operationId: null }, data, at);
    const audit = { id: newId(), actor: SYSTEM };
    await insertMarkEvent(tx, environmentId, { ...event, sequence: event_sequence }, audit);
    return true;
  });
}
