import type { Metadata } from "next";
import { notFound } from "next/navigation";

export const metadata: Metadata = { title: "Page not found" };

/** Not-found page that keeps the dashboard around it. */
export default function NoSuchPage() {
  notFound();
}
