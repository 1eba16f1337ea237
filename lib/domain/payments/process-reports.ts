import { findOperation } from "@/db/queries/operations";
import { isDatabaseUnavailable } from "@/db/unavailable";
import type { Mode } from "@/lib/contract/transaction-words";
import { BEFORE_ALL } from "@/lib/ids";
import type { Report } from "@/lib/processor/port";
import type { Service } from "../context";
import { finishOperation } from "./finish-operation";
import { operationOf, SYSTEM } from "./operation";

const BATCH = 50;

/**
 * Takes in what the processor reports after the fact: an accepted refund that failed. A report comes again until it is
 * acknowledged, and is acknowledged after our books have it, so a crash in between changes nothing: some of each account, in
 * turn. Answers how many.
 */
export async function processReports(service: Service, stopping?: AbortSignal): Promise<number> {
  let processed = 0;
  for (const mode of ["test", "live"] as const) {
    for (let after: string | undefined = BEFORE_ALL; after !== undefined; ) {
      const reports: Report[] = (await service.processors.processorFor(mode)?.listReports(BATCH, after)) ?? [];
      for (const report of reports) {
        if (stopping?.aborted) return processed;
        if (await takeIn(service, mode, report)) processed++;
      }
      after = reports.length < BATCH ? undefined : reports.at(-1)?.account;
    }
  }
  return processed;
}

/** False: it will come again. */
async function takeIn(service: Service, mode: Mode, report: Report): Promise<boolean> {
  try {
    if (!(await reverseRefund(service, mode, report))) return false;
    await service.processors.processorFor(mode)?.acknowledgeReport(report.id);
    return true;
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    service.log.error({ err: error, report }, "a processor's report could not be taken in and will come again");
    return false;
  }
}

/** False: not now. The refund's acceptance is not in the books yet, so its failure has to wait for it. */
async function reverseRefund(service: Service, mode: Mode, report: Report): Promise<boolean> {
  const row = await findOperation(service.db.within(report.account).sql, report.account, report.reference);
  if (!row) {
    service.log.error({ report }, "the processor reports on an operation that is not ours");
    return true;
  }
  if (row.state === "open") return false;
  if (row.state !== "succeeded") return true;
  // It is Cardlane's own doing, and nothing is sent for it any more.
  const operation = operationOf({ ...row, mode, actor: SYSTEM, request_id: null, not_after: row.created_at }, null);
  const finished = await finishOperation(service, operation, { kind: "reversed" });
  return finished.kind === "finished";
}
