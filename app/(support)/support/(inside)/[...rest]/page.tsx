import { notFound } from "next/navigation";
import { supportPage } from "@/lib/http/page";

export default async function SupportNowhere(): Promise<never> {
  await supportPage();
  notFound();
}
