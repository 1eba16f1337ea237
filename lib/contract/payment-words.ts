import type { LedgerAccountName } from "./dashboard/payment-detail";
import type { RefundReason } from "./transaction-words";

/** Words of payments for people, without zod: browser code takes them from here. */

export const REFUND_REASON_WORDS: Record<RefundReason, string> = {
  DUPLICATE: "Duplicate payment",
  FRAUDULENT: "Fraudulent",
  CUSTOMER_REQUEST: "Requested by the customer",
  RETURN: "Goods returned",
  OTHER: "Other",
};

export const LEDGER_ACCOUNT_WORDS: Record<LedgerAccountName, string> = {
  processor_receivable: "Owed by the processor",
  merchant_payable: "Your balance",
  fees: "Cardlane fees",
  bank: "Bank",
  suspense: "In clarification",
};
