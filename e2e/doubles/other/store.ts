import type { Database, Sql, Transaction } from "@/db/client";
import { listOffendingRows, type OffendingRow, withSnapshot } from "@/db/queries/reconciliation/checks";
import { PROCESSOR_CHECKS } from "@/db/queries/reconciliation/processor";
import type { DeclineCode } from "@/lib/contract/errors";
import type { AvsResult } from "@/lib/contract/payments/words";
import type { SandboxBehavior } from "@/lib/contract/sandbox-cards";

/**
 * The other processor's books, in their own schema. An intent is created, then confirmed; a movement of its
 * money is submitted and, unless it is a void, decided later; news reports decisions. Views match the
 * sandbox's tables, so proofs compare either store with our books by the same queries.
 */
const TABLES = `
  create schema if not exists other_processor;
  create table if not exists other_processor.tokens (
    token text primary key, account uuid not null, behavior text not null, exp_month int not null, exp_year int not null,
    created_at timestamptz not null default now());
  create table if not exists other_processor.refusals (reference uuid primary key);
  create table if not exists other_processor.intents (
    id text primary key, reference uuid not null unique, account uuid not null, amount bigint not null, currency text not null,
    status text not null default 'created'
      check (status in ('created', 'canceled', 'approved', 'declined', 'action_required')),
    behavior text, decline_code text, capture_at_once boolean not null default false, avs_result text, cvv_result text,
    amount_captured bigint not null default 0, capture_pending bigint not null default 0,
    amount_refunded bigint not null default 0, refund_pending bigint not null default 0,
    voided boolean not null default false,
    check (amount_captured + capture_pending between 0 and amount),
    check (amount_refunded + refund_pending between 0 and amount_captured),
    check (amount_captured + capture_pending = 0 or (status = 'approved' and not voided)));
  create table if not exists other_processor.movements (
    id text primary key, reference uuid not null unique, account uuid not null,
    kind text not null check (kind in ('continue', 'capture', 'void', 'refund')),
    intent text not null references other_processor.intents, amount bigint not null, currency text not null,
    outcome text not null default 'created'
      check (outcome in ('created', 'pending', 'approved', 'declined', 'failed', 'action_required')),
    decline_code text);
  create table if not exists other_processor.news (
    id text primary key, about text not null check (about in ('decision', 'return', 'challenge')), object text not null,
    reference uuid not null, account uuid not null, due_at timestamptz not null, applied_at timestamptz,
    acknowledged_at timestamptz, deliveries int not null default 0);
  create index if not exists news_open on other_processor.news (due_at) where acknowledged_at is null;
  create or replace view other_processor.charges as
    select reference, account, case status when 'canceled' then 'closed' else behavior end as behavior,
      case status when 'canceled' then 'declined' else status end as outcome, amount, currency, amount_captured,
      amount_refunded, voided
    from other_processor.intents where status <> 'created';
  create or replace view other_processor.operations as
    select m.reference, m.account, m.kind, i.reference as charge, m.amount, m.currency, m.outcome
    from other_processor.movements m join other_processor.intents i on i.id = m.intent where m.outcome <> 'created';
  create or replace view other_processor.reports as
    select reference, account, due_at, applied_at, acknowledged_at from other_processor.news where about = 'return';`;

/** Creates the schema if it doesn't exist; safe to call from concurrent processes. */
export async function createOtherStore(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext('other_processor'))`;
    await tx.unsafe(TABLES);
  });
}

export type Intent = {
  id: string;
  reference: string;
  account: string;
  amount: number;
  currency: string;
  status: "created" | "canceled" | "approved" | "declined" | "action_required";
  behavior: SandboxBehavior | null;
  decline_code: DeclineCode | null;
  capture_at_once: boolean;
  avs_result: AvsResult | null;
  cvv_result: "M" | "N" | null;
  amount_captured: number;
  amount_refunded: number;
  voided: boolean;
};

export type Movement = {
  id: string;
  reference: string;
  account: string;
  kind: "continue" | "capture" | "void" | "refund";
  intent: string;
  amount: number;
  currency: string;
  outcome: "created" | "pending" | "approved" | "declined" | "failed" | "action_required";
  decline_code: DeclineCode | null;
};

type NewIntent = Pick<Intent, "id" | "reference" | "account" | "amount" | "currency">;

/** Creates one intent per reference; later calls return the existing one. */
export async function createIntent(sql: Sql, given: NewIntent): Promise<Intent> {
  await sql`
    insert into other_processor.intents (id, reference, account, amount, currency)
    values (${given.id}, ${given.reference}::uuid, ${given.account}::uuid, ${given.amount}::bigint, ${given.currency})
    on conflict (reference) do nothing`;
  const intent = await findIntent(sql, given.reference);
  if (!intent) throw new Error("the created intent is missing");
  return intent;
}

export async function findIntent(sql: Sql, reference: string): Promise<Intent | null> {
  const [row] = await sql<Intent[]>`select * from other_processor.intents where reference = ${reference}::uuid`;
  return row ?? null;
}

type Decision = Pick<Intent, "behavior" | "decline_code" | "capture_at_once" | "avs_result" | "cvv_result"> & {
  status: "approved" | "declined" | "action_required";
  captured: number;
};

/** Confirms an intent that is neither confirmed nor canceled. `fresh`: confirmed by this call. */
export async function confirmIntent(sql: Sql, id: string, to: Decision): Promise<{ intent: Intent; fresh: boolean }> {
  const [confirmed] = await sql<Intent[]>`
    update other_processor.intents set status = ${to.status}, behavior = ${to.behavior},
      decline_code = ${to.decline_code}, capture_at_once = ${to.capture_at_once}, avs_result = ${to.avs_result},
      cvv_result = ${to.cvv_result}, amount_captured = ${to.captured}::bigint
    where id = ${id} and status = 'created' returning *`;
  if (confirmed) return { intent: confirmed, fresh: true };
  const [intent] = await sql<Intent[]>`select * from other_processor.intents where id = ${id}`;
  if (!intent) throw new Error("the created intent is missing");
  return { intent, fresh: false };
}

/** Prevents confirmation, unless the intent is already confirmed. */
export async function cancelIntent(sql: Sql, id: string): Promise<void> {
  await sql`update other_processor.intents set status = 'canceled' where id = ${id} and status = 'created'`;
}

export async function findMovement(sql: Sql, reference: string): Promise<Movement | null> {
  const [row] = await sql<Movement[]>`select * from other_processor.movements where reference = ${reference}::uuid`;
  return row ?? null;
}

type NewMovement = Pick<Movement, "id" | "reference" | "account" | "kind"> & {
  /** Null: the intent's. */
  amount: number | null;
  currency: string | null;
};

/** Creates one movement per reference. Null: the account has no intent with that id. */
export async function createMovement(sql: Sql, intentId: string, given: NewMovement): Promise<Movement | null> {
  const known = await findMovement(sql, given.reference);
  if (known) return known.account === given.account ? known : null;
  await sql`
    insert into other_processor.movements (id, reference, account, kind, intent, amount, currency)
    select ${given.id}, ${given.reference}::uuid, account, ${given.kind}, id,
      coalesce(${given.amount}::bigint, amount), coalesce(${given.currency}, currency)
    from other_processor.intents where id = ${intentId} and account = ${given.account}::uuid
    on conflict (reference) do nothing`;
  const created = await findMovement(sql, given.reference);
  return created?.account === given.account ? created : null;
}

/** Locks the movement's intent until the transaction ends; returns both. */
async function lock(tx: Transaction, movementId: string): Promise<{ intent: Intent; movement: Movement }> {
  const [intent] = await tx<Intent[]>`
    select i.* from other_processor.intents i join other_processor.movements m on m.intent = i.id
    where m.id = ${movementId} for update of i`;
  const [movement] = await tx<Movement[]>`select * from other_processor.movements where id = ${movementId}`;
  if (!intent || !movement) throw new Error("the created movement is missing");
  return { intent, movement };
}

/**
 * Executes a void immediately, with `evenCaptured` refunding all that was captured; queues a capture or
 * refund if the balance covers it. Idempotent.
 */
export async function submitMovement(
  sql: Sql,
  movementId: string,
  terms: { newsId: string; afterMs: number; wholeOnly: boolean; evenCaptured: boolean },
): Promise<Movement> {
  const { newsId, afterMs, wholeOnly, evenCaptured } = terms;
  return sql.begin(async (tx) => {
    const { intent, movement } = await lock(tx, movementId);
    if (movement.outcome !== "created") return movement;
    const { kind, amount } = movement;
    const isPart = kind === "capture" && amount < intent.amount;
    const allowed =
      intent.status === "approved" && !intent.voided && intent.currency === movement.currency && !(wholeOnly && isPart)
        ? tx`case ${kind}::text
            when 'capture' then amount_captured + capture_pending = 0 and ${amount}::bigint <= amount
            when 'void' then capture_pending = 0 and (amount_captured = 0
              or (${evenCaptured}::boolean and refund_pending = 0 and amount_refunded < amount_captured))
            when 'refund' then amount_refunded + refund_pending + ${amount}::bigint <= amount_captured end`
        : tx`false`;
    const taken = await tx`
      update other_processor.intents set
        capture_pending = capture_pending + case ${kind}::text when 'capture' then ${amount}::bigint else 0 end,
        refund_pending = refund_pending + case ${kind}::text when 'refund' then ${amount}::bigint else 0 end,
        amount_refunded = case ${kind}::text when 'void' then amount_captured else amount_refunded end,
        voided = voided or (${kind}::text = 'void' and amount_captured = 0)
      where id = ${intent.id} and ${allowed} returning 1`;
    const outcome = taken.length === 0 ? "declined" : kind === "void" ? "approved" : "pending";
    if (outcome === "pending") {
      await tx`
        insert into other_processor.news (id, about, object, reference, account, due_at)
        values (${newsId}, 'decision', ${movement.id}, ${movement.reference}::uuid, ${movement.account}::uuid,
          now() + ${afterMs}::int * interval '1 ms')`;
    }
    await tx`update other_processor.movements set outcome = ${outcome} where id = ${movement.id}`;
    return { ...movement, outcome };
  });
}

/** Ends a challenge as passed or failed; null leaves it pending. Only the first decision counts. */
export async function submitContinuation(sql: Sql, movementId: string, passed: boolean | null): Promise<Movement> {
  return sql.begin(async (tx) => {
    const { intent, movement } = await lock(tx, movementId);
    if (movement.outcome !== "created") return movement;
    const { status, decline_code } =
      intent.status === "action_required" && passed !== null ? await endChallenge(tx, intent, passed) : intent;
    const outcome = status === "approved" || status === "action_required" ? status : "declined";
    await tx`
      update other_processor.movements set outcome = ${outcome}, decline_code = ${decline_code} where id = ${movement.id}`;
    return { ...movement, outcome, decline_code };
  });
}

async function endChallenge(tx: Transaction, intent: Intent, passed: boolean): Promise<Intent> {
  const [ended] = await tx<Intent[]>`
    update other_processor.intents set status = ${passed ? "approved" : "declined"},
      decline_code = ${passed ? null : "authentication_failed"},
      amount_captured = case when ${passed}::boolean and capture_at_once then amount else 0 end
    where id = ${intent.id} and status = 'action_required' returning *`;
  if (!ended) throw new Error("a locked intent changed");
  return ended;
}

/** Submits a shopper's result on the processor's own page, which the processor reports later. */
export async function answerOwnChallenge(sql: Sql, intentId: string, passed: boolean, newsId: string): Promise<void> {
  await sql.begin(async (tx) => {
    const [intent] = await tx<Intent[]>`select * from other_processor.intents where id = ${intentId} for update`;
    if (intent?.status !== "action_required") return;
    await endChallenge(tx, intent, passed);
    await tx`
      insert into other_processor.news (id, about, object, reference, account, due_at, applied_at)
      values (${newsId}, 'challenge', ${intent.id}, ${intent.reference}::uuid, ${intent.account}::uuid, now(), now())`;
  });
}

export type News = { id: string; about: "decision" | "return" | "challenge"; object: string; reference: string };

/** Decides one due movement or reverses one refund, in random order. False: nothing is due. */
export async function applyDueNews(sql: Sql, newsId: string, returnsAfterMs: number): Promise<boolean> {
  return sql.begin(async (tx) => {
    const [due] = await tx<News[]>`
      select id, about, object, reference from other_processor.news
      where acknowledged_at is null and applied_at is null and due_at <= now()
      order by md5(id) limit 1 for update skip locked`;
    if (!due) return false;
    await (due.about === "decision" ? decide(tx, due, { newsId, returnsAfterMs }) : giveBack(tx, due));
    await tx`update other_processor.news set applied_at = now() where id = ${due.id}`;
    return true;
  });
}

async function decide(
  tx: Transaction,
  { object }: News,
  { newsId, returnsAfterMs }: { newsId: string; returnsAfterMs: number },
): Promise<void> {
  const { intent, movement } = await lock(tx, object);
  const { kind, amount } = movement;
  const approved = !(kind === "capture" && intent.behavior === "capture_fails");
  const capture = kind === "capture" ? amount : 0;
  const refund = kind === "refund" ? amount : 0;
  await tx`
    update other_processor.intents set capture_pending = capture_pending - ${capture}::bigint,
      refund_pending = refund_pending - ${refund}::bigint,
      amount_captured = amount_captured + ${approved ? capture : 0}::bigint,
      amount_refunded = amount_refunded + ${approved ? refund : 0}::bigint
    where id = ${intent.id}`;
  await tx`
    update other_processor.movements set outcome = ${approved ? "approved" : "declined"} where id = ${movement.id}`;
  if (kind !== "refund" || intent.behavior !== "refund_fails_later") return;
  await tx`
    insert into other_processor.news (id, about, object, reference, account, due_at)
    values (${newsId}, 'return', ${movement.id}, ${movement.reference}::uuid, ${movement.account}::uuid,
      now() + ${returnsAfterMs}::int * interval '1 ms')`;
}

async function giveBack(tx: Transaction, { object }: News): Promise<void> {
  const { intent, movement } = await lock(tx, object);
  await tx`
    update other_processor.intents set amount_refunded = amount_refunded - ${movement.amount}::bigint where id = ${intent.id}`;
  await tx`update other_processor.movements set outcome = 'failed' where id = ${movement.id}`;
}

/** Unacknowledged news of one account, or of all if null; in no meaningful order. */
export async function listNews(sql: Sql, limit: number, account: string | null): Promise<News[]> {
  return sql<News[]>`
    select id, about, object, reference from other_processor.news
    where applied_at is not null and acknowledged_at is null and (${account}::uuid is null or account = ${account}::uuid)
    order by deliveries, md5(id) limit ${limit}::int`;
}

export async function noteDelivery(sql: Sql, id: string, acknowledged: boolean): Promise<void> {
  await sql`
    update other_processor.news set deliveries = deliveries + 1,
      acknowledged_at = case when ${acknowledged}::boolean then coalesce(acknowledged_at, now()) end
    where id = ${id}`;
}

export type Token = {
  token: string;
  account: string;
  behavior: SandboxBehavior;
  exp_month: number;
  exp_year: number;
};

export async function insertToken(sql: Sql, token: Token): Promise<void> {
  await sql`
    insert into other_processor.tokens (token, account, behavior, exp_month, exp_year)
    values (${token.token}, ${token.account}::uuid, ${token.behavior}, ${token.exp_month}::int, ${token.exp_year}::int)`;
}

/** Null if the token belongs to another account or doesn't exist. */
export async function findToken(sql: Sql, token: string, account: string): Promise<Token | null> {
  const [row] = await sql<Token[]>`
    select token, account, behavior, exp_month, exp_year from other_processor.tokens
    where token = ${token} and account = ${account}::uuid`;
  return row ?? null;
}

/** Deletes tokens that are over an hour old. */
export async function forgetOldTokens(sql: Sql): Promise<number> {
  const removed = await sql`delete from other_processor.tokens where created_at < now() - interval '1 hour'`;
  return removed.count;
}

/** Records that the first attempt is refused. False if it was refused before. */
export async function insertRefusal(sql: Sql, reference: string): Promise<boolean> {
  const rows = await sql`
    insert into other_processor.refusals (reference) values (${reference}::uuid) on conflict do nothing returning 1`;
  return rows.length > 0;
}

/** Differences between this store and our books, by the checks that reconciliation runs for the sandbox. */
export async function faultsOfOtherStore(db: Database): Promise<{ check: string; rows: OffendingRow[] }[]> {
  return withSnapshot(db, async (tx) => {
    const faults = [];
    for (const check of PROCESSOR_CHECKS) {
      const sql = check.sql.replaceAll("sandbox_processor", "other_processor").replaceAll("'sandbox'", "'other'");
      const { rows } = await listOffendingRows(tx, { ...check, sql }, 5);
      if (rows.length > 0) faults.push({ check: check.check, rows });
    }
    return faults;
  });
}
