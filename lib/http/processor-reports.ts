import { AppError } from "@/lib/contract/errors";
import { takeInReport } from "@/lib/domain/payments/process-reports";
import { UnreadableReportError } from "@/lib/processor/port";
import { toResponse } from "./answer";
import { currentService } from "./current-service";
import { readBody } from "./parse";
import { answerFailure, infoOf } from "./pipeline";

const MAX_MESSAGE_BYTES = 64 * 1_024;

/**
 * Takes in what a processor reports by itself. 204 once our books have all of it; anything else, and the processor sends it
 * again: 404 for a processor that is not configured or reports otherwise, 400 for a message that it cannot have sent, 409
 * while the outcome is not known yet.
 */
export async function receiveReports(request: Request, name: string): Promise<Response> {
  const { service } = currentService();
  try {
    const from = service.processors.named(name);
    if (from?.processor.reports.kind !== "pushed") {
      throw new AppError("resource_not_found", "No processor reports to this address.");
    }
    const body = await readBody(request, MAX_MESSAGE_BYTES);
    for (const report of await from.processor.reports.read({ headers: request.headers, body })) {
      if (await takeInReport(service, from, report)) continue;
      throw new AppError("outcome_pending", "The outcome is not known yet. Send the report again later.");
    }
    return new Response(null, { status: 204 });
  } catch (thrown) {
    const error = thrown instanceof UnreadableReportError ? unreadable(thrown) : thrown;
    return toResponse(answerFailure(error, infoOf(request)));
  }
}

function unreadable(error: UnreadableReportError): AppError {
  return new AppError("invalid_parameter", `The message is not a report: ${error.message}`);
}
