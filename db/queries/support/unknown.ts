import type { Sql } from "@/db/client";
import type { OperationKind, OperationState } from "@/db/schema/operations";
import type { Mode } from "@/lib/contract/transactions/words";
import { isOver } from "../payments/operations";

export type UnknownRow = {
  environment_id: string;
  id: string;
  kind: OperationKind;
  amount: number;
  currency: string;
  payment_id: string;
  attempts: number;
  last_answer: string | null;
  next_attempt_at: string;
  created_at: string;
  /** A process is working on it. */
  held: boolean;
  /** Open for over 24 hours: its status is no longer checked automatically. */
  waits: boolean;
  mode: Mode;
  merchant_id: string;
  merchant_name: string;
};

/**
 * Operations without a known outcome, oldest first: a call ended without one, or its process died. Excludes
 * those in progress for the first time. Index: operations_open, which holds open operations only.
 */
export async function listUnknownOperations(sql: Sql, limit: number): Promise<UnknownRow[]> {
  return sql<UnknownRow[]>`
    select o.environment_id, o.id, o.kind, o.amount, o.currency, o.payment_id, o.attempts, o.last_answer, o.next_attempt_at,
      o.created_at, not ${isOver(sql, "o.lease_until")} as held, o.created_at <= now() - interval '24 hours' as waits,
      e.mode, m.id as merchant_id, m.name as merchant_name
    from operations o
    join environments e on e.id = o.environment_id
    join merchants m on m.id = e.merchant_id
    where o.state = 'open' and (o.unknown_at is not null or ${isOver(sql, "o.lease_until")})
    order by o.created_at, o.id
    limit ${limit}::int`;
}

export async function countUnknownOperations(sql: Sql): Promise<{ all: number; waiting: number }> {
  const [row] = await sql<{ all: number; waiting: number }[]>`
    select count(*) as all, count(*) filter (where created_at <= now() - interval '24 hours') as waiting
    from operations where state = 'open' and (unknown_at is not null or ${isOver(sql, "lease_until")})`;
  return row ?? { all: 0, waiting: 0 };
}

type OperationPlace = {
  environment_id: string;
  mode: Mode;
  merchant_id: string;
  payment_id: string;
  state: OperationState;
};

/** An operation known only by id: one primary key lookup per environment. */
export async function findOperationAnywhere(sql: Sql, id: string): Promise<OperationPlace | null> {
  const [row] = await sql<OperationPlace[]>`
    select e.id as environment_id, e.mode, e.merchant_id, o.payment_id, o.state
    from environments e
    cross join lateral (
      select payment_id, state from operations where environment_id = e.id and id = ${id}::uuid limit 1
    ) o
    limit 1`;
  return row ?? null;
}
