import { type Found, findExpiring, findFailedRefunds, findUnknown } from "@/db/queries/attention";
import { encodeId } from "@/lib/contract/ids";
import type { AttentionItem, AttentionKind, AttentionRow } from "@/lib/contract/reporting/overview";
import type { Context } from "../context";

const ROWS = 5;
const HOUR_MS = 3_600_000;
const EXPIRES_WITHIN_MS = 24 * HOUR_MS;
const FAILED_WITHIN_MS = 30 * 24 * HOUR_MS;

/**
 * What needs somebody: unknown outcomes, refunds that failed within 30 days, and authorizations that run out within 24
 * hours. Kinds without any are left out; each counts all and shows up to five.
 */
export async function listAttention(ctx: Context): Promise<AttentionItem[]> {
  const { clock } = ctx.service;
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const now = clock.now().getTime();
  const at = (time: number) => new Date(time).toISOString();
  const [unknown, failed, expiring] = await Promise.all([
    findUnknown(sql, ctx.environment.id, { limit: ROWS }),
    findFailedRefunds(sql, ctx.environment.id, { since: at(now - FAILED_WITHIN_MS), limit: ROWS }),
    findExpiring(sql, ctx.environment.id, { until: at(now + EXPIRES_WITHIN_MS), limit: ROWS }),
  ]);
  return [item("unknown_outcome", unknown), item("failed_refund", failed), item("expiring", expiring)].filter(
    ({ count }) => count > 0,
  );
}

type Row = Pick<AttentionRow, "amount" | "currency" | "at"> & {
  payment_id: string;
  transaction_id?: string;
  kind?: NonNullable<AttentionRow["doing"]>;
};

function item(kind: AttentionKind, { count, rows }: Found<Row>): AttentionItem {
  return {
    kind,
    count,
    rows: rows.map((row) => ({
      paymentId: encodeId("payment", row.payment_id),
      transactionId: row.transaction_id === undefined ? null : encodeId("transaction", row.transaction_id),
      doing: row.kind ?? null,
      amount: row.amount,
      currency: row.currency,
      at: row.at,
    })),
  };
}
