import { AppError } from "@/lib/contract/errors";
import { takeInReport } from "@/lib/domain/payments/process-reports";
import { noteMessageOf, reporterAt } from "@/lib/domain/processors/reports";
import { UnreadableReportError } from "@/lib/processor/port";
import { toResponse } from "./answer";
import { currentService } from "./current-service";
import { readBody } from "./parse";
import { answerFailure, infoOf } from "./pipeline";

/** Several events at once, or one with all that an invoice can carry, are still below it. */
const MAX_MESSAGE_BYTES = 256 * 1_024;

/**
 * Takes in what a processor reports by itself. 200 with what the processor wants to read, or 204, once our books have all of it;
 * anything else, and the processor sends it again: 404 for one that is not connected or reports otherwise, 400 for a message
 * that it cannot have sent, 409 while the outcome is not known yet. `connection`: null for one that is built in.
 */
export async function receiveReports(
  request: Request,
  address: { processor: string; connection: string | null },
): Promise<Response> {
  const { service } = currentService();
  try {
    const from = await reporterAt(service, address);
    if (from?.processor.reports.kind !== "pushed") {
      throw new AppError("resource_not_found", "No processor reports to this address.");
    }
    const body = await readBody(request, MAX_MESSAGE_BYTES);
    const reports = await from.processor.reports.read({ headers: request.headers, body });
    await noteMessageOf(service, from);
    for (const report of reports) {
      if (await takeInReport(service, from, report)) continue;
      throw new AppError("outcome_pending", "The outcome is not known yet. Send the report again later.");
    }
    if (from.accepted === null) return new Response(null, { status: 204 });
    return new Response(from.accepted, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
  } catch (thrown) {
    const error = thrown instanceof UnreadableReportError ? unreadable(thrown) : thrown;
    return toResponse(answerFailure(error, infoOf(request)));
  }
}

function unreadable(error: UnreadableReportError): AppError {
  return new AppError("invalid_parameter", `The message is not a report: ${error.message}`);
}
