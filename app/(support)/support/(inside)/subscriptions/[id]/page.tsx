import type { Metadata } from "next";
import { cache } from "react";
import { SupportSubscriptionPage } from "@/components/support/billing-pages";
import { titleId } from "@/lib/contract/format";
import { getSupportSubscription } from "@/lib/domain/support/billing";
import type { StaffCall } from "@/lib/domain/support/staff";
import { orNotFound, supportPage } from "@/lib/http/page";

type SubscriptionRouteProps = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: SubscriptionRouteProps): Promise<Metadata> {
  const { id } = await params;
  await read(await supportPage(), id);
  return { title: `Subscription ${titleId(id)} · Support` };
}

export default async function SupportSubscriptionRoute({ params }: SubscriptionRouteProps) {
  return <SupportSubscriptionPage shown={await read(await supportPage(), (await params).id)} />;
}

/** Cached because the page and its title both need it, and each look-up is recorded. */
const read = cache((page: StaffCall, id: string) => orNotFound(getSupportSubscription(page, { id })));
