import type { Metadata } from "next";
import { NothingHere } from "@/components/shell/nothing-here";

export const metadata: Metadata = { title: "Transaction not found" };

export default function TransactionNotFound() {
  return <NothingHere what="transaction" list="transactions" listLabel="All payments" />;
}
