import type { DayRange } from "@/lib/contract/overview";
import { type Period, periodParams } from "@/lib/contract/overview-period";
import type { Mode, TransactionStatus } from "@/lib/contract/transaction-words";
import { transactionsHref } from "./transaction-query";

/** What the overview counts, as statuses of the list. */
export const LISTED = {
  captured: ["CAPTURED", "SETTLED", "REFUNDED", "PARTIALLY_REFUNDED"],
  refunded: ["REFUNDED", "PARTIALLY_REFUNDED"],
  declined: ["DECLINED"],
  all: [],
} as const satisfies Record<string, readonly TransactionStatus[]>;

/** The transactions created in a range of days that stand for a figure. */
export function listedHref(mode: Mode, figure: keyof typeof LISTED, { from, to }: DayRange): string {
  return transactionsHref(mode, { statuses: LISTED[figure], created: { from, to } });
}

/** The overview of a period in a currency; the merchant's usual one is not named. */
export function overviewHref(mode: Mode, period: Period, currency: string | null): string {
  const params = new URLSearchParams(periodParams(period));
  if (currency !== null) params.set("currency", currency);
  const text = params.toString();
  return `/${mode}${text && `?${text}`}`;
}
