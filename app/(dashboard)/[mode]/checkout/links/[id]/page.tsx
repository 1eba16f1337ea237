import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { LinkPage } from "@/components/checkout/link-page";
import { SESSION_FILTERS, SessionTable } from "@/components/checkout/session-table";
import { PageFilters } from "@/components/lists/page-filters";
import { NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { sessionListQuery } from "@/lib/contract/checkout/endpoints";
import { linkTitle } from "@/lib/contract/checkout/payment-link";
import { listClientSessions } from "@/lib/domain/checkout/client-sessions";
import { getPaymentLink } from "@/lib/domain/checkout/payment-links";
import { type DashboardPage, dashboardPage, orNull, type SearchParams } from "@/lib/http/page";

type PaymentLinkPageProps = {
  params: Promise<{ mode: string; id: string }>;
  searchParams: Promise<SearchParams>;
};

export async function generateMetadata({ params }: PaymentLinkPageProps): Promise<Metadata> {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("payment.read")) return { title: "Payment link" };
  const detail = await findLink(page, id);
  return { title: detail === null ? "Payment link not found" : linkTitle(detail.link) };
}

export default async function PaymentLinkPage({ params, searchParams }: PaymentLinkPageProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("payment.read")) return <NoPermission what="payment links" />;
  const detail = await findLink(page, id);
  if (detail === null) notFound();
  return (
    <article>
      <LinkPage detail={detail} mode={page.mode} canWrite={page.can("client_session.create")} />
      <Sessions page={page} id={detail.link.id} searchParams={await searchParams} />
    </article>
  );
}

type SessionsProps = { page: DashboardPage; id: string; searchParams: SearchParams };

/** Sessions that the link created; the completed ones are its payments. */
async function Sessions({ page, id, searchParams }: SessionsProps) {
  const path = `/${page.mode}/checkout/links/${id}`;
  const query = sessionListQuery.safeParse(searchParams);
  if (!query.success) return <WrongFilter what="sessions" path={path} issues={query.error.issues} />;
  const { status = null } = query.data;
  const sessions = await listClientSessions(page.ctx, { ...query.data, payment_link_id: id });
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions" className="mb-2 font-semibold text-sm leading-6">
        Sessions and payments
      </h2>
      <PageFilters path={path} what="sessions" rows={SESSION_FILTERS} values={{ status }} />
      {sessions.data.length === 0 ? (
        <p className="py-6 text-[13px] text-soft">
          {status === null ? "No one has opened this link yet." : "No session of this link has this status."}
        </p>
      ) : (
        <SessionTable sessions={sessions.data} mode={page.mode} />
      )}
      <PageLinks what="sessions" page={sessions} href={withFilters(path, { status })} />
    </section>
  );
}

/** Cached because the page and its title both need it. */
const findLink = cache((page: DashboardPage, id: string) => orNull(getPaymentLink(page.ctx, { id })));
