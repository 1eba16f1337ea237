import { decodeId } from "@/lib/contract/ids";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import type { Shop } from "./shop";

type Told = {
  sequence: number;
  type: string;
  is: { status: string; evidence: object };
  was: { status?: string; evidence?: object } | null;
};
type Dispute = {
  id: string;
  payment_id: string;
  status: string;
  is_responding: boolean;
  response_id: string | null;
  /** The bank's view: null before it is recorded there, which never happens. */
  bank: { status: string; response: string | null; amount: number } | null;
  told: Told[];
  /** Times of the audit log, which are taken while the payment is locked. */
  opened_ms: number;
  lost_ms: number | null;
  ended_ms: number | null;
};
type Refund = { payment_id: string; idempotency_key: string | null; created_ms: number };
type Request = {
  id: string;
  payment_id: string;
  amount: number;
  status: string;
  requested_by: string;
  decided_by: string | null;
  /** Amounts of the refunds under the request's key. */
  refunds: number[] | null;
  acts: string[];
  acknowledges: boolean;
};
type Money = Record<"captured" | "refunded" | "fees" | "balance" | "held" | "paid_out", number>;
type Books = {
  disputes: Dispute[] | null;
  refunds: Refund[] | null;
  requests: Request[] | null;
  money: Money;
  notices: number;
};

const FEE = 1_500;
const OPEN = new Set(["NEEDS_RESPONSE", "UNDER_REVIEW"]);
const GONE = new Set(["LOST", "ACCEPTED"]);

/** Checks disputes, refunds of disputed payments and approvals of a world in which nothing is open. */
export async function findDisputeViolations(shop: Shop): Promise<string[]> {
  const books = await readBooks(shop);
  const disputes = books.disputes ?? [];
  const requests = books.requests ?? [];
  const { checks } = await verifyBooks(shop.ground.plain);
  noteConditions(shop, disputes);
  return [
    ...checks.filter(({ count }) => count > 0).map(({ check, rows }) => `verify: ${check}: ${JSON.stringify(rows)}`),
    ...disputes.flatMap(checkDispute),
    ...checkAnswers(shop, disputes),
    ...(books.refunds ?? []).flatMap((refund) => checkRefund(shop, refund, disputes, requests)),
    ...checkMoney(books.money, disputes),
    ...(books.notices > disputes.length ? [`${books.notices} notices of ${disputes.length} disputes`] : []),
    ...requests.flatMap(checkRequest),
    ...checkDecisions(shop, requests),
  ];
}

async function readBooks({ ground, environment: { id, merchantId } }: Shop): Promise<Books> {
  const [row] = await ground.monitor<{ books: Books }[]>`
    select json_build_object(
      'disputes', (select json_agg(d) from (
        select id, payment_id, status, response_due_at is not null as is_responding, response_id,
          (select json_build_object('status', upper(s.status), 'response', s.response, 'amount', s.amount)
            from sandbox_processor.disputes s where s.id::text = d.processor_dispute_id) as bank,
          (select json_agg(json_build_object('sequence', e.sequence, 'type', e.type, 'is', e.data -> 'object',
            'was', e.data -> 'previous') order by e.sequence)
            from events e where e.environment_id = d.environment_id and e.object_id = d.id) as told,
          a.opened_ms, a.lost_ms, a.ended_ms
        from disputes d, lateral (
          select (extract(epoch from min(created_at) filter (where action = 'dispute.opened')) * 1000)::float8 as opened_ms,
            (extract(epoch from min(created_at) filter (where action in ('dispute.lost', 'dispute.accepted'))) * 1000)::float8 as lost_ms,
            (extract(epoch from min(created_at) filter (where action in ('dispute.lost', 'dispute.accepted', 'dispute.won'))) * 1000)::float8 as ended_ms
          from audit_log a where a.environment_id = d.environment_id and a.object_id = d.payment_id) a
        where environment_id = ${id} order by id) d),
      'refunds', (select json_agg(r) from (
        select payment_id, idempotency_key, (extract(epoch from created_at) * 1000)::float8 as created_ms from operations
        where environment_id = ${id} and kind = 'refund' order by id) r),
      'requests', (select json_agg(r) from (
        select r.id, r.subject_id as payment_id, r.amount, r.status, r.requested_by, r.decided_by,
          coalesce((r.parameters ->> 'acknowledge_dispute')::boolean, false) as acknowledges,
          (select json_agg(o.amount) from operations o where o.environment_id = r.environment_id and o.id = r.operation_id) as refunds,
          (select json_agg(a.action order by a.id) from audit_log a where a.environment_id = r.environment_id and a.object_id = r.id) as acts
        from approval_requests r where environment_id = ${id} order by id) r),
      'notices', (select count(*) from mail_outbox m join users u on lower(u.email) = lower(m.recipient) and u.role = 'owner'
        where u.merchant_id = ${merchantId} and m.subject like '%payment is disputed%')
        / greatest(1, (select count(*) from users where merchant_id = ${merchantId} and role = 'owner')),
      'money', (select json_build_object(
        'captured', (select coalesce(sum(amount_captured), 0) from sandbox_processor.charges where account = ${id}),
        'refunded', (select coalesce(sum(amount_refunded), 0) from sandbox_processor.charges where account = ${id}),
        'fees', coalesce(sum(case 'fees' when credit_account then amount when debit_account then -amount else 0 end), 0),
        'balance', coalesce(sum(case when credit_account ^@ 'merchant_' then amount else 0 end
          - case when debit_account ^@ 'merchant_' then amount else 0 end), 0),
        'held', coalesce(sum(case 'disputes' when credit_account then amount when debit_account then -amount else 0 end), 0),
        'paid_out', (select coalesce(sum(amount), 0) from payouts where environment_id = ${id} and status = 'PAID'))
        from ledger_entries where environment_id = ${id})) as books`;
  if (!row) throw new Error("the books could not be read");
  return row.books;
}

/** Each change is told once, from the state that the event before it told, and the bank's last word counts. */
function checkDispute(dispute: Dispute): string[] {
  const { status, told, bank, is_responding, response_id } = dispute;
  const found: string[] = [];
  let before: Told | null = null;
  for (const event of told) {
    if (event.sequence !== (before?.sequence ?? 0) + 1)
      found.push(`a dispute's event ${event.sequence} is out of order`);
    if ((event.type === "dispute.opened") !== (before === null))
      found.push(`a dispute's ${event.type} is out of place`);
    const was = { ...event.is, ...event.was };
    if (
      before &&
      (was.status !== before.is.status || JSON.stringify(was.evidence) !== JSON.stringify(before.is.evidence))
    )
      found.push(
        `${event.type} changes a dispute that was ${was.status}, but ${before.type} left it ${before.is.status}`,
      );
    before = event;
  }
  if (before?.is.status !== status) found.push(`a dispute is ${status}, but its last event says ${before?.is.status}`);
  const once = [
    "dispute.opened",
    "dispute.evidence_submitted",
    "dispute.due_soon",
    "dispute.won",
    "dispute.lost",
    "dispute.accepted",
  ];
  for (const type of once) {
    const times = told.filter((event) => event.type === type).length;
    if (times > 1) found.push(`${type} was told ${times} times`);
  }
  if (told.filter(({ is }) => !OPEN.has(is.status)).length > 1) found.push("a dispute's end was told twice");
  if (bank?.status !== status) found.push(`a dispute is ${status}, and ${bank?.status} at the bank`);
  if (is_responding) found.push("a dispute waits for a response that has ended");
  if (bank && bank.response !== response_id) found.push("a dispute's response is not the one that the bank got");
  return found;
}

/** A response that was confirmed is the one that the bank got. */
function checkAnswers({ answers }: Shop, disputes: readonly Dispute[]): string[] {
  return answers.flatMap(({ ask, status, replayed }) => {
    if (ask.what !== "dispute" || replayed || status >= 202 || (ask.verb !== "submit" && ask.verb !== "accept"))
      return [];
    const dispute = disputes.find(({ id }) => id === decodeId("dispute", ask.target));
    const isAccepted = dispute?.bank?.status === "ACCEPTED";
    return dispute?.bank?.response && isAccepted === (ask.verb === "accept")
      ? []
      : [`${ask.key} was confirmed, and the dispute is ${dispute?.bank?.status} at the bank`];
  });
}

/** No refund begins while a dispute is open unless it acknowledges that, and none after a lost one. */
function checkRefund(shop: Shop, refund: Refund, disputes: readonly Dispute[], requests: readonly Request[]): string[] {
  const { payment_id, idempotency_key: key, created_ms: begun } = refund;
  const acknowledged =
    shop.answers.some(({ ask }) => ask.key === key && ask.body.acknowledge_dispute === true) ||
    requests.some(({ payment_id: of, acknowledges }) => of === payment_id && acknowledges && key?.startsWith("apr_"));
  return disputes
    .filter((dispute) => dispute.payment_id === payment_id)
    .flatMap(({ opened_ms, lost_ms, ended_ms }) => {
      if (lost_ms !== null && begun > lost_ms) return ["a refund began after its payment's dispute was lost"];
      const isDuring = begun > opened_ms && (ended_ms === null || begun < ended_ms);
      if (isDuring && acknowledged) shop.world.sometimes("a disputed payment is refunded knowingly");
      return isDuring && !acknowledged ? ["a refund began unaware of its payment's dispute"] : [];
    });
}

/** The money that left, came back and is held, from the processor's view alone. */
function checkMoney(money: Money, disputes: readonly Dispute[]): string[] {
  const sum = (is: (status: string) => boolean) =>
    disputes.filter(({ bank }) => bank && is(bank.status)).reduce((total, { bank }) => total + (bank?.amount ?? 0), 0);
  const held = sum((status) => OPEN.has(status)) + FEE * disputes.filter(({ status }) => OPEN.has(status)).length;
  const taken = sum((status) => GONE.has(status) || OPEN.has(status)) + FEE * disputes.length;
  const found: string[] = [];
  if (money.held !== held) found.push(`disputes hold ${money.held}, but ${held} is disputed`);
  const balance = money.captured - money.refunded - money.fees - taken - money.paid_out;
  if (money.balance !== balance) found.push(`the merchant has ${money.balance}, but ${balance} is left`);
  return found;
}

/** A request is decided once, and an approved one refunds once, exactly its amount. */
function checkRequest({ status, amount, requested_by, decided_by, refunds, acts }: Request): string[] {
  const found: string[] = [];
  const ends = acts.slice(1);
  // One whose payment changed or whose time was over ends without an act of anybody's.
  const mayEndAlone = status === "PENDING" || status === "FAILED" || status === "EXPIRED";
  const isTold = mayEndAlone && ends.length === 0 ? true : ends.join() === `approval_request.${status.toLowerCase()}`;
  if (acts[0] !== "approval_request.created" || !isTold)
    found.push(`a request that is ${status} has the acts ${acts.join()}`);
  if (requested_by === decided_by) found.push("a member decided their own request");
  const made = refunds ?? [];
  if ((status === "APPROVED") !== (made.length === 1))
    found.push(`a request that is ${status} has ${made.length} refunds`);
  if (made.some((refunded) => refunded !== amount)) found.push(`${amount} was approved, and ${made.join()} refunded`);
  return found;
}

/** A member who was told the end of a request was told the truth. */
function checkDecisions({ decisions }: Shop, requests: readonly Request[]): string[] {
  return decisions.flatMap(({ requestId, act, by, status, decidedBy }) => {
    if (status === null || status === "PENDING") return [];
    const request = requests.find(({ id }) => id === decodeId("approval", requestId));
    // It is shown as ended before that is stored.
    if (request && ["FAILED", "EXPIRED"].includes(status) && request.decided_by === null) return [];
    if (request?.status !== status || request.decided_by !== decidedBy)
      return [`a member was told that a request is ${status}, and it is ${request?.status}`];
    return act === "approve" && status === "APPROVED" && decidedBy !== by ? ["two members approved one request"] : [];
  });
}

function noteConditions({ world }: Shop, disputes: readonly Dispute[]): void {
  for (const { status } of disputes) if (!OPEN.has(status)) world.sometimes(`a dispute is ${status}`);
}
