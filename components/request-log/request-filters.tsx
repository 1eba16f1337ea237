import { PageFilters } from "@/components/lists/page-filters";
import type { FilterOptions } from "@/lib/client/lists/filter-chips";
import { ERROR_CODES } from "@/lib/contract/errors";
import { type FilterRows, oneOfRow } from "@/lib/contract/lists/filters";
import type { RequestsQuery } from "@/lib/contract/request-log/requests";
import { type DatePreset, formatTimes } from "@/lib/contract/transactions/time-range";

const STATUSES = {
  "2xx": "Succeeded (2xx)",
  errors: "All errors",
  "4xx": "Refused (4xx)",
  "5xx": "Failed (5xx)",
  ...Object.fromEntries(["400", "401", "402", "403", "404", "409", "422", "429"].map((status) => [status, status])),
};

const ROWS: FilterRows = [
  ["q", { kind: "text", max: 1_000, param: "q", label: "Search", form: "Search" }],
  oneOfRow(
    "status",
    "Status",
    ["2xx", "errors", "4xx", "5xx", ...Object.keys(STATUSES).filter((key) => /^4\d\d$/.test(key))],
    STATUSES,
  ),
  oneOfRow("method", "Method", ["GET", "POST", "PATCH", "DELETE"], {
    GET: "GET",
    POST: "POST",
    PATCH: "PATCH",
    DELETE: "DELETE",
  }),
  ["created_at", { kind: "times", param: "created", label: "Time", form: "Time" }],
  ["endpoint", { kind: "text", max: 60, param: "endpoint", label: "Endpoint", form: "More" }],
  ["caller", { kind: "text", max: 40, param: "caller", label: "API key", form: "More" }],
  ["code", { kind: "text", max: 60, param: "code", label: "Error code", form: "More" }],
];

type Options = FilterOptions[string];
type RequestFiltersProps = {
  path: string;
  query: RequestsQuery;
  /** The preset that the query's days come from. */
  preset: DatePreset | null;
  endpoints: Options;
  keys: Options;
};

export function RequestFilters({ path, query, preset, endpoints, keys }: RequestFiltersProps) {
  const { from = null, to = null, ...values } = query;
  const created = preset ?? (from === null && to === null ? undefined : formatTimes({ from, to }));
  return (
    <PageFilters
      path={path}
      what="requests"
      rows={ROWS}
      values={{ ...values, created }}
      search={{ placeholder: "req_…, pay_…, /v1/payments or an idempotency key", maxLength: 1_000 }}
      options={{ endpoint: endpoints, caller: keys, code: ERROR_CODES.map((code) => ({ value: code, label: code })) }}
    />
  );
}
