import { AppError } from "@/lib/contract/errors";
import { REPORT_WORDS } from "@/lib/contract/reports/report-types";
import { openReport } from "@/lib/domain/reports/read-report";
import { findReportFile, type ReportFile, subjectOf } from "@/lib/domain/reports/reports";
import { currentService } from "./current-service";
import { acquireExportSlot, exportStream, type FileStyle } from "./export";
import { failureResponse, headersOf, infoOf } from "./pipeline";
import { reportColumns } from "./report-export";
import { toResponse } from "./response";
import { FILE_TYPES, sheetParts } from "./spreadsheet";

/** Streams a report's file to anyone who has its address. Takes one of the merchant's export slots. */
export async function reportFileRoute(request: Request, token: string): Promise<Response> {
  const { service } = currentService();
  const info = infoOf(request);
  const headers = headersOf(info);
  let release = () => {};
  try {
    const { record, environment } = await requireFile(token);
    const { format, locale, time_zone: timeZone } = record;
    const style: FileStyle = { format, locale, timeZone };
    const { type, extension } = FILE_TYPES[format];
    const name = `report-${record.type}-${environment.mode}-${record.from_day}-${record.to_day}.${extension}`;
    const fileHeaders = {
      ...headers,
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="${name}"`,
      "X-Total-Count": String(record.rows ?? 0),
    };
    if (request.method === "HEAD") return new Response(null, { headers: fileHeaders });
    const slot = await acquireExportSlot(environment.merchantId, { mode: environment.mode, gone: request.signal });
    release = slot.release;
    const opened = await openReport({ service, environment }, subjectOf(record));
    const title = REPORT_WORDS[record.type].label;
    const body = exportStream({
      parts: sheetParts(opened.batches, reportColumns(record.type, style), { ...style, title }),
      signal: AbortSignal.any([request.signal, slot.signal]),
      sent: slot.note,
      close: () => void opened.close().finally(release),
      failed: (error) => service.log.error({ err: error, request_id: headers["X-Request-Id"] }, "an export failed"),
    });
    return new Response(body, { headers: { ...fileHeaders, "X-Total-Count": String(opened.total) } });
  } catch (thrown) {
    release();
    return toResponse(failureResponse(thrown, info, headers));
  }
}

async function requireFile(token: string): Promise<ReportFile> {
  const file = await findReportFile(currentService().service, token);
  if (file && !file.isOver) return file;
  throw new AppError(
    "resource_not_found",
    file ? "This address has ended. Get the report again for a new file_url." : "There is no such file.",
  );
}
