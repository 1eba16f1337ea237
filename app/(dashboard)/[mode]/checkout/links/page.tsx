import { Link2 } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import type { ReactNode } from "react";
import { PaymentLinkTable } from "@/components/checkout/link-table";
import { PageFilters } from "@/components/lists/page-filters";
import { EmptyState, NoMatches, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { buttonStyles } from "@/components/ui/styles";
import { paymentLinkListQuery } from "@/lib/contract/checkout/payment-link";
import { oneOfRow } from "@/lib/contract/lists/filters";
import { listPaymentLinks } from "@/lib/domain/checkout/payment-links";
import { dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Payment links" };

const FILTERS = [oneOfRow("status", "Status", ["ACTIVE"])];

type LinksPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function PaymentLinksPage({ params, searchParams }: LinksPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("payment.read")) return <NoPermission what="payment links" />;
  const path = `/${page.mode}/checkout/links`;
  const create = page.can("client_session.create") && (
    <Link href={`${path}/new`} className={buttonStyles({ variant: "primary" })}>
      New payment link
    </Link>
  );
  const header = (
    <PageHeader
      title="Payment links"
      description="Sell a plan or an amount with a link or a QR code."
      actions={
        <>
          {page.can("settings.manage") && (
            <Link href={`/${page.mode}/checkout/appearance`} className={buttonStyles()}>
              Appearance
            </Link>
          )}
          {create}
        </>
      }
    />
  );
  const query = paymentLinkListQuery.safeParse(await searchParams);
  if (!query.success) {
    return (
      <>
        {header}
        <WrongFilter what="payment links" path={path} issues={query.error.issues} />
      </>
    );
  }
  const { status = null } = query.data;
  const links = await listPaymentLinks(page.ctx, query.data);
  const href = withFilters(path, { status });
  if (links.total === 0 && status === null) {
    return (
      <>
        {header}
        <FirstLink create={create} />
      </>
    );
  }
  return (
    <>
      {header}
      <PageFilters path={path} what="payment links" rows={FILTERS} values={{ status }} />
      {links.data.length === 0 ? (
        <NoMatches what="payment links" path={path} first={href} total={links.total} />
      ) : (
        <PaymentLinkTable links={links.data} mode={page.mode} />
      )}
      <PageLinks what="payment links" page={links} href={href} />
    </>
  );
}

function FirstLink({ create }: { create: ReactNode }) {
  return (
    <EmptyState
      icon={<Link2 aria-hidden="true" />}
      title="No payment links yet"
      description="Sell a plan or an amount without a shop. Post the link, print its QR code, or send it to one customer."
      actions={
        <>
          {create}
          <Link href="/docs/checkout#sell-by-a-link" className={buttonStyles()}>
            Read how links work
          </Link>
        </>
      }
    />
  );
}
