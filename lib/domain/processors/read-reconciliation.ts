import type { Sql } from "@/db/client";
import {
  type ConnectionToCompare,
  findOwnConnection,
  findRun,
  type ListedRunRow,
  listLastRuns,
  listRuns,
} from "@/db/queries/processors/reconciliation";
import { decodeId, encodeId } from "@/lib/contract/ids";
import {
  hasEnded,
  type OwnReconciliationView,
  type ReconciliationSummary,
  type ReconciliationView,
  RUNS_SHOWN,
} from "@/lib/contract/processors/reconciliation";
import { type Context, resourceNotFound, type Service } from "../context";
import { isComparable, labelOf } from "./reconciliation";

/** Ids from the URL: `con_…` and `rec_…`; without a run, the newest finished one. */
export type ReconciliationQuery = { readonly connection: string; readonly run?: string | undefined };

/** A connection's comparisons. Throws `resource_not_found` for unknown and foreign ids alike. */
export async function getReconciliation(ctx: Context, input: ReconciliationQuery): Promise<OwnReconciliationView> {
  const { service, environment } = ctx;
  const { sql } = service.db.within(environment.id);
  const id = decodeId("connection", input.connection);
  const connection = id && (await findOwnConnection(sql, environment.id, id));
  if (!connection) throw resourceNotFound("connection", input.connection);
  const view = await reconciliationView(service, sql, connection, input);
  return { ...view, comparable: isComparable(service, connection) };
}

/** View of a connection that the caller may see; `sql` must have the same scope. */
export async function reconciliationView(
  service: Pick<Service, "connectors">,
  sql: Sql,
  connection: ConnectionToCompare,
  { run }: ReconciliationQuery,
): Promise<ReconciliationView> {
  const { id, environment_id: environmentId } = connection;
  const runs = await listRuns(sql, environmentId, id, RUNS_SHOWN);
  const chosen = run === undefined ? runs.find(hasEnded)?.id : decodeId("reconciliation", run);
  const [last] = await listLastRuns(sql, [id]);
  const shown = chosen == null ? null : await findRun(sql, environmentId, id, chosen);
  if (run !== undefined && !shown) throw resourceNotFound("comparison", run);
  return {
    label: labelOf(service, connection),
    connection_id: encodeId("connection", id),
    standing: last?.difference_count ?? 0,
    runs: runs.map(summaryOf),
    shown: shown && { ...summaryOf(shown), differences: shown.differences },
  };
}

function summaryOf(row: ListedRunRow): ReconciliationSummary {
  const { since, until, payments, refunds, under_way, difference_count, unchecked, failure } = row;
  const { night, requested_at, state } = row;
  return {
    id: encodeId("reconciliation", row.id),
    state,
    since,
    until,
    reason: night !== null ? "night" : requested_at !== null ? "request" : "command",
    payments,
    refunds,
    under_way,
    difference_count,
    unchecked,
    failure,
    started_at: row.started_at,
    finished_at: row.finished_at,
  };
}
