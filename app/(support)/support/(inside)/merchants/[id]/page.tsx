import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { MerchantPage } from "@/components/support/merchant-page";
import { AppError } from "@/lib/contract/errors";
import { getMerchantView } from "@/lib/domain/support/merchants";
import type { StaffCall } from "@/lib/domain/support/staff";
import { type SearchParams, supportPage } from "@/lib/http/page";

type MerchantRouteProps = {
  params: Promise<{ id: string }>;
  searchParams: Promise<SearchParams>;
};

export async function generateMetadata(props: MerchantRouteProps): Promise<Metadata> {
  const { profile } = await viewOf(props);
  return { title: `${profile.name} · Support` };
}

export default async function MerchantRoute(props: MerchantRouteProps) {
  return <MerchantPage view={await viewOf(props)} />;
}

async function viewOf({ params, searchParams }: MerchantRouteProps) {
  const mode = (await searchParams).mode === "live" ? "live" : "test";
  return await read(await supportPage(), (await params).id, mode);
}

/** Cached because the page and its title both need it, and each look-up is recorded. */
const read = cache(async (page: StaffCall, id: string, mode: "test" | "live") => {
  try {
    return await getMerchantView(page, { id, mode });
  } catch (error) {
    if (error instanceof AppError && error.code === "resource_not_found") notFound();
    throw error;
  }
});
