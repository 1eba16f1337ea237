import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { supportPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Page not found · Support" };

export default async function SupportNowhere(): Promise<never> {
  await supportPage();
  notFound();
}
