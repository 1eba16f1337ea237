import type { Sql } from "@/db/client";
import type { OperationRow } from "@/db/schema/operations";
import type { Mode } from "@/lib/contract/transaction-words";

/** Milliseconds from the database's now: calls may be sent for so long, and the operation is ours for so long. */
export type Lease = { readonly sendWithinMs: number; readonly heldForMs: number };

/** An open operation in this process's hands, until its lease runs out. */
export type TakenOperation = OperationRow & {
  mode: Mode;
  merchant_id: string;
  /** A call sent now must not be executed after this, by the database's clock. */
  not_after: string;
  /** For how long no call for it can have been executed: since the last one ended, or was past its time. */
  quiet_ms: number;
};

function taken(sql: Sql, { sendWithinMs }: Lease) {
  return sql`o.*, e.mode, e.merchant_id, now() + ${sendWithinMs}::int * interval '1 ms' as not_after,
    (extract(epoch from now() - coalesce(o.unknown_at, o.created_at + ${sendWithinMs}::int * interval '1 ms')) * 1000)::float8 as quiet_ms`;
}

/** One operation; null when there is none. */
export async function findOperation(sql: Sql, environmentId: string, id: string): Promise<OperationRow | null> {
  const [row] = await sql<OperationRow[]>`
    select * from operations where environment_id = ${environmentId}::uuid and id = ${id}::uuid`;
  return row ?? null;
}

/** Takes over one open operation whose lease ran out; null when someone else has it, or it is closed. */
export async function takeOperation(
  sql: Sql,
  environmentId: string,
  id: string,
  lease: Lease,
): Promise<TakenOperation | null> {
  const [row] = await sql<TakenOperation[]>`
    update operations o set epoch = epoch + 1, attempts = attempts + 1,
      lease_until = now() + ${lease.heldForMs}::int * interval '1 ms', next_attempt_at = now() + ${lease.heldForMs}::int * interval '1 ms'
    from environments e
    where o.environment_id = ${environmentId}::uuid and o.id = ${id}::uuid and o.state = 'open' and o.lease_until <= now()
      and e.id = o.environment_id
    returning ${taken(sql, lease)}`;
  return row ?? null;
}

/** Takes over up to `limit` open operations that are due, passing over those that others hold. Index: `operations_open`. */
export async function takeDueOperations(sql: Sql, limit: number, lease: Lease): Promise<TakenOperation[]> {
  return sql<TakenOperation[]>`
    update operations o set epoch = epoch + 1, attempts = attempts + 1,
      lease_until = now() + ${lease.heldForMs}::int * interval '1 ms', next_attempt_at = now() + ${lease.heldForMs}::int * interval '1 ms'
    from environments e
    where e.id = o.environment_id and (o.environment_id, o.id) in (
      select environment_id, id from operations
      where state = 'open' and next_attempt_at <= now() and lease_until <= now()
        and created_at > now() - interval '24 hours'
      order by next_attempt_at
      limit ${limit}::int
      for update skip locked
    )
    returning ${taken(sql, lease)}`;
}

/** The call ended without a known outcome: gives the operation back, to be asked about after `delayMs`. */
export async function releaseOperation(
  sql: Sql,
  operation: { environment_id: string; id: string; epoch: number },
  answer: { text: string; accepted: boolean },
  delayMs: number,
): Promise<void> {
  await sql`
    update operations set lease_until = now(), next_attempt_at = now() + ${delayMs}::int * interval '1 ms',
      unknown_at = coalesce(unknown_at, now()), last_answer = ${answer.text},
      accepted_at = case when ${answer.accepted}::boolean then coalesce(accepted_at, now()) else accepted_at end
    where environment_id = ${operation.environment_id}::uuid and id = ${operation.id}::uuid and state = 'open'
      and epoch = ${operation.epoch}::int`;
}
