import type { Metadata } from "next";
import { NothingHere } from "@/components/shell/nothing-here";

export const metadata: Metadata = { title: "Payment not found" };

export default function PaymentNotFound() {
  return <NothingHere what="payment" list="transactions" listLabel="All payments" />;
}
