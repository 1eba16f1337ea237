import type { MovementType } from "./balance";

/** A currency's statement: opening balance, movements by kind. Amounts in minor units. */
export type BalanceStatement = {
  currency: string;
  opening_pending: number;
  opening_available: number;
  opening_in_payout: number;
  opening_in_dispute: number;
  captures: number;
  fees: number;
  refunds: number;
  refund_reversals: number;
  settlements: number;
  payouts: number;
  payout_failures: number;
  payouts_paid: number;
  disputes: number;
  dispute_fees: number;
  disputes_paid: number;
};

export const STATEMENT_LINES = {
  opening: "Opening balance",
  captures: "Captures",
  fees: "Fees",
  refunds: "Refunds",
  refund_reversals: "Refund reversals",
  settlements: "Settlements",
  payouts: "Payouts",
  payout_failures: "Failed payouts",
  payouts_paid: "Paid to your bank",
  disputes: "Disputes, less what was returned",
  dispute_fees: "Dispute fees",
  disputes_paid: "Disputes decided",
  closing: "Closing balance",
} as const;

export type StatementLine = {
  line: keyof typeof STATEMENT_LINES;
  amounts: readonly [pending: number, available: number, inPayout: number, inDispute: number];
};

/** The columns add up: each closing balance is its opening balance plus all lines between. */
export function statementLines(statement: BalanceStatement): StatementLine[] {
  const { settlements, payouts, payout_failures, disputes, dispute_fees } = statement;
  const { opening_pending, opening_available, opening_in_payout, opening_in_dispute } = statement;
  const lines: StatementLine[] = [
    { line: "opening", amounts: [opening_pending, opening_available, opening_in_payout, opening_in_dispute] },
    { line: "captures", amounts: [statement.captures, 0, 0, 0] },
    { line: "fees", amounts: [0 - statement.fees, 0, 0, 0] },
    { line: "refunds", amounts: [0 - statement.refunds, 0, 0, 0] },
    { line: "refund_reversals", amounts: [statement.refund_reversals, 0, 0, 0] },
    { line: "settlements", amounts: [0 - settlements, settlements, 0, 0] },
    { line: "disputes", amounts: [0, 0 - disputes, 0, disputes] },
    { line: "dispute_fees", amounts: [0, 0 - dispute_fees, 0, dispute_fees] },
    { line: "disputes_paid", amounts: [0, 0, 0, 0 - statement.disputes_paid] },
    { line: "payouts", amounts: [0, 0 - payouts, payouts, 0] },
    { line: "payout_failures", amounts: [0, payout_failures, 0 - payout_failures, 0] },
    { line: "payouts_paid", amounts: [0, 0, 0 - statement.payouts_paid, 0] },
  ];
  const sum = (column: 0 | 1 | 2 | 3) => lines.reduce((total, { amounts }) => total + amounts[column], 0);
  return [...lines, { line: "closing", amounts: [sum(0), sum(1), sum(2), sum(3)] }];
}

export const MOVEMENT_LABELS: Record<MovementType, string> = {
  capture: "Capture",
  fee: "Fee",
  refund: "Refund",
  refund_reversal: "Refund reversal",
  settlement: "Settlement",
  payout: "Payout",
  payout_failure: "Failed payout",
  dispute: "Dispute",
  dispute_return: "Dispute returned",
  dispute_fee: "Dispute fee",
  adjustment: "Adjustment",
};
