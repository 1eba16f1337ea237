import { BODY_ERRORS, endpoint, IDEMPOTENCY_ERRORS, QUERY_ERRORS } from "@/lib/contract/endpoint";
import { createReportBody, listReportsQuery, report, reportList } from "./report";

export const createReport = endpoint({
  name: "createReport",
  method: "POST",
  path: "/v1/reports",
  tag: "Reports",
  summary: "Create a report",
  description:
    "Adds up days of the ledger. Poll the report until it is `READY`, then download `file_url`. For days that are over, the same request always gives the same file, byte for byte, except for `disputes`, whose status changes later: a report made within 90 seconds of its last day’s end is ready after them. Files download one at a time, and like exports of the dashboard at most 20 in quick succession, then one a minute.",
  permissions: ["report.read"],
  idempotency: "optional",
  body: createReportBody,
  status: 202,
  response: report,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS],
});

export const listReports = endpoint({
  name: "listReports",
  list: true,
  method: "GET",
  path: "/v1/reports",
  tag: "Reports",
  summary: "List reports",
  description: "Newest first.",
  permissions: ["report.read"],
  idempotency: "none",
  query: listReportsQuery,
  status: 200,
  response: reportList,
  errors: QUERY_ERRORS,
});

export const getReport = endpoint({
  name: "getReport",
  method: "GET",
  path: "/v1/reports/{id}",
  tag: "Reports",
  summary: "Get a report",
  description: "One report, with a new address of its file.",
  permissions: ["report.read"],
  idempotency: "none",
  status: 200,
  response: report,
  errors: ["resource_not_found"],
});
