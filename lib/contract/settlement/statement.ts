import type { MovementType } from "./balance";

/** A currency's statement: opening balance, movements by kind. Amounts in minor units. */
export type BalanceStatement = {
  currency: string;
  opening_pending: number;
  opening_available: number;
  opening_in_payout: number;
  captures: number;
  fees: number;
  refunds: number;
  refund_reversals: number;
  settlements: number;
  payouts: number;
  payout_failures: number;
  payouts_paid: number;
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
  closing: "Closing balance",
} as const;

export type StatementLine = {
  line: keyof typeof STATEMENT_LINES;
  amounts: readonly [pending: number, available: number, inPayout: number];
};

/** The columns add up: each closing balance is its opening balance plus all lines between. */
export function statementLines(statement: BalanceStatement): StatementLine[] {
  const { settlements, payouts, payout_failures } = statement;
  const lines: StatementLine[] = [
    {
      line: "opening",
      amounts: [statement.opening_pending, statement.opening_available, statement.opening_in_payout],
    },
    { line: "captures", amounts: [statement.captures, 0, 0] },
    { line: "fees", amounts: [0 - statement.fees, 0, 0] },
    { line: "refunds", amounts: [0 - statement.refunds, 0, 0] },
    { line: "refund_reversals", amounts: [statement.refund_reversals, 0, 0] },
    { line: "settlements", amounts: [0 - settlements, settlements, 0] },
    { line: "payouts", amounts: [0, 0 - payouts, payouts] },
    { line: "payout_failures", amounts: [0, payout_failures, 0 - payout_failures] },
    { line: "payouts_paid", amounts: [0, 0, 0 - statement.payouts_paid] },
  ];
  const sum = (column: 0 | 1 | 2) => lines.reduce((total, { amounts }) => total + amounts[column], 0);
  return [...lines, { line: "closing", amounts: [sum(0), sum(1), sum(2)] }];
}

export const MOVEMENT_LABELS: Record<MovementType, string> = {
  capture: "Capture",
  fee: "Fee",
  refund: "Refund",
  refund_reversal: "Refund reversal",
  settlement: "Settlement",
  payout: "Payout",
  payout_failure: "Failed payout",
  adjustment: "Adjustment",
};
