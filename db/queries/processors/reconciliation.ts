import postgres from "postgres";
import type { Sql, Transaction } from "@/db/client";
import type { ReconciliationRunRow } from "@/db/schema/reconciliation";
import type { ConnectionStatus } from "@/lib/contract/processors/connection";
import { type Findings, type ReconciliationState, RUNS_SHOWN } from "@/lib/contract/processors/reconciliation";
import type { Mode } from "@/lib/contract/transactions/words";

/** A merchant's connection, or an account that the operator configured. */
export type ConnectionToCompare = {
  readonly id: string;
  /** Null for the operator's. */
  readonly environment_id: string | null;
  /** Key of its connector. */
  readonly processor: string;
  /** The merchant's own label; for the operator's, the account. */
  readonly label: string;
};

const CONNECTIONS = `
  select id, environment_id, processor, label from processor_connections where status = 'CONNECTED'
  union all
  select id, null, processor, account from operator_connections`;

/** All connected accounts of all merchants, without a limit. */
export async function listConnectionsToCompare(sql: Sql | Transaction): Promise<ConnectionToCompare[]> {
  return sql<ConnectionToCompare[]>`${sql.unsafe(CONNECTIONS)} order by id`;
}

/** A connection in any status; null for an unknown id. By its key. */
export async function findConnectionToCompare(
  sql: Sql,
  id: string,
): Promise<(ConnectionToCompare & { merchant_id: string | null }) | null> {
  const [row] = await sql<(ConnectionToCompare & { merchant_id: string | null })[]>`
    select c.id, c.environment_id, c.processor, c.label, e.merchant_id
    from processor_connections c join environments e on e.id = c.environment_id where c.id = ${id}::uuid
    union all
    select id, null, processor, account, null from operator_connections where id = ${id}::uuid`;
  return row ?? null;
}

/** The same within a merchant's environment. By its key. */
export async function findOwnConnection(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<(ConnectionToCompare & { status: ConnectionStatus }) | null> {
  const [row] = await sql<(ConnectionToCompare & { status: ConnectionStatus })[]>`
    select id, environment_id, processor, label, status from processor_connections
    where environment_id = ${environmentId}::uuid and id = ${id}::uuid`;
  return row ?? null;
}

/**
 * Environments with payments of the operator's connection. Index: `payments_connection`, one lookup per
 * environment.
 */
export async function listEnvironmentsOfConnection(sql: Sql, connectionId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select e.id from environments e
    where e.mode = 'live' and exists (
      select from payments p where p.environment_id = e.id and p.connection_id = ${connectionId}::uuid)
    order by e.id`;
  return rows.map(({ id }) => id);
}

type NewRun = Pick<ReconciliationRunRow, "id" | "environment_id" | "connection_id" | "night" | "since" | "until">;

/**
 * A comparison as claimed by one process: `started_at` distinguishes it from a later claim of the same run.
 */
export type ClaimedRun = Pick<ReconciliationRunRow, "id" | "started_at">;

/**
 * Starts a comparison. For a scheduled one, null while another process runs it or once it is done: a run that
 * began two hours ago without ending, or failed an hour ago, is restarted under its id.
 */
export async function startRun(sql: Sql, run: NewRun): Promise<ClaimedRun | null> {
  const [row] = await sql<ClaimedRun[]>`
    insert into reconciliation_runs as r (environment_id, id, connection_id, night, state, since, until, started_at)
    values (${run.environment_id}::uuid, ${run.id}::uuid, ${run.connection_id}::uuid, ${run.night}::date, 'running',
      ${run.since}::timestamptz, ${run.until}::timestamptz, now())
    on conflict (connection_id, night) where night is not null do update
      set state = 'running', started_at = now(), finished_at = null, failure = null
      where (r.state = 'running' and r.started_at < now() - interval '2 hours')
        or (r.state = 'failed' and r.started_at < now() - interval '1 hour')
    returning id, started_at`;
  return row ?? null;
}

/** Requests a comparison, or changes the one already pending. Returns its id. */
export async function requestRun(sql: Sql, run: Omit<NewRun, "night">): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    insert into reconciliation_runs (environment_id, id, connection_id, state, since, until, requested_at, started_at)
    values (${run.environment_id}::uuid, ${run.id}::uuid, ${run.connection_id}::uuid, 'requested',
      ${run.since}::timestamptz, ${run.until}::timestamptz, now(), now())
    on conflict (connection_id) where state = 'requested' do update set since = excluded.since, until = excluded.until
    returning id`;
  return (row as { id: string }).id;
}

/** Number of requests within the last hour and day. Index: `reconciliation_runs_requests`. */
export async function countRecentRequests(sql: Sql, connectionId: string): Promise<{ hour: number; day: number }> {
  const [row] = await sql<[{ hour: number; day: number }]>`
    select count(*) filter (where requested_at > now() - interval '1 hour')::int as hour, count(*)::int as day
    from reconciliation_runs
    where connection_id = ${connectionId}::uuid and requested_at > now() - interval '1 day'`;
  return row;
}

/** A requested comparison, for the process that runs it. */
export type RequestedRun = ClaimedRun & {
  readonly connection_id: string;
  readonly since: Date;
  readonly until: Date;
};

/** A requested run that is pending, or began two hours ago without ending; and one that is running. */
const IS_PENDING =
  "(state = 'requested' or (requested_at is not null and state = 'running' and started_at < now() - interval '2 hours'))";
const IS_RUNNING = "(requested_at is not null and state = 'running' and started_at >= now() - interval '2 hours')";

/**
 * Claims a pending run, or one that began two hours ago without ending; null if there is none. Environments
 * alternate, so that a merchant with many connections does not delay the others. Indexes:
 * `reconciliation_runs_requested`, `reconciliation_runs_taken`.
 */
export async function takeRequestedRun(sql: Sql): Promise<RequestedRun | null> {
  const [row] = await sql<(ClaimedRun & { connection_id: string; since: string; until: string })[]>`
    update reconciliation_runs set state = 'running', started_at = now()
    where id = (
      select r.id from reconciliation_runs r
      join (
        select id, row_number() over (
          partition by environment_id order by ${sql.unsafe(IS_RUNNING)} desc, started_at, id) as turn
        from reconciliation_runs where ${sql.unsafe(IS_PENDING)} or ${sql.unsafe(IS_RUNNING)}
      ) queue on queue.id = r.id
      where ${sql.unsafe(IS_PENDING)}
      order by queue.turn, r.started_at, r.id limit 1 for update of r skip locked)
    returning id, started_at, connection_id, since, until`;
  return row ? { ...row, since: new Date(row.since), until: new Date(row.until) } : null;
}

/**
 * Returns a claimed run to the queue. False if its connection already has another pending run, or another
 * process has restarted this one.
 */
export async function releaseRun(sql: Sql, { id, started_at }: ClaimedRun): Promise<boolean> {
  try {
    const rows = await sql`
      update reconciliation_runs r set state = 'requested'
      where id = ${id}::uuid and state = 'running' and started_at = ${started_at}::timestamptz and requested_at is not null
        and not exists (
          select from reconciliation_runs w where w.connection_id = r.connection_id and w.state = 'requested')
      returning 1`;
    return rows.length > 0;
  } catch (error) {
    // It was requested again between the check and the update.
    if (error instanceof postgres.PostgresError && error.constraint_name === "reconciliation_runs_requested")
      return false;
    throw error;
  }
}

/**
 * SQL condition: a comparison after `r` covered that time. One that had nothing to compare covered nothing.
 */
const isRechecked = (since: string, until: string) => `exists (
  select from reconciliation_runs later
  where later.connection_id = r.connection_id and later.state = 'done' and later.id > r.id
    and later.since <= ${since} and later.until > ${until}
    and (later.payments + later.refunds + later.difference_count > 0 or later.unchecked = '[]'))`;

/** Creation time of a difference `d`. */
const AT = "(d->>'at')::timestamp(3) with time zone";

/**
 * Stores a comparison's result, unless another process has restarted it. Differences in earlier runs that it
 * rechecked are closed. The number still open is stored for pages, because counting would take longer with
 * every run.
 */
export async function endRun(
  sql: Sql,
  { id, started_at }: ClaimedRun,
  end: Findings | { readonly failure: string },
): Promise<void> {
  const still = sql`id = ${id}::uuid and state = 'running' and started_at = ${started_at}::timestamptz`;
  if ("failure" in end) {
    await sql`update reconciliation_runs set state = 'failed', failure = ${end.failure}, finished_at = now() where ${still}`;
    return;
  }
  const hasCompared = end.payments + end.refunds + end.difference_count > 0 || end.unchecked.length === 0;
  const beyond = end.difference_count - end.differences.length;
  await sql.begin(async (tx) => {
    // If two runs end concurrently, the second sees the first's findings.
    await tx`select pg_advisory_xact_lock(hashtextextended('reconciliation ' || connection_id, 0))
      from reconciliation_runs where id = ${id}::uuid`;
    const [ended] = await tx<{ connection_id: string; since: string; until: string }[]>`
      update reconciliation_runs set state = 'done', finished_at = clock_timestamp(), payments = ${end.payments}::int,
        refunds = ${end.refunds}::int, under_way = ${end.under_way}::int, difference_count = ${end.difference_count}::int,
        unchecked = ${end.unchecked as never}::jsonb, differences = found.differences, standing_at = found.standing_at,
        standing = cardinality(found.standing_at) + found.beyond
      from (
        select given.differences, array(
            select ${tx.unsafe(AT)} from jsonb_array_elements(given.differences) d where not ${tx.unsafe(isRechecked(AT, AT))}
          ) as standing_at,
          case when ${tx.unsafe(isRechecked("r.since", "r.until - interval '1 ms'"))} then 0 else ${beyond}::int end as beyond
        from reconciliation_runs r, (select ${end.differences as never}::jsonb) given(differences) where r.id = ${id}::uuid
      ) found
      where ${still} returning connection_id, since, until`;
    if (!ended) return;
    const changed = hasCompared ? await closeRechecked(tx, { id, ...ended }) : [];
    await trimOldRuns(tx, ended.connection_id, changed);
    await tx`
      update reconciliation_runs r set standing_in_all = (
        select coalesce(sum(standing), 0) from reconciliation_runs
        where connection_id = r.connection_id and state = 'done' and standing > 0)
      where id = ${id}::uuid`;
  });
}

/**
 * Closes the differences of earlier runs that this one rechecked; returns the ids of those runs. Index:
 * `reconciliation_runs_standing`.
 */
async function closeRechecked(
  tx: Transaction,
  { id, connection_id, since, until }: { id: string; connection_id: string; since: string; until: string },
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    update reconciliation_runs r set standing_at = s.standing_at, standing = cardinality(s.standing_at) + s.beyond
    from (
      select e.id, e.standing, array(
          select at from unnest(e.standing_at) at where at < ${since}::timestamptz or at >= ${until}::timestamptz) as standing_at,
        case when e.since >= ${since}::timestamptz and e.until <= ${until}::timestamptz then 0
          else e.standing - cardinality(e.standing_at) end as beyond
      from reconciliation_runs e
      where e.connection_id = ${connection_id}::uuid and e.standing > 0 and e.state = 'done' and e.id < ${id}::uuid
    ) s
    where r.id = s.id and cardinality(s.standing_at) + s.beyond < s.standing
    returning r.id`;
  return rows.map((row) => row.id);
}

/** Requested runs keep all their findings while lists show them. */
const UNTRIMMED_RUNS = RUNS_SHOWN;
/** Few runs become old between two comparisons. */
const TRIM_BATCH = 10;

/** Older requested runs keep only open differences; applies to `changed` and to runs that became old. */
async function trimOldRuns(tx: Transaction, connectionId: string, changed: readonly string[]): Promise<void> {
  const old = (limit: number) => tx`
    select id from reconciliation_runs where connection_id = ${connectionId}::uuid and state = 'done'
    order by id desc limit ${limit}::int offset ${UNTRIMMED_RUNS}::int`;
  await tx`
    update reconciliation_runs r set differences = (
      select coalesce(jsonb_agg(d order by place), '[]') from jsonb_array_elements(r.differences) with ordinality of(d, place)
      where ${tx.unsafe(AT)} = any(r.standing_at))
    where id = any(${changed}::uuid[] || array(${old(TRIM_BATCH)})) and id <= (${old(1)})
      and requested_at is not null and jsonb_array_length(differences) > cardinality(standing_at)`;
}

/** A run as shown in lists: without its differences, which may be a thousand. */
export type ListedRunRow = Omit<ReconciliationRunRow, "differences" | "standing_at" | "standing" | "standing_in_all">;
const LISTED = `id, environment_id, connection_id, night, requested_at, state, since, until, payments, refunds, under_way,
  difference_count, unchecked, failure, started_at, finished_at`;

/**
 * A connection's comparisons, newest first; environment null = the operator's. Index:
 * `reconciliation_runs_connection`.
 */
export async function listRuns(
  sql: Sql,
  environmentId: string | null,
  connectionId: string,
  limit: number,
): Promise<ListedRunRow[]> {
  return sql<ListedRunRow[]>`
    select ${sql.unsafe(LISTED)} from reconciliation_runs
    where connection_id = ${connectionId}::uuid and environment_id is not distinct from ${environmentId}::uuid
    order by id desc limit ${limit}::int`;
}

type FoundRunRow = ListedRunRow & Pick<ReconciliationRunRow, "differences">;

/** By its key. */
export async function findRun(
  sql: Sql,
  environmentId: string | null,
  connectionId: string,
  id: string,
): Promise<FoundRunRow | null> {
  const [row] = await sql<FoundRunRow[]>`
    select ${sql.unsafe(LISTED)}, differences from reconciliation_runs where id = ${id}::uuid and connection_id = ${connectionId}::uuid
      and environment_id is not distinct from ${environmentId}::uuid`;
  return row ?? null;
}

/**
 * For a connection `c`: the time up to which it is compared, and the open differences according to the run
 * that ended last. Indexes: `reconciliation_runs_until`, `reconciliation_runs_ended`.
 */
const OPEN_DIFFERENCES = `
  select (select max(until) from reconciliation_runs where connection_id = c.id and state = 'done') as until,
    coalesce((
      select standing_in_all from reconciliation_runs where connection_id = c.id and state = 'done'
      order by finished_at desc, id desc limit 1), 0) as standing`;

/** A connection with its merchant, for support staff; the operator's has none. */
export type SupportConnectionRow = ConnectionToCompare & {
  readonly mode: Mode;
  readonly merchant_id: string | null;
  readonly merchant_name: string | null;
  readonly last_state: ReconciliationState | null;
  readonly last_until: string | null;
  readonly difference_count: number | null;
  readonly unchecked: string[] | null;
};

/** All connections with their last comparison, those with differences first. */
export async function listSupportConnections(sql: Sql, limit: number): Promise<SupportConnectionRow[]> {
  return sql<SupportConnectionRow[]>`
    select c.id, c.environment_id, c.processor, c.label, coalesce(e.mode, 'live') as mode, m.id as merchant_id,
      m.name as merchant_name, r.state as last_state, r.until as last_until,
      coalesce(s.standing, 0) as difference_count, r.unchecked
    from (${sql.unsafe(CONNECTIONS)}) c
    left join environments e on e.id = c.environment_id
    left join merchants m on m.id = e.merchant_id
    left join lateral (
      select * from reconciliation_runs where connection_id = c.id and state in ('done', 'failed') order by id desc limit 1
    ) r on true
    left join lateral (${sql.unsafe(OPEN_DIFFERENCES)}) s on true
    order by coalesce(s.standing, 0) > 0 desc, r.state = 'failed' desc nulls last, m.name, c.id
    limit ${limit}::int`;
}

/**
 * A connection's comparison status: compared up to `until`, `old` if that is over 36 hours ago, the number of
 * open differences, and the last run that ended.
 */
export type LastRun = Pick<
  ReconciliationRunRow,
  "connection_id" | "state" | "payments" | "refunds" | "difference_count" | "unchecked"
> & {
  readonly until: string | null;
  readonly failure: string | null;
  readonly old: boolean;
};

/** The status of each given connection that was ever compared. */
export async function listLastRuns(sql: Sql, connectionIds: readonly string[]): Promise<LastRun[]> {
  return sql<LastRun[]>`
    select r.connection_id, r.state, r.payments, r.refunds, s.standing as difference_count, r.unchecked, s.until, r.failure,
      coalesce(s.until < now() - interval '36 hours', false) as old
    from unnest(${connectionIds}::uuid[]) c(id)
    cross join lateral (
      select * from reconciliation_runs where connection_id = c.id and state in ('done', 'failed') order by id desc limit 1
    ) r
    cross join lateral (${sql.unsafe(OPEN_DIFFERENCES)}) s`;
}

/** Deletes up to `limit` runs; returns the number. Index: `reconciliation_runs_started`. */
export async function deleteOldRuns(sql: Sql, limit: number): Promise<number> {
  const rows = await sql`
    delete from reconciliation_runs where id = any(array(
      select id from reconciliation_runs where started_at < now() - interval '400 days' order by started_at limit ${limit}::int))
    returning 1`;
  return rows.length;
}
