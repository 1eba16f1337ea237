import { sql as statement } from "drizzle-orm";
import type { Orm, Sql, Transaction } from "@/db/client";
import { type DisputeMovementRow, disputeMovements } from "@/db/schema/disputes";
import { type LedgerAccount, ledgerEntries } from "@/db/schema/payments";

/**
 * The position of a dispute's money by its ledger lines, in minor units of `currency`: the amount that left the
 * available balance, and how much of it left the disputes account for good.
 */
export type DisputePosition = {
  readonly currency: string;
  readonly amountTaken: number;
  readonly feeTaken: number;
  readonly amountGone: number;
  readonly feeGone: number;
};

/** Ledger lines of a movement. Each is written in one direction or the other. */
export const DISPUTE_LINES = [
  { line: 1, part: "amountTaken", debit: "merchant_available", credit: "disputes" },
  { line: 2, part: "feeTaken", debit: "merchant_available", credit: "disputes" },
  { line: 3, part: "amountGone", debit: "disputes", credit: "bank" },
  { line: 4, part: "feeGone", debit: "disputes", credit: "bank" },
] as const satisfies readonly {
  line: number;
  part: keyof DisputePosition;
  debit: LedgerAccount;
  credit: LedgerAccount;
}[];

/**
 * A dispute's booked position, one per currency, as a processor may correct the currency. Call it in the
 * transaction that holds the dispute's row. Index: `dispute_movements_dispute`.
 */
export async function readDisputePositions(
  orm: Orm,
  environmentId: string,
  disputeId: string,
): Promise<DisputePosition[]> {
  const sum = (line: number, debit: LedgerAccount) =>
    statement.raw(
      `coalesce(sum(case debit_account when '${debit}' then l.amount else -l.amount end) filter (where line = ${line}), 0)::float8`,
    );
  const parts = DISPUTE_LINES.map(
    ({ line, part, debit }) => statement`${sum(line, debit)} as ${statement.identifier(part)}`,
  );
  return await orm.execute<DisputePosition>(statement`
    select l.currency, ${statement.join(parts, statement`, `)}
    from dispute_movements m
    join ledger_entries l on l.environment_id = m.environment_id and l.operation_id = m.id
    where m.environment_id = ${environmentId}::uuid and m.dispute_id = ${disputeId}::uuid
    group by l.currency`);
}

export type NewDisputeMovement = Omit<DisputeMovementRow, "environment_id" | "payout_id" | "payout_failed"> & {
  lines: readonly { line: number; debit_account: LedgerAccount; credit_account: LedgerAccount; amount: number }[];
};

/** Inserts a movement with its ledger lines. */
export async function insertDisputeMovement(
  orm: Orm,
  environment_id: string,
  { lines, ...movement }: NewDisputeMovement,
): Promise<void> {
  const { id: operation_id, payment_id, currency, created_at } = movement;
  await orm.insert(disputeMovements).values({ environment_id, ...movement });
  await orm
    .insert(ledgerEntries)
    .values(lines.map((line) => ({ environment_id, operation_id, payment_id, currency, created_at, ...line })));
}

/** Disputes' movements in a payout, oldest first. By primary key. */
export async function listMovementsOfPayout(
  sql: Sql | Transaction,
  environmentId: string,
  ids: readonly string[],
): Promise<DisputeMovementRow[]> {
  return await sql<DisputeMovementRow[]>`
    select * from dispute_movements
    where environment_id = ${environmentId}::uuid and id = any(${ids}::uuid[]) order by id`;
}
