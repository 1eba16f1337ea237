import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { DisputePage } from "@/components/disputes/dispute-page";
import { NoPermission } from "@/components/ui/empty-state";
import { moneyText, titleId } from "@/lib/contract/format";
import { getDisputeDetail } from "@/lib/domain/disputes/dispute-pages";
import { type DashboardPage, dashboardPage, orNull } from "@/lib/http/page";

type DisputeRouteProps = { params: Promise<{ mode: string; id: string }> };

export async function generateMetadata({ params }: DisputeRouteProps): Promise<Metadata> {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("dispute.read")) return { title: "Dispute" };
  const found = await findDetail(page, id);
  if (found === null) return { title: "Dispute not found" };
  const { amount, currency } = found.dispute;
  return { title: `Dispute of ${moneyText(amount, currency)} · ${titleId(found.dispute.id)}` };
}

export default async function DisputeRoute({ params }: DisputeRouteProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("dispute.read")) return <NoPermission what="disputes" />;
  const detail = await findDetail(page, id);
  if (detail === null) notFound();
  return <DisputePage detail={detail} mode={page.mode} />;
}

/** Cached because the page and its title both need it. */
const findDetail = cache((page: DashboardPage, id: string) => orNull(getDisputeDetail(page.ctx, { id })));
