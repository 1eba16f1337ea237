import type { Metadata } from "next";
import { cache } from "react";
import { SupportDisputePage } from "@/components/support/billing-pages";
import { titleId } from "@/lib/contract/format";
import { getSupportDispute } from "@/lib/domain/support/billing";
import type { StaffCall } from "@/lib/domain/support/staff";
import { orNotFound, supportPage } from "@/lib/http/page";

type DisputeRouteProps = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: DisputeRouteProps): Promise<Metadata> {
  const { id } = await params;
  await read(await supportPage(), id);
  return { title: `Dispute ${titleId(id)} · Support` };
}

export default async function SupportDisputeRoute({ params }: DisputeRouteProps) {
  return <SupportDisputePage shown={await read(await supportPage(), (await params).id)} />;
}

/** Cached because the page and its title both need it, and each look-up is recorded. */
const read = cache((page: StaffCall, id: string) => orNotFound(getSupportDispute(page, { id })));
