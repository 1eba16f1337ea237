import type { Metadata } from "next";
import { RetryPayout } from "@/components/settlement/payout-actions";
import { accountText, BatchTable } from "@/components/settlement/payout-list";
import { StatusBadge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Card, Facts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { NoPermission } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { dayText, titleId } from "@/lib/contract/format";
import { getPayout } from "@/lib/domain/settlement/payouts";
import { listBatchesOfPayout } from "@/lib/domain/settlement/read-batches";
import { dashboardPage, orNotFound } from "@/lib/http/page";

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  return { title: `Payout ${titleId((await params).id)}` };
}

export default async function PayoutPage({ params }: { params: Promise<{ mode: string; id: string }> }) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("balance.read")) return <NoPermission what="payouts" />;
  const payout = await orNotFound(getPayout(page.ctx, { id }));
  const batches = await listBatchesOfPayout(page.ctx, payout);
  const failed = payout.status === "FAILED";
  // The money is still unpaid unless a later payout includes one of its batches.
  const waits = failed && batches.every((batch) => batch.payout_id === null);
  return (
    <article>
      <PageHeader
        title={<Money amount={payout.amount} currency={payout.currency} />}
        crumbs={[{ label: "Payouts", href: `/${page.mode}/payouts` }]}
        badge={<StatusBadge status={payout.status} />}
        description={<CopyId id={payout.id} label="Copy payout id" className="text-ink" />}
        actions={
          waits &&
          page.can("settings.manage") && <RetryPayout id={payout.id} mode={page.mode} currency={payout.currency} />
        }
      />
      {failed && (
        <Banner tone="red" title="The bank refused this payout" className="mb-4">
          {payout.failure_reason}{" "}
          {waits
            ? "The money is available again and goes out with the next payout, or when you retry."
            : "The money went out with a later payout."}
        </Banner>
      )}
      <div className="flex flex-col gap-4">
        <Card title="Payout">
          <Facts
            columns={2}
            items={[
              { term: "Bank account", value: accountText(payout) },
              {
                term: failed ? "Expected" : payout.status === "PAID" ? "Arrived" : "Arrives",
                value: dayText(payout.arrival_date),
              },
              { term: "Created", value: <Time at={payout.created_at} /> },
              { term: "Last change", value: <Time at={payout.updated_at} /> },
            ]}
          />
        </Card>
        <section aria-labelledby="batches">
          <h2 id="batches" className="mb-2 font-semibold text-[15px]">
            Settlement batches
          </h2>
          <BatchTable batches={batches} mode={page.mode} ofOnePayout />
        </section>
      </div>
    </article>
  );
}
