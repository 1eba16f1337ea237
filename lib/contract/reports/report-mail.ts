import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { REPORT_INTERVALS, REPORT_TYPES } from "./report-types";

/** Chooses how often the user gets a report by mail; null: never. */
export const updateReportMail = dashboardEndpoint({
  name: "updateReportMail",
  method: "POST",
  path: "/api/dashboard/{mode}/report-mails",
  permission: "report.read",
  body: z.strictObject({ type: z.enum(REPORT_TYPES), every: z.enum(REPORT_INTERVALS).nullable() }),
  status: 200,
  response: z.object({ every: z.enum(REPORT_INTERVALS).nullable() }),
});

/** Stops a mailed report with the link in the mail, without a sign-in. */
export const stopReportMail = dashboardEndpoint({
  name: "stopReportMail",
  method: "POST",
  path: "/api/stop-report-mails",
  permission: null,
  body: z.strictObject({ token: z.string().min(1).max(200) }),
  status: 200,
  response: z.object({ type: z.enum(REPORT_TYPES) }),
});
