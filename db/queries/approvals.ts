import { and, eq, sql as fragment, isNull, ne, type SQL } from "drizzle-orm";
import type { ApprovalAction, ApprovalStatus } from "@/lib/contract/approvals/words";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Orm, Sql, Transaction } from "../client";
import { type ApprovalRequestRow, type ApprovalRuleRow, approvalRequests, approvalRules } from "../schema/approvals";
import type { NewEvent } from "../schema/events";
import type { ActorRecord } from "../schema/operations";
import type { Fragment } from "./statement-text";

/** A request as it is now. `refund_id`: the transaction that its approval made. */
export type ApprovalRow = ApprovalRequestRow & { refund_id: string | null };

/** The subject of a request is no longer as its requester saw it: the act can never be done anymore. */
const IS_IMPOSSIBLE = `case r.action
    when 'REFUND' then exists (select from payments p where p.environment_id = r.environment_id and p.id = r.subject_id
      and (p.amount_captured - p.amount_refunded < r.amount or p.status not in ('CAPTURED', 'SETTLED', 'PARTIALLY_REFUNDED')
        or p.capture_reversed_at is not null or coalesce(p.dispute_status in ('LOST', 'ACCEPTED'), false)))
    when 'BANK_ACCOUNT' then r.parameters->'before' is distinct from coalesce((
      select jsonb_build_object('holder', b.holder, 'bank_name', b.bank_name, 'country', b.country, 'last4', b.last4)
      from bank_accounts b where b.environment_id = r.environment_id), 'null')
    when 'LIVE_KEY' then (r.parameters->'after'->>'expires_at')::timestamptz <= now()
      or (r.parameters->>'act' <> 'CREATE' and not exists (
        select from api_keys k where k.environment_id = r.environment_id and k.id = r.subject_id and k.status <> 'REVOKED'
          and k.updated_at = (r.parameters->>'updated_at')::timestamptz and (k.expires_at is null or k.expires_at > now())
          and not exists (select from api_keys n where n.environment_id = k.environment_id and n.rotated_from = k.id)))
    when 'APPROVAL_RULE' then r.parameters->'before' is distinct from coalesce((
      select jsonb_build_object('roles', to_jsonb(a.roles), 'above_usd', a.above_usd, 'day_usd', a.day_usd,
        'finance_decides', a.finance_decides)
      from approval_rules a where a.environment_id = r.environment_id and a.action = r.parameters->>'action'), 'null')
    end`;

/** A request ends when its time is over or its subject changed; a job stores that a few seconds later. */
const STATUS = `case when r.status <> 'PENDING' then r.status when r.expires_at <= now() then 'EXPIRED'
    when ${IS_IMPOSSIBLE} then 'FAILED' else 'PENDING' end`;

const REFUND = `(select o.transaction_id from operations o where o.environment_id = r.environment_id and o.id = r.operation_id)`;

const columns = (sql: Sql | Transaction) => sql.unsafe(`r.*, ${STATUS} as status, ${REFUND} as refund_id`);

/** Adds a request. False: its subject has an open one. Call it after {@link closeEndedOf}. */
export async function insertApprovalRequest(tx: Orm, row: ApprovalRequestRow): Promise<boolean> {
  const rows = await tx
    .insert(approvalRequests)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: approvalRequests.id });
  return rows.length === 1;
}

/** True if its member has an open request with the same parameters, whatever its subject. After {@link lockSettings}. */
export async function hasSameRequest(tx: Orm, row: ApprovalRequestRow): Promise<boolean> {
  const rows = await tx.execute(fragment`
    select from approval_requests r
    where r.environment_id = ${row.environment_id}::uuid and r.status = 'PENDING' and r.action = ${row.action}
      and r.requested_by = ${row.requested_by}::uuid and r.parameters = ${JSON.stringify(row.parameters)}::text::jsonb
      and (${fragment.raw(STATUS)}) = 'PENDING' limit 1`);
  return rows.length > 0;
}

/** A request whose end is stored. */
export type EndedRequest = Pick<
  ApprovalRequestRow,
  "environment_id" | "id" | "action" | "status" | "requested_by_name"
>;

/** Stores the ends of the requests that `which` selects, so that they stay ended, and has each mailed to its member. */
async function closeEnded(tx: Orm, which: SQL): Promise<EndedRequest[]> {
  return (await tx.execute(fragment`
    with ended as (
      select r.environment_id, r.id, (${fragment.raw(STATUS)})::text as status from approval_requests r
      where r.status = 'PENDING' and (${fragment.raw(STATUS)}) <> 'PENDING' ${which}
    )
    update approval_requests r set status = ended.status, mail_due = true
    from ended where r.environment_id = ended.environment_id and r.id = ended.id
    returning r.environment_id, r.id, r.action, r.status, r.requested_by_name`)) as unknown as EndedRequest[];
}

/** Closes those of one subject. Index: `approval_requests_open`. */
export const closeEndedOf = (
  tx: Orm,
  { environment_id, action, subject_id }: Pick<ApprovalRequestRow, "environment_id" | "action" | "subject_id">,
): Promise<EndedRequest[]> =>
  closeEnded(
    tx,
    fragment`and r.environment_id = ${environment_id}::uuid and r.action = ${action} and r.subject_id = ${subject_id}::uuid
      for update`,
  );

/** Closes those of all environments; index: `approval_requests_open`, which has only open requests. */
export const closeAnyEnded = (tx: Orm, limit: number): Promise<EndedRequest[]> =>
  closeEnded(tx, fragment`limit ${limit}::int for update skip locked`);

export async function findApprovalRequest(sql: Sql, environmentId: string, id: string): Promise<ApprovalRow | null> {
  const [row] = await sql<ApprovalRow[]>`
    select ${columns(sql)} from approval_requests r where r.environment_id = ${environmentId}::uuid and r.id = ${id}::uuid`;
  return row ?? null;
}

/** A payment's requests, newest first. Index: `approval_requests_subject`. */
export function listRequestsOf(
  sql: Sql | Transaction,
  environmentId: string,
  subjectId: string,
  limit: number,
): Promise<ApprovalRow[]> {
  return sql<ApprovalRow[]>`
    select ${columns(sql)} from approval_requests r
    where r.environment_id = ${environmentId}::uuid and r.subject_id = ${subjectId}::uuid
    order by r.id desc limit ${limit}::int`;
}

/** Newest first; open ones by `approval_requests_open`, the others by the primary key. */
export function listApprovalRequests(
  sql: Sql,
  environmentId: string,
  {
    actions,
    isOpen,
    limit,
    offset,
  }: { actions: readonly ApprovalAction[]; isOpen: boolean; limit: number; offset: number },
): Promise<ApprovalRow[]> {
  const condition = isOpen
    ? `r.status = 'PENDING' and (${STATUS}) = 'PENDING'`
    : `(r.status <> 'PENDING' or (${STATUS}) <> 'PENDING')`;
  return sql<ApprovalRow[]>`
    select ${columns(sql)} from approval_requests r
    where r.environment_id = ${environmentId}::uuid and r.action = any(${actions as string[]}::text[])
      and ${sql.unsafe(condition)}
    order by r.id desc limit ${limit}::int offset ${offset}::int`;
}

/** Open requests of others, counted up to `limit`. Index: `approval_requests_open`. */
export async function countOpenRequests(
  sql: Sql,
  environmentId: string,
  { userId, actions, limit }: { userId: string; actions: readonly ApprovalAction[]; limit: number },
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from (
      select 1 from approval_requests r
      where r.environment_id = ${environmentId}::uuid and r.status = 'PENDING' and r.requested_by <> ${userId}::uuid
        and r.action = any(${actions as string[]}::text[]) and (${sql.unsafe(STATUS)}) = 'PENDING'
      limit ${limit}::int) open`;
  return row.count;
}

const pending = (environmentId: string, id: string) =>
  and(
    eq(approvalRequests.environment_id, environmentId),
    eq(approvalRequests.id, id),
    eq(approvalRequests.status, "PENDING"),
  );

/**
 * Approves an act that is one transaction with its approval, unless the request has ended or what it changes is
 * no longer as it was. The caller holds the lock on what it changes. `roles`: of those who may act.
 */
export async function approveAct(
  tx: Orm,
  environmentId: string,
  { id, by, at, roles }: { id: string; by: string; at: string; roles: readonly string[] },
): Promise<boolean> {
  const rows = await tx.execute(fragment`
    update approval_requests r set status = 'APPROVED', decided_by = u.id, decided_by_name = coalesce(u.name, u.email),
      decided_at = ${at}::timestamptz, mail_due = true
    from users u
    where r.environment_id = ${environmentId}::uuid and r.id = ${id}::uuid and r.action <> 'REFUND'
      and (${fragment.raw(STATUS)}) = 'PENDING'
      and u.id = ${by}::uuid and u.id <> r.requested_by and u.role in ('owner', 'admin')
      and exists (select from users who where who.id = r.requested_by and who.role::text = any(string_to_array(${roles.join()}::text, ',')))
    returning 1`);
  return rows.length === 1;
}

/** Claims an approved key for its requester, once. False: it is collected, too old, or another's. */
export async function claimKey(
  tx: Orm,
  environmentId: string,
  { id, by, keyId, days }: { id: string; by: string; keyId: string; days: number },
): Promise<boolean> {
  const rows = await tx
    .update(approvalRequests)
    .set({ key_id: keyId })
    .where(
      and(
        eq(approvalRequests.environment_id, environmentId),
        eq(approvalRequests.id, id),
        eq(approvalRequests.status, "APPROVED"),
        eq(approvalRequests.requested_by, by),
        isNull(approvalRequests.key_id),
        fragment`${approvalRequests.decided_at} > now() - make_interval(days => ${days}::int)`,
      ),
    )
    .returning({ id: approvalRequests.id });
  return rows.length === 1;
}

/** Another member may decide on requests of this one. */
export async function hasOtherDecider(tx: Orm, environmentId: string, userId: string): Promise<boolean> {
  const rows = await tx.execute(fragment`
    select from users u join environments e on e.merchant_id = u.merchant_id
    where e.id = ${environmentId}::uuid and u.role in ('owner', 'admin') and u.id <> ${userId}::uuid limit 1`);
  return rows.length === 1;
}

type Ending = Partial<Pick<ApprovalRequestRow, "decided_by" | "decided_by_name" | "decided_at" | "comment">>;

/**
 * Ends an open request without its act. False: it has ended. `by`: the member who must have requested it, or
 * must not have.
 */
export async function endRequest(
  tx: Orm,
  environmentId: string,
  id: string,
  status: Exclude<ApprovalStatus, "PENDING" | "APPROVED">,
  { requestedBy, notRequestedBy, ...ending }: Ending & { requestedBy?: string; notRequestedBy?: string },
): Promise<boolean> {
  const rows = await tx
    .update(approvalRequests)
    .set({ status, ...ending, mail_due: status === "REJECTED" || status === "FAILED" })
    .where(
      and(
        pending(environmentId, id),
        fragment`${approvalRequests.expires_at} > now()`,
        requestedBy === undefined ? undefined : eq(approvalRequests.requested_by, requestedBy),
        notRequestedBy === undefined ? undefined : ne(approvalRequests.requested_by, notRequestedBy),
      ),
    )
    .returning({ id: approvalRequests.id });
  return rows.length === 1;
}

export async function findRule(
  orm: Orm,
  environmentId: string,
  action: ApprovalAction,
): Promise<ApprovalRuleRow | null> {
  const rows = await orm
    .select()
    .from(approvalRules)
    .where(and(eq(approvalRules.environment_id, environmentId), eq(approvalRules.action, action)));
  return rows[0] ?? null;
}

/** An environment's rules, one per action. */
export function listRules(orm: Orm, environmentId: string): Promise<ApprovalRuleRow[]> {
  return orm.select().from(approvalRules).where(eq(approvalRules.environment_id, environmentId));
}

/** Replaces a rule. After {@link lockSettings}. */
export async function replaceRule(tx: Orm, rule: ApprovalRuleRow): Promise<void> {
  const { environment_id: _, action: __, ...values } = rule;
  await tx
    .insert(approvalRules)
    .values(rule)
    .onConflictDoUpdate({ target: [approvalRules.environment_id, approvalRules.action], set: values });
}

/** Serializes changes of an environment's bank account or rules with the approvals of such changes. */
export async function lockSettings(tx: Orm, environmentId: string): Promise<void> {
  await tx.execute(fragment`select pg_advisory_xact_lock(hashtextextended('approval rule ' || ${environmentId}, 0))`);
}

/** True if a rule binds the member's role. */
export async function isBound(
  orm: Orm,
  environmentId: string,
  action: ApprovalAction,
  userId: string,
): Promise<boolean> {
  const rows = await orm.execute(fragment`
    select from approval_rules r join users u on u.role::text = any(r.roles)
    where r.environment_id = ${environmentId}::uuid and r.action = ${action} and u.id = ${userId}::uuid`);
  return rows.length === 1;
}

/** The rule that binds a member now, and the US cents they refunded alone within its day. */
export type Ruling = Pick<ApprovalRuleRow, "above_usd" | "day_usd"> & { spent: number };

/** Still counts: a member's day begins with a refund and lasts 24 hours. */
const IS_TODAY = "a.since between now() - interval '1 day' and now() + interval '1 minute'";
const SPENT = `case when ${IS_TODAY} then a.spent else 0 end`;

/** The ruling on a member's refunds; null if no rule binds them. */
export async function findRuling(orm: Orm, environmentId: string, userId: string): Promise<Ruling | null> {
  const rows = (await orm.execute(fragment`
    select r.above_usd, r.day_usd, coalesce((select ${fragment.raw(SPENT)}
        from approval_allowances a where a.environment_id = r.environment_id and a.user_id = u.id), 0)::float8 as spent
    from approval_rules r join users u on u.role::text = any(r.roles)
    where r.environment_id = ${environmentId}::uuid and r.action = 'REFUND' and u.id = ${userId}::uuid`)) as unknown as Ruling[];
  return rows[0] ?? null;
}

/** postgres.js and the query builder both build statements from templates. */
type Builder<T> = { (text: TemplateStringsArray, ...values: unknown[]): T; raw(text: string): T };

const spendText = <T>(
  sql: Builder<T>,
  { environmentId, userId, cents, condition }: { environmentId: string; userId: string; cents: T; condition: T },
): T => sql`
  insert into approval_allowances as a (environment_id, user_id, spent, since)
  select ${environmentId}::uuid, ${userId}::uuid, ${cents}, now() from ruling
  where ${condition} and (above_usd is null or ${cents} <= above_usd::bigint * 100)
    and (day_usd is null or ${cents} <= day_usd::bigint * 100)
  on conflict (environment_id, user_id) do update set spent = ${sql.raw(SPENT)} + excluded.spent,
    since = case when ${sql.raw(IS_TODAY)} then a.since else now() end
  where (select day_usd from ruling) is null
    or ${sql.raw(SPENT)} + excluded.spent <= (select day_usd from ruling)::bigint * 100
  returning 1`;

const rulingText = <T>(sql: Builder<T>, environmentId: string, userId: string): T => sql`
  select r.above_usd, r.day_usd from approval_rules r join users u on u.role::text = any(r.roles)
  where r.environment_id = ${environmentId}::uuid and r.action = 'REFUND' and u.id = ${userId}::uuid`;

/** A refund that a member makes alone. `worth`: minor units worth 1,000 US dollars. */
export type AloneRefund = { readonly userId: string; readonly worth: number };

/**
 * T1's part for a refund that a member makes alone: counts it against the rule for the member's role. One that
 * the rule refuses fails the statement, which undoes the reservation. Like a key's, the count is never given
 * back.
 */
export function countAlone(sql: Sql | Transaction, environmentId: string, { userId, worth }: AloneRefund) {
  const tag = Object.assign(
    (...text: Parameters<Builder<Fragment>>) => (sql as unknown as Builder<Fragment>)(...text),
    {
      raw: (text: string) => sql.unsafe(text) as unknown as Fragment,
    },
  );
  const cents = tag`ceil((select amount from locked)::numeric * 100000 / ${worth}::bigint)::bigint`;
  const condition = tag`(select count(*) from reserved) = 1`;
  return {
    ctes: tag`, ruling as (${rulingText(tag, environmentId, userId)}),
      allowed as (${spendText(tag, { environmentId, userId, cents, condition })})`,
    check: tag`, require_written(1 - (select count(*) from reserved) * (select count(*) from ruling) + (select count(*) from allowed))`,
  };
}

/** Counts a refund that starts after this transaction. False: the rule refuses it. `cents`: US cents. */
export async function spendAlone(
  tx: Orm,
  environmentId: string,
  { userId, cents }: { userId: string; cents: number },
): Promise<boolean> {
  const tag = fragment as unknown as Builder<SQL>;
  const counted = { environmentId, userId, cents: tag`${cents}::bigint`, condition: tag`true` };
  const [row] = (await tx.execute(fragment`
    with ruling as (${rulingText(tag, environmentId, userId)}), allowed as (${spendText(tag, counted)})
    select (select count(*) from ruling) = (select count(*) from allowed) as passed`)) as unknown as {
    passed: boolean;
  }[];
  return row?.passed === true;
}

/** The approval that a refund carries out. `by`: the member who decides. */
export type RefundApproval = {
  readonly id: string;
  readonly by: string;
  readonly auditId: string;
  readonly requestId: string;
  readonly at: string;
  /** Roles whose members may refund. */
  readonly roles: readonly string[];
  /** The event of the approval, whose refund is this transaction. */
  readonly event: (refundId: string) => NewEvent;
};

/**
 * T1's part for an approved refund: the request changes from PENDING to APPROVED in the statement that reserves
 * the refund. If it has ended, its requester may not refund or its approver not decide, the statement fails and
 * undoes the reservation.
 */
export function approveInside(
  sql: Sql | Transaction,
  environmentId: string,
  { paymentId, operationId, refundId }: { paymentId: string; operationId: string; refundId: string },
  { id, by, auditId, requestId, at, roles, event: eventOf }: RefundApproval,
) {
  const actor: ActorRecord = { type: "user", id: by };
  const event = eventOf(refundId);
  return {
    ctes: sql`, approved as (
      update approval_requests r set status = 'APPROVED', decided_by = u.id, decided_by_name = coalesce(u.name, u.email),
        decided_at = ${at}::timestamptz, operation_id = ${operationId}::uuid, mail_due = true
      from users u
      where r.environment_id = ${environmentId}::uuid and r.id = ${id}::uuid and r.status = 'PENDING' and r.expires_at > now()
        and r.subject_id = ${paymentId}::uuid and r.amount = (select amount from locked)
        and u.id = ${by}::uuid and u.id <> r.requested_by
        and (u.role in ('owner', 'admin') or (u.role = 'finance' and exists (select from approval_rules
          where environment_id = ${environmentId}::uuid and action = 'REFUND' and finance_decides)))
        and exists (select from users who where who.id = r.requested_by and who.role::text = any(${roles as string[]}::text[]))
        and (select count(*) from reserved) = 1
      returning r.requested_by_name
    ),
    approved_audit as (
      insert into audit_log (environment_id, id, actor, action, object_id, request_id, detail)
      select ${environmentId}::uuid, ${auditId}::uuid, ${actor as never}::jsonb, 'approval_request.approved', ${id}::uuid,
        ${requestId}::uuid, jsonb_build_object('name', requested_by_name)
      from approved
    ),
    approved_event as (
      insert into events (environment_id, id, type, object_id, sequence, data, created_at)
      select ${environmentId}::uuid, ${event.id}::uuid, ${event.type}, ${id}::uuid, (select coalesce(max(sequence), 0) + 1 from events
          where environment_id = ${environmentId}::uuid and object_id = ${id}::uuid),
        ${event.data}::text::json, ${event.created_at}::timestamptz
      from approved
    )`,
    check: sql`, require_written(1 - (select count(*) from reserved) + (select count(*) from approved))`,
  };
}

/** A request with a mail to write: while it is open to those who may decide, then to its member. */
export type ApprovalMailDue = Pick<
  ApprovalRequestRow,
  "environment_id" | "id" | "action" | "amount" | "currency" | "parameters" | "requested_by"
> & {
  status: ApprovalStatus;
  mode: Mode;
  merchant_id: string;
  finance_decides: boolean;
  /** Null once the member was removed, or while they have no verified address. */
  requester: string | null;
  /** The approver's verified address. */
  decider: string | null;
};

/**
 * Takes requests whose mail is due, which the transaction must write. Crosses environments; index:
 * `approval_requests_mail_due`.
 */
export async function takeApprovalMails(tx: Orm, limit: number): Promise<ApprovalMailDue[]> {
  return (await tx.execute(fragment`
    with due as (
      select environment_id, id from approval_requests where mail_due
      order by environment_id, id limit ${limit}::int for update skip locked
    )
    update approval_requests r set mail_due = false
    from due join environments e on e.id = due.environment_id
    where r.environment_id = due.environment_id and r.id = due.id
    returning r.environment_id, r.id, r.action, r.amount::float8 as amount, r.currency, r.parameters, r.status, r.requested_by, e.mode, e.merchant_id,
      exists (select from approval_rules a where a.environment_id = r.environment_id and a.action = 'REFUND' and a.finance_decides)
        as finance_decides,
      (select u.email from users u where u.id = r.requested_by and u.owns_email) as requester,
      (select u.email from users u where u.id = r.decided_by and u.owns_email) as decider`)) as unknown as ApprovalMailDue[];
}
