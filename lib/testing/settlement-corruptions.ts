import type { Sql } from "@/db/client";
import { newId } from "@/lib/ids";
import type { BookedIds, Corruption } from "./books";

/** Those of what happens after a capture: batches, what they pay back, and payouts. */
export const settlementCorruptions = (sql: Sql): Corruption[] => [
  {
    check: "receivable_is_unsettled_money",
    how: "a charge marked as settled without a batch's ledger line",
    corrupt: (env, _ids, batchId) =>
      sql`delete from ledger_entries where environment_id = ${env} and operation_id = ${batchId} and line = 1`,
  },
  {
    check: "receivable_is_unsettled_money",
    how: "a failed refund that is marked as paid back and never reached the bank",
    corrupt: (env, _ids, _batchId, paidBack) =>
      sql`delete from ledger_entries where environment_id = ${env} and operation_id = ${paidBack.batchId} and line = 3`,
  },
  {
    check: "receivable_is_unsettled_money",
    how: "a failed refund that reached the bank and is still marked as owed",
    corrupt: (env, _ids, _batchId, paidBack) =>
      sql`update transactions set reversal_batch_id = null where environment_id = ${env} and id = ${paidBack.refund}`,
  },
  {
    check: "batch_is_sum_of_items",
    how: "a batch that pays back more than its failed refunds",
    corrupt: (env, _ids, _batchId, paidBack) => sql`update settlement_batches set reversal_amount = reversal_amount + 1
      where environment_id = ${env} and id = ${paidBack.batchId}`,
  },
  {
    check: "batch_is_sum_of_items",
    how: "a failed refund paid back by a batch that does not exist",
    corrupt: (env, _ids, _batchId, paidBack) =>
      sql`update transactions set reversal_batch_id = ${newId()} where environment_id = ${env} and id = ${paidBack.refund}`,
  },
  {
    check: "batch_is_sum_of_items",
    how: "a batch that counts more than its items",
    corrupt: (env, _ids, batchId) =>
      sql`update settlement_batches set charge_amount = charge_amount + 1 where environment_id = ${env} and id = ${batchId}`,
  },
  {
    check: "batch_is_sum_of_items",
    how: "a transaction settled in a batch that does not exist",
    corrupt: (env, ids) =>
      sql`update transactions set settlement_batch_id = ${newId()} where environment_id = ${env} and id = ${ids.refund}`,
  },
  {
    check: "batch_has_ledger_lines",
    how: "a batch whose ledger line has another amount",
    corrupt: (env, _ids, batchId) =>
      sql`update ledger_entries set amount = amount + 1 where environment_id = ${env} and operation_id = ${batchId} and line = 2`,
  },
  {
    check: "batch_has_ledger_lines",
    how: "a batch that paid back another amount than it says",
    corrupt: (env, _ids, _batchId, paidBack) => sql`update ledger_entries set amount = amount + 1
      where environment_id = ${env} and operation_id = ${paidBack.batchId} and line = 3`,
  },
  {
    check: "batch_has_ledger_lines",
    how: "a batch that made more available than it brought",
    corrupt: (env, _ids, batchId) =>
      sql`update ledger_entries set amount = amount + 1 where environment_id = ${env} and operation_id = ${batchId} and line = 4`,
  },
  ...(
    [
      [
        "payout_is_sum_of_batches",
        "of another amount than its batches",
        (env) => sql`update payouts set amount = amount + 1 where environment_id = ${env}`,
      ],
      [
        "payout_is_sum_of_batches",
        "whose batch is in another one",
        (env, batchId) =>
          sql`update settlement_batches set payout_id = ${newId()} where environment_id = ${env} and id = ${batchId}`,
      ],
      [
        "payout_is_sum_of_batches",
        "that failed and kept its batch",
        (env) => sql`update payouts set status = 'FAILED', failure_reason = 'x' where environment_id = ${env}`,
      ],
      [
        "payout_has_ledger_lines",
        "that is paid and never reached the bank",
        (env) => sql`update payouts set status = 'PAID' where environment_id = ${env}`,
      ],
      [
        "payout_has_ledger_lines",
        "that was paid while it is on its way",
        (env) => sql`insert into ledger_entries
          (environment_id, operation_id, line, payment_id, debit_account, credit_account, amount, currency)
          select environment_id, id, 2, null, 'merchant_in_payout', 'bank', amount, currency from payouts where environment_id = ${env}`,
      ],
      [
        "balance_is_batches_and_payouts",
        "whose batch says that it is in none",
        (env, batchId) =>
          sql`update settlement_batches set payout_id = null where environment_id = ${env} and id = ${batchId}`,
      ],
      [
        "daily_totals_match_ledger",
        "that the balance does not count",
        (env) => sql`delete from total_deltas where environment_id = ${env} and measure = 'payout'`,
      ],
    ] satisfies [string, string, (env: string, batchId: string) => Promise<unknown>][]
  ).map(([check, how, change]) => ({
    check,
    how: `a payout ${how}`,
    corrupt: (env: string, _ids: BookedIds, batchId: string) => change(env, batchId),
  })),
  {
    check: "settled_means_in_a_batch",
    how: "a refund that is paid back and did not fail",
    corrupt: (env, ids, _batchId, paidBack) =>
      sql`update transactions set reversal_batch_id = ${paidBack.batchId} where environment_id = ${env} and id = ${ids.refund}`,
  },
  {
    check: "settled_means_in_a_batch",
    how: "a refund that is paid back by the batch that took it",
    corrupt: (env, _ids, batchId, paidBack) =>
      sql`update transactions set reversal_batch_id = ${batchId} where environment_id = ${env} and id = ${paidBack.refund}`,
  },
  {
    check: "settled_means_in_a_batch",
    how: "a settled transaction without a batch",
    corrupt: (env, ids) =>
      sql`update transactions set settlement_batch_id = null where environment_id = ${env} and id = ${ids.charge}`,
  },
];
