import type { Metadata } from "next";
import { NothingHere } from "@/components/shell/nothing-here";

export const metadata: Metadata = { title: "Client session not found" };

export default function SessionNotFound() {
  return <NothingHere what="client session" list="checkout" listLabel="All sessions" />;
}
