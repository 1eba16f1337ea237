import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { ConfigurationError } from "@/lib/env";
import { ROLES, type Sql } from "./client";
import { isBusy } from "./refusals";

const CURRENT = `current_setting('cardlane.environment')::uuid`;

type Verb = "select" | "insert" | "update" | "delete" | `select (${string})`;
type Rights = {
  /** Rights of `cardlane_app` on its environment's rows, as limited by `owned`; none by default. */
  app?: readonly Verb[];
  /** SQL condition for the environment's rows; by default, those with its `environment_id`. */
  owned?: string;
  jobs: readonly Verb[];
};

const ALL = ["select", "insert", "update", "delete"] as const;
const KEPT = ["select", "insert", "update"] as const;
const APPENDED = ["select", "insert"] as const;
const OF_MERCHANT = `(select e.merchant_id from environments e where e.id = ${CURRENT})`;

/**
 * Every table except the sandbox processor's. Ledger, events and audit logs are append-only for every role.
 */
export const TABLE_RIGHTS: Record<string, Rights> = {
  // Public to anyone with the URL.
  merchant_logos: { jobs: ALL },
  merchants: { app: ["select"], owned: `id = ${OF_MERCHANT}`, jobs: KEPT },
  environments: { app: ["select"], owned: `id = ${CURRENT}`, jobs: KEPT },
  // Names, for histories; no password and no second factor.
  users: {
    app: ["select (id, merchant_id, name, email, role)"],
    owned: `merchant_id = ${OF_MERCHANT}`,
    jobs: ALL,
  },
  user_sessions: { jobs: ALL },
  user_tokens: { jobs: ALL },
  recovery_codes: { jobs: ALL },
  mail_outbox: { jobs: ALL },
  refund_allowances: { jobs: ALL },
  service_settings: { jobs: ALL },
  support_audit_log: { jobs: APPENDED },
  // A row is locked while its mails are counted, which requires the right to update.
  receipts: { app: APPENDED, jobs: KEPT },
  receipt_mails: { jobs: APPENDED },
  receipt_settings: { jobs: KEPT },
  report_mails: { app: ALL, jobs: ALL },
  saved_views: { app: ALL, jobs: ALL },
  // Written with the mail to colleagues, whose queue is of no environment.
  notes: { app: ["select"], jobs: ALL },
  approval_rules: { app: KEPT, jobs: ["select"] },
  // A job mails about requests, and a removed member's are withdrawn in both environments.
  approval_requests: { app: KEPT, jobs: ["select", "update"] },
  approval_allowances: { app: KEPT, jobs: ["select"] },
  api_keys: { app: KEPT, jobs: KEPT },
  plans: { app: KEPT, jobs: ["select"] },
  // A declined first payment deletes its subscription and invoice. The demo's past is inserted as rows.
  subscriptions: { app: ALL, jobs: APPENDED },
  subscription_trials: { app: ["select", "insert", "delete"], jobs: APPENDED },
  invoices: { app: ALL, jobs: APPENDED },
  invoice_counters: { app: KEPT, jobs: APPENDED },
  // Written with the refund's outcome. The demo's past is inserted as rows.
  credit_notes: { app: KEPT, jobs: APPENDED },
  credit_note_counters: { app: KEPT, jobs: APPENDED },
  // Created in requests, read by token before the environment is known, removed by a job.
  portal_sessions: { app: APPENDED, jobs: ["select", "delete"] },
  subscription_settings: { app: KEPT, jobs: KEPT },
  subscription_mails: { app: APPENDED, jobs: ["select", "update", "delete"] },
  payments: { app: KEPT, jobs: KEPT },
  payment_methods: { app: KEPT, jobs: KEPT },
  transactions: { app: KEPT, jobs: KEPT },
  // Written by a trigger as the owner.
  transaction_words: { app: ["select"], jobs: ["select"] },
  transaction_texts: { app: ["select"], jobs: ["select"] },
  // A trigger fills the queue as the owner; a job creates customers from it.
  customers_due: { jobs: ["select", "insert", "update", "delete"] },
  customers: { app: ["select"], jobs: KEPT },
  // Maintained by a trigger as the owner.
  customer_words: { app: ["select"], jobs: ["select"] },
  operations: { app: KEPT, jobs: KEPT },
  processor_objects: { app: APPENDED, jobs: APPENDED },
  disputes: { app: KEPT, jobs: KEPT },
  dispute_movements: { app: APPENDED, jobs: KEPT },
  files: { app: KEPT, jobs: ["select", "update", "delete"] },
  // Runs for the operator's accounts have no environment; only support staff see them.
  reconciliation_runs: { app: KEPT, owned: `environment_id = ${CURRENT}`, jobs: ALL },
  processor_connections: { app: KEPT, jobs: KEPT },
  processor_routes: { app: ALL, jobs: ["select"] },
  operator_connections: { jobs: KEPT },
  processor_journal: { jobs: ["select", "insert", "delete"] },
  idempotency_keys: { app: ALL, jobs: ALL },
  // Unpaid link sessions are removed after being locked, which requires the right to update.
  client_sessions: { app: KEPT, jobs: ["select", "update", "delete"] },
  payment_links: { app: KEPT, jobs: ["select", "update"] },
  payment_tokens: { app: KEPT, jobs: ["select", "update", "delete"] },
  ledger_entries: { app: APPENDED, jobs: APPENDED },
  settlement_batches: { app: ["select"], jobs: KEPT },
  payouts: { app: ["select"], jobs: KEPT },
  reports: { app: APPENDED, jobs: ["select", "update"] },
  bank_accounts: { app: KEPT, jobs: KEPT },
  events: { app: APPENDED, jobs: APPENDED },
  audit_log: { app: APPENDED, jobs: APPENDED },
  webhook_endpoints: { app: KEPT, jobs: ["select", "update"] },
  webhook_secrets: { app: ALL, jobs: ["select", "update"] },
  // A trigger creates deliveries with their event, as the owner. Removed rows are locked first, which
  // requires the right to update. A function adds and drops the partitions as the owner.
  webhook_deliveries: { app: KEPT, jobs: ["select", "update", "delete"] },
  // The newest attempts of a delivery are kept.
  webhook_attempts: { app: ["select", "insert", "delete"], jobs: ["select", "delete"] },
  // A trigger fills the queue as the owner; the chain itself is append-only.
  audit_pending: { jobs: ["select", "update", "delete"] },
  audit_links: { jobs: APPENDED },
  audit_seals: { jobs: APPENDED },
  // A function creates and drops the partitions as the owner.
  request_log: { app: ["select"], jobs: APPENDED },
  daily_totals: { app: ["select"], jobs: ALL },
  total_deltas: { app: APPENDED, jobs: ["select", "insert", "delete", "update"] },
};

/** Defaults, with row-level security, for a table not listed yet; a test requires its line above. */
const UNLISTED: Record<"environment" | "other", Rights> = {
  environment: { app: ALL, jobs: ALL },
  other: { jobs: ALL },
};

type Table = { schema: string; name: string; owned: boolean };

async function listTables(sql: Sql): Promise<Table[]> {
  return sql<Table[]>`
    select n.nspname as schema, c.relname as name, exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'environment_id' and a.attnotnull and not a.attisdropped) as owned
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname in ('public', 'sandbox_processor')
    order by 1, 2`;
}

export const rightsOf = (table: Pick<Table, "name" | "owned">): Rights =>
  TABLE_RIGHTS[table.name] ?? UNLISTED[table.owned ? "environment" : "other"];

/** Trigger functions of our owner, written as `sandbox_processor.f()` since they take no arguments. */
async function listTriggerFunctions(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select format('%I.%I()', n.nspname, p.proname) as name
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('public', 'sandbox_processor') and p.prorettype = 'trigger'::regtype and pg_has_role(p.proowner, 'USAGE')
    order by 1`;
  return rows.map(({ name }) => name);
}

/** These run as the owner, and check by themselves what they remove. */
const REMOVING = ["remove_abandoned(uuid, integer)", "keep_request_log()", "keep_webhook_weeks()"];

/**
 * Statements that set the rights, whatever was granted before: one transaction per step. Each table is a
 * separate step, because a policy locks it exclusively; with two locked together, a payment that writes both
 * could deadlock.
 */
function stepsFor(tables: readonly Table[], triggerFunctions: readonly string[]): string[][] {
  const { app, jobs, sandbox } = ROLES;
  const all = Object.values(ROLES).join(", ");
  const shared = [
    ...["public", "sandbox_processor"].map((schema) => `revoke all on all sequences in schema ${schema} from ${all}`),
    `revoke all on all tables in schema sandbox_processor from ${all}`,
    `revoke all on measured_facts from ${all}`,
    `grant usage on schema public to ${app}, ${jobs}`,
    `grant usage on schema sandbox_processor to ${jobs}, ${sandbox}`,
    `grant select, insert, update, delete on all tables in schema sandbox_processor to ${sandbox}`,
    // Reconciliation compares our books with the processor's; the demo shop's history is in both.
    `grant select, insert on all tables in schema sandbox_processor to ${jobs}`,
    `grant usage on all sequences in schema public to ${app}, ${jobs}`,
    `grant select on measured_facts to ${jobs}`,
    ...REMOVING.flatMap((name) => [
      `revoke execute on function ${name} from public, ${all}`,
      `grant execute on function ${name} to ${jobs}`,
    ]),
    "alter view measured_facts set (security_invoker = true)",
    // Triggers still fire. On a table that the role owned, its own trigger would run with the owner's rights.
    ...triggerFunctions.map((name) => `revoke execute on function ${name} from public, ${all}`),
  ];
  const ofTables = tables.filter(({ schema }) => schema === "public").map(stepFor);
  return [shared, ...ofTables];
}

function stepFor(table: Table): string[] {
  const { app, jobs } = ROLES;
  const name = `"${table.name}"`;
  const rights = rightsOf(table);
  const owned = rights.owned ?? `environment_id = ${CURRENT}`;
  return [
    `alter table ${name} enable row level security`,
    `revoke all on ${name} from ${Object.values(ROLES).join(", ")}`,
    ...["in_environment", "across_environments"].map((policy) => `drop policy if exists ${policy} on ${name}`),
    `grant ${rights.jobs.join(", ")} on ${name} to ${jobs}`,
    `create policy across_environments on ${name} to ${jobs} using (true) with check (true)`,
    ...(rights.app
      ? [
          `grant ${rights.app.join(", ")} on ${name} to ${app}`,
          `create policy in_environment on ${name} to ${app} using (${owned}) with check (${owned})`,
        ]
      : []),
  ];
}

const IN_FORCE = "rights";

/**
 * Creates the roles and sets the rights, unless already in force. Run as the owner, after the migrations and
 * under their lock. If the owner may not create roles, throws a ConfigurationError with the statements for an
 * administrator.
 */
export async function applyRights(sql: Sql): Promise<void> {
  const created = await ensureRoles(sql);
  await refuseTemporaryTables(sql);
  const steps = stepsFor(await listTables(sql), await listTriggerFunctions(sql));
  const digest = createHash("sha256").update(steps.flat().join(";")).digest("hex");
  if (!created && (await isInForce(sql, digest))) return;
  for (const step of steps) await applyStep(sql, step);
  await sql`insert into service_settings (key, value) values (${IN_FORCE}, ${digest})
    on conflict (key) do update set value = excluded.value`;
}

/** Other statements queue behind our lock request; after this long it is released for them. */
const LOCK_MS = 1_000;
const TRIES = 60;

async function applyStep(sql: Sql, step: readonly string[]): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      await sql.begin(async (tx) => {
        await tx`select set_config('lock_timeout', ${String(LOCK_MS)}, true)`;
        for (const statement of step) await tx.unsafe(statement);
      });
      return;
    } catch (error) {
      if (left === 0 || !isBusy(error)) throw error;
      await wait(LOCK_MS);
    }
  }
}

/**
 * A temporary table would shadow ours of the same name for the connection's next user. The grant to PUBLIC
 * belongs to the database and is not part of a copy; only the database's owner, who may not be ours, can
 * revoke it.
 */
async function refuseTemporaryTables(sql: Sql): Promise<void> {
  const [row] = await sql`
    select format('revoke temporary on database %I from public', current_database()) as statement
    from pg_database where datname = current_database() and pg_has_role(datdba, 'USAGE')
      and has_database_privilege(${ROLES.app}, oid, 'TEMPORARY')`;
  if (row) await sql.unsafe(row.statement);
}

/** Actual privileges reveal a database restored from a copy without its rights. */
async function isInForce(sql: Sql, digest: string): Promise<boolean> {
  const [row] = await sql`
    select (select value from service_settings where key = ${IN_FORCE}) = ${digest} and (
      select bool_and(relrowsecurity and has_any_column_privilege(${ROLES.jobs}, oid, 'select'))
      from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace) as is`;
  return row?.is === true;
}

type Role = { rolname: string; rolsuper: boolean; rolbypassrls: boolean; usable: boolean };

/** Returns whether any role was created. */
async function ensureRoles(sql: Sql): Promise<boolean> {
  const names: string[] = Object.values(ROLES);
  const find = () => sql<Role[]>`
    select rolname, rolsuper, rolbypassrls, pg_has_role(current_user, oid, 'MEMBER') as usable
    from pg_roles where rolname::text = any(string_to_array(${names.join()}, ','))`;
  const before = await find();
  const strong = before.find((role) => role.rolsuper || role.rolbypassrls);
  if (strong) {
    throw new ConfigurationError(
      `The role ${strong.rolname} is a superuser or bypasses row-level security: take that from it (ALTER ROLE ${strong.rolname} NOSUPERUSER NOBYPASSRLS).`,
    );
  }
  const missing = names.filter((name) => !before.some((role) => role.rolname === name));
  try {
    for (const name of missing) await createRole(sql, name);
    // Without it `set role` is refused. A superuser needs no grant; an existing one only causes a notice.
    for (const role of await find()) if (!role.usable) await sql.unsafe(`grant ${role.rolname} to current_user`);
    // Since PostgreSQL 16, a role's creator may grant it but not use it.
    for (const name of missing) await sql.unsafe(`grant ${name} to current_user`);
  } catch (error) {
    if ((error as { code?: string }).code !== "42501") throw error;
    const [owner] = await sql`select current_user::text as name`;
    const statements = [
      ...missing.map((name) => `CREATE ROLE ${name};`),
      `GRANT ${names.join(", ")} TO "${owner?.name}";`,
    ];
    throw new ConfigurationError(
      `The user of DATABASE_URL may not make the roles Cardlane works under: let an administrator run ${statements.join(" ")}`,
    );
  }
  return missing.length > 0;
}

/** Roles belong to the whole server, so another of its databases may be migrating at the same time. */
async function createRole(sql: Sql, name: string): Promise<void> {
  try {
    await sql.unsafe(`create role ${name} nologin`);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== "42710" && code !== "23505") throw error;
  }
}
