import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { MerchantPage } from "@/components/support/merchant-page";
import { AppError } from "@/lib/contract/errors";
import { getMerchantView } from "@/lib/domain/support/merchants";
import type { StaffCall } from "@/lib/domain/support/staff";
import { supportPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Merchant · Support" };

type MerchantRouteProps = {
  params: Promise<{ id: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function MerchantRoute({ params, searchParams }: MerchantRouteProps) {
  const page = await supportPage();
  const mode = (await searchParams).mode === "live" ? "live" : "test";
  return <MerchantPage view={await read(page, { id: (await params).id, mode })} />;
}

async function read(page: StaffCall, input: { id: string; mode: "test" | "live" }) {
  try {
    return await getMerchantView(page, input);
  } catch (error) {
    if (error instanceof AppError && error.code === "resource_not_found") notFound();
    throw error;
  }
}
