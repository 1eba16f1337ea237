import type { Metadata } from "next";
import { NothingHere } from "@/components/shell/nothing-here";

export const metadata: Metadata = { title: "Payment link not found" };

export default function LinkNotFound() {
  return <NothingHere what="payment link" list="checkout/links" listLabel="All payment links" />;
}
