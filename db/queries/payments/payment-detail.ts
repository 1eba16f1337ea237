import type { Sql, Transaction } from "@/db/client";
import type { DisputeRow } from "@/db/schema/disputes";
import type { ActorRecord, IdempotencyKeyRow, OperationRow } from "@/db/schema/operations";
import type { LedgerRow } from "@/db/schema/payments";
import type { EventType } from "@/lib/contract/events/event";
import type { InvoiceStatus, SubscriptionStatus } from "@/lib/contract/subscriptions/statuses";
import { listDisputesOf } from "../disputes";
import { type CreditNoteRow, listCreditNotes } from "../invoices/credit-notes";
import { findLatestOfPayment, type PaymentSnapshot } from "./payments";

/** Max length of each list; the latest entries are shown. */
export const DETAIL_LIMIT = 50;
/**
 * Max. total bytes of shown request and response bodies, latest first: rendering costs far more than sending.
 */
const MAX_BODY_BYTES = 200_000;
const CUSTOMER_PAYMENTS_CAP = 100;

type KeyName = { id: string; name: string; prefix: string; last4: string };
type UserName = { id: string; name: string | null; email: string };
export type ActorNames = { keys: KeyName[]; users: UserName[] };

export type KeyOfPayment = Pick<
  IdempotencyKeyRow,
  | "key"
  | "endpoint"
  | "path"
  | "request_id"
  | "actor"
  | "created_at"
  | "status_code"
  | "request_body"
  | "response_body"
  | "response_sealed"
  | "replay_count"
  | "last_replayed_at"
  | "reuse_count"
> & { too_long: boolean };

/**
 * An operation of a payment. `booked_at`: time of its first ledger line; null if it moved no money.
 * `requested_by_name`: the member whose request its actor approved.
 */
export type OperationOfPayment = OperationRow & { booked_at: string | null; requested_by_name: string | null };

type LinkedSubscription = { id: string; plan_name: string; status: SubscriptionStatus };
type LinkedInvoice = { id: string; number: number | null; status: InvoiceStatus };

export type PaymentDetailRows = PaymentSnapshot & {
  operations: OperationOfPayment[];
  ledger: LedgerRow[];
  /** Cardlane's fee, in minor units. */
  fee: number;
  events: { id: string; type: EventType; operation_id: string | null; created_at: string }[];
  keys: KeyOfPayment[];
  batches: { id: string; currency: string; created_at: string }[];
  /** Oldest first. */
  disputes: DisputeRow[];
  objects: { kind: string; id: string }[];
  plan: { id: string; name: string; status: string } | null;
  clientSession: {
    id: string;
    status: string;
    created_at: string;
    expires_at: string;
    /** Its payment link, and the name of the link's plan. */
    link_id: string | null;
    link_name: string | null;
    link_description: string | null;
    plan_name: string | null;
  } | null;
  subscription: LinkedSubscription | null;
  invoice: LinkedInvoice | null;
  creditNotes: CreditNoteRow[];
  customerPayments: number | null;
  actors: ActorNames;
};

/**
 * A payment with all related rows, or null. One repeatable-read transaction, so one snapshot; every statement
 * uses an index. Lists are newest first.
 */
export async function readPaymentDetail(
  sql: Sql,
  environment: { id: string; merchantId: string },
  paymentId: string,
): Promise<PaymentDetailRows | null> {
  return sql.begin("isolation level repeatable read read only", async (tx) => {
    const snapshot = await findLatestOfPayment(tx, environment.id, paymentId, DETAIL_LIMIT);
    if (!snapshot) return null;
    const disputes = await listDisputesOf(tx, environment.id, paymentId, DETAIL_LIMIT);
    const [
      operations,
      ledger,
      fee,
      events,
      keys,
      batches,
      objects,
      plan,
      clientSession,
      subscription,
      invoice,
      creditNotes,
      customerPayments,
    ] = await Promise.all([
      listOperations(tx, environment.id, paymentId),
      listLedgerLines(tx, environment.id, paymentId),
      sumFees(tx, environment.id, paymentId),
      listEvents(tx, environment.id, snapshot, disputes),
      listKeys(tx, environment.id, paymentId),
      listBatches(tx, environment.id, snapshot),
      listObjects(tx, environment.id, paymentId),
      findPlan(tx, environment.id, snapshot),
      findClientSession(tx, environment.id, snapshot),
      findSubscription(tx, environment.id, snapshot),
      findInvoice(tx, environment.id, snapshot),
      listCreditNotes(tx, environment.id, [paymentId]),
      countCustomerPayments(tx, environment.id, snapshot),
    ]);
    const actors = await readActorNames(tx, environment, [
      ...[...operations, ...keys].map(({ actor }) => actor),
      ...disputes.flatMap(({ response_by: by }) => by?.actor ?? []),
    ]);
    const linked = {
      batches,
      disputes,
      objects,
      plan,
      clientSession,
      subscription,
      invoice,
      creditNotes,
      customerPayments,
    };
    return { ...snapshot, operations, ledger, fee, events, keys, ...linked, actors };
  }) as Promise<PaymentDetailRows | null>;
}

/** Indexes: `operations_payment`, then the primary key of the ledger and `approval_requests_subject`. */
function listOperations(tx: Transaction, environmentId: string, paymentId: string) {
  return tx<OperationOfPayment[]>`
    select o.*, (
      select l.created_at from ledger_entries l where l.environment_id = o.environment_id and l.operation_id = o.id and l.line = 1
    ) as booked_at, (
      select r.requested_by_name from approval_requests r
      where r.environment_id = o.environment_id and r.subject_id = o.payment_id and r.operation_id = o.id
    ) as requested_by_name
    from operations o where o.environment_id = ${environmentId}::uuid and o.payment_id = ${paymentId}::uuid
    order by o.id desc limit ${DETAIL_LIMIT}::int`;
}

/** Indexes: `operations_payment`, `dispute_movements_payment`, then the primary key of the ledger. */
function listLedgerLines(tx: Transaction, environmentId: string, paymentId: string) {
  return tx<LedgerRow[]>`
    select l.* from (
      select id from operations where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid
      union all
      select id from dispute_movements where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid
    ) o
    join ledger_entries l on l.environment_id = ${environmentId}::uuid and l.operation_id = o.id
    order by l.created_at desc, l.operation_id desc, l.line desc limit ${DETAIL_LIMIT}::int`;
}

/**
 * The sum over all lines, not only those shown. Indexes: `operations_payment`, then the primary key of the
 * ledger.
 */
async function sumFees(tx: Transaction, environmentId: string, paymentId: string): Promise<number> {
  const [row] = await tx<[{ fee: number }]>`
    select coalesce(sum(l.amount), 0)::float8 as fee from operations o
    join ledger_entries l
      on l.environment_id = o.environment_id and l.operation_id = o.id and l.line = 2 and l.credit_account = 'fees'
    where o.environment_id = ${environmentId}::uuid and o.payment_id = ${paymentId}::uuid and o.fee_basis_points is not null`;
  return row.fee;
}

/** Events of the payment, its refunds and its disputes. Index: `events_object`. */
function listEvents(
  tx: Transaction,
  environmentId: string,
  { payment, transactions }: PaymentSnapshot,
  disputes: readonly DisputeRow[],
) {
  const objects = [payment, ...transactions, ...disputes].map(({ id }) => id);
  // A lateral join per object: with one IN list the planner may scan the environment's latest events instead.
  return tx<PaymentDetailRows["events"]>`
    select e.id, e.type, e.operation_id, e.created_at
    from unnest(${objects}::uuid[]) as o(id)
    cross join lateral (
      select id, type, operation_id, created_at from events
      where environment_id = ${environmentId}::uuid and object_id = o.id
      order by sequence desc limit ${DETAIL_LIMIT}::int
    ) e
    order by e.id desc limit ${DETAIL_LIMIT}::int`;
}

/**
 * Keys that still belong to an operation of the payment. Indexes: `operations_payment`, then the primary key.
 */
function listKeys(tx: Transaction, environmentId: string, paymentId: string) {
  return tx<KeyOfPayment[]>`
    select key, operation_name as endpoint, path, request_id, actor, created_at, status_code, response_sealed, replay_count,
      last_replayed_at, reuse_count, too_long,
      case when not too_long then request_body end as request_body, case when not too_long then response_body end as response_body
    from (
      select k.*, o.id as operation, sum(octet_length(coalesce(k.request_body::text, '')) + octet_length(coalesce(k.response_body, '')))
        over (order by o.id desc) > ${MAX_BODY_BYTES}::int as too_long
      from (
        select environment_id, id, idempotency_key from operations
        where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid and idempotency_key is not null
        order by id desc limit ${DETAIL_LIMIT}::int
      ) o
      join idempotency_keys k
        on k.environment_id = o.environment_id and k.key = o.idempotency_key and k.operation_id = o.id
    ) latest
    order by operation desc`;
}

function listBatches(tx: Transaction, environmentId: string, { transactions }: PaymentSnapshot) {
  const ids = transactions.flatMap((row) => [row.settlement_batch_id, row.reversal_batch_id]);
  const given = [...new Set(ids.filter((id) => id !== null))];
  if (given.length === 0) return [];
  return tx<PaymentDetailRows["batches"]>`
    select id, currency, created_at from settlement_batches
    where environment_id = ${environmentId}::uuid and id = any(${given}::uuid[]) order by id`;
}

/** Index: `processor_objects_payment`. */
function listObjects(tx: Transaction, environmentId: string, paymentId: string) {
  return tx<PaymentDetailRows["objects"]>`
    select kind, object_id as id from processor_objects
    where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid
    order by created_at, object_id limit ${DETAIL_LIMIT}::int`;
}

const findCharge = ({ payment, transactions }: PaymentSnapshot) =>
  transactions.find((row) => row.id === payment.charge_id) ?? null;

async function findPlan(tx: Transaction, environmentId: string, snapshot: PaymentSnapshot) {
  const id = findCharge(snapshot)?.plan_id;
  if (!id) return null;
  const [row] = await tx<NonNullable<PaymentDetailRows["plan"]>[]>`
    select id, name, status from plans where environment_id = ${environmentId}::uuid and id = ${id}::uuid`;
  return row ?? null;
}

async function findClientSession(tx: Transaction, environmentId: string, snapshot: PaymentSnapshot) {
  const id = findCharge(snapshot)?.client_session_id;
  if (!id) return null;
  const [row] = await tx<NonNullable<PaymentDetailRows["clientSession"]>[]>`
    select s.id, s.status, s.created_at, s.expires_at, l.id as link_id, l.name as link_name,
      l.description as link_description, p.name as plan_name
    from client_sessions s
    left join payment_links l on l.environment_id = s.environment_id and l.id = s.payment_link_id
    left join plans p on p.environment_id = l.environment_id and p.id = l.plan_id
    where s.environment_id = ${environmentId}::uuid and s.id = ${id}::uuid`;
  return row ?? null;
}

async function findSubscription(tx: Transaction, environmentId: string, snapshot: PaymentSnapshot) {
  const id = findCharge(snapshot)?.subscription_id;
  if (!id) return null;
  const [row] = await tx<LinkedSubscription[]>`
    select id, plan ->> 'name' as plan_name, status from subscriptions
    where environment_id = ${environmentId}::uuid and id = ${id}::uuid`;
  return row ?? null;
}

async function findInvoice(tx: Transaction, environmentId: string, { payment }: PaymentSnapshot) {
  if (payment.invoice_id === null) return null;
  const [row] = await tx<LinkedInvoice[]>`
    select id, number, status from invoices
    where environment_id = ${environmentId}::uuid and id = ${payment.invoice_id}::uuid and event_sequence > 0`;
  return row ?? null;
}

/**
 * Other payments of the customer, counted up to {@link CUSTOMER_PAYMENTS_CAP} + 1. Index:
 * `payments_customer`.
 */
async function countCustomerPayments(tx: Transaction, environmentId: string, { payment }: PaymentSnapshot) {
  if (payment.customer_id === null) return null;
  const [row] = await tx<[{ count: number }]>`
    select count(*)::int as count from (
      select from payments
      where environment_id = ${environmentId}::uuid and customer_id = ${payment.customer_id} and id <> ${payment.id}::uuid
      limit ${CUSTOMER_PAYMENTS_CAP + 1}::int
    ) others`;
  return row.count;
}

/** Names of actors: only the environment's keys and its merchant's users. Indexes: primary keys. */
export async function readActorNames(
  sql: Sql | Transaction,
  environment: { id: string; merchantId: string },
  actors: readonly ActorRecord[],
): Promise<ActorNames> {
  const idsOf = (type: ActorRecord["type"]) => [
    ...new Set(actors.flatMap((actor) => (actor.type === type && actor.id !== null ? [actor.id] : []))),
  ];
  const keyIds = idsOf("api_key");
  const userIds = idsOf("user");
  const [keys, users] = await Promise.all([
    keyIds.length === 0
      ? []
      : sql<KeyName[]>`select id, name, prefix, last4 from api_keys
          where environment_id = ${environment.id}::uuid and id = any(${keyIds}::uuid[])`,
    userIds.length === 0
      ? []
      : sql<UserName[]>`select id, name, email from users
          where merchant_id = ${environment.merchantId}::uuid and id = any(${userIds}::uuid[])`,
  ]);
  return { keys: [...keys], users: [...users] };
}
