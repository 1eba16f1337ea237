import type { Metadata } from "next";
import { notFound } from "next/navigation";

export const metadata: Metadata = { title: "Page not found" };

/** An address without a page, said within the dashboard. */
export default function NoSuchPage() {
  notFound();
}
