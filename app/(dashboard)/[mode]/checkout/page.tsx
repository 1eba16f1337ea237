import { ShoppingCart } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import type { ReactNode } from "react";
import { SESSION_FILTERS, SessionTable } from "@/components/checkout/session-table";
import { PageFilters } from "@/components/lists/page-filters";
import { EmptyState, NoMatches, NoPermission, WrongFilter } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks, withFilters } from "@/components/ui/page-links";
import { buttonStyles } from "@/components/ui/styles";
import { sessionListQuery } from "@/lib/contract/checkout/endpoints";
import { listClientSessions } from "@/lib/domain/checkout/client-sessions";
import { dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Sessions" };

type CheckoutPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function CheckoutPage({ params, searchParams }: CheckoutPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("payment.read")) return <NoPermission what="client sessions" />;
  const path = `/${page.mode}/checkout`;
  const create = page.can("client_session.create") && (
    <Link href={`${path}/new`} className={buttonStyles({ variant: "primary" })}>
      New session
    </Link>
  );
  const header = (
    <PageHeader
      title="Sessions"
      description="One payment for each session, in your own page or at its address. For a link to share, see Payment links."
      actions={create}
    />
  );
  const query = sessionListQuery.safeParse(await searchParams);
  if (!query.success) {
    return (
      <>
        {header}
        <WrongFilter what="sessions" path={path} issues={query.error.issues} />
      </>
    );
  }
  const { status = null } = query.data;
  const sessions = await listClientSessions(page.ctx, query.data);
  const href = withFilters(path, { status });
  if (sessions.total === 0 && status === null) {
    return (
      <>
        {header}
        <FirstSession baseUrl={page.ctx.service.baseUrl} create={create} />
      </>
    );
  }
  return (
    <>
      {header}
      <PageFilters path={path} what="sessions" rows={SESSION_FILTERS} values={{ status }} />
      {sessions.data.length === 0 ? (
        <NoMatches what="sessions" path={path} first={href} total={sessions.total} />
      ) : (
        <SessionTable sessions={sessions.data} mode={page.mode} />
      )}
      <PageLinks what="sessions" page={sessions} href={href} />
    </>
  );
}

function FirstSession({ baseUrl, create }: { baseUrl: string; create: ReactNode }) {
  return (
    <EmptyState
      icon={<ShoppingCart aria-hidden="true" />}
      title="No sessions yet"
      description="A client session takes one payment of an amount that you set, never the browser. Send its link to your customer, or embed its form in your own page."
      curlTitle="Create your first session"
      curl={curl(baseUrl)}
      actions={
        <>
          {create}
          <Link href="/docs/quickstart" className={buttonStyles()}>
            Read the quickstart
          </Link>
        </>
      }
    />
  );
}

const curl = (baseUrl: string) => `curl -X POST ${baseUrl}/v1/client-sessions \\
  -H "X-Api-Key: $CARDLANE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "amount": 1999,
    "currency": "EUR",
    "customer_email": "ada@shopper.example",
    "allowed_origins": ["https://shop.example"],
    "return_url": "https://shop.example/thank-you"
  }'`;
