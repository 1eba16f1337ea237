import type { TransactionQuery } from "@/lib/client/transaction-query";
import type { SortField } from "@/lib/contract/transaction-words";

const WORDS: Record<SortField, Record<"asc" | "desc", string>> = {
  created_at: { desc: "newest first", asc: "oldest first" },
  amount: { desc: "largest amount first", asc: "smallest amount first" },
  status: { desc: "by status, reversed", asc: "by status" },
};

export const sortText = ({ field, order }: TransactionQuery["sort"]): string => WORDS[field][order];
