import { AppError } from "@/lib/contract/errors";
import { processReport } from "@/lib/domain/payments/process-reports";
import { noteMessageOf, reporterAt } from "@/lib/domain/processors/reports";
import { type PushedReports, type Report, type ReportMessage, UnreadableReportError } from "@/lib/processor/port";
import { currentService } from "./current-service";
import { readBody } from "./parse";
import { failureResponse, infoOf } from "./pipeline";
import { toResponse } from "./response";

/** Several events together, or one with everything that an invoice can carry, stay below it. */
const MAX_MESSAGE_BYTES = 256 * 1_024;

/**
 * Handles a processor's webhook. 200 with the body that the processor expects, or 204, once all of it is
 * booked. After any other status the processor retries: 404 for an unknown connection, 400 for a message that
 * is not authentic, 409 while the outcome is unknown. `connection`: null for a built-in processor.
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
    const { reports } = from.processor;
    const message = { headers: request.headers, body: await readBody(request, MAX_MESSAGE_BYTES) };
    const { reports: read, refused } = await readMessage(reports, message);
    if (!refused && (reports.isAuthentic?.(message) ?? true)) await noteMessageOf(service, from);
    for (const report of read) {
      if (await processReport(service, from, report)) continue;
      throw new AppError("outcome_pending", "The outcome is not known yet. Send the report again later.");
    }
    if (refused) throw unreadable(refused);
    if (from.accepted === null) return new Response(null, { status: 204 });
    return new Response(from.accepted, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
  } catch (error) {
    return toResponse(failureResponse(error, infoOf(request)));
  }
}

/** A refused message may also contain reports that can be read. */
async function readMessage(
  reports: PushedReports,
  message: ReportMessage,
): Promise<{ reports: readonly Report[]; refused: UnreadableReportError | null }> {
  try {
    return { reports: await reports.read(message), refused: null };
  } catch (error) {
    if (!(error instanceof UnreadableReportError)) throw error;
    return { reports: error.reports, refused: error };
  }
}

function unreadable(error: UnreadableReportError): AppError {
  return new AppError("invalid_parameter", `The message is not a report: ${error.message}`);
}
