import type { Metadata } from "next";
import { ExportButton } from "@/components/reporting/export-button";
import { BATCH_ITEMS_PER_PAGE, DisputeItemTable, SettledTransactions } from "@/components/settlement/batch-items";
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
import type { Payout } from "@/lib/contract/settlement/payout";
import type { SettlementBatch } from "@/lib/contract/settlement/settlement-batch";
import { getPayout, listDisputesOfPayout } from "@/lib/domain/settlement/payouts";
import { listBatchesOfPayout, listBatchItems } from "@/lib/domain/settlement/read-batches";
import { dashboardPage, offsetOf, orNotFound, type SearchParams } from "@/lib/http/page";

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  return { title: `Payout ${titleId((await params).id)}` };
}

type PayoutPageProps = { params: Promise<{ mode: string; id: string }>; searchParams: Promise<SearchParams> };

export default async function PayoutPage({ params, searchParams }: PayoutPageProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("balance.read")) return <NoPermission what="payouts" />;
  const payout = await orNotFound(getPayout(page.ctx, { id }));
  const offset = offsetOf(await searchParams);
  const [batches, disputes, items] = await Promise.all([
    listBatchesOfPayout(page.ctx, payout),
    listDisputesOfPayout(page.ctx, payout),
    listBatchItems(page.ctx, { batchIds: payout.settlement_batch_ids, limit: BATCH_ITEMS_PER_PAGE, offset }),
  ]);
  const failed = payout.status === "FAILED";
  // The money is still unpaid unless a later payout includes what it held.
  const isUnpaid = failed && [...batches, ...disputes].every((each) => each.payout_id === null);
  const total = batches.reduce((sum, batch) => sum + batch.transaction_count, 0);
  return (
    <article>
      <PageHeader
        title={<Money amount={payout.amount} currency={payout.currency} />}
        crumbs={[{ label: "Payouts", href: `/${page.mode}/payouts` }]}
        badge={<StatusBadge status={payout.status} />}
        description={<CopyId id={payout.id} label="Copy payout id" className="text-ink" />}
        actions={
          <>
            <ExportButton
              address={`/${page.mode}/payouts/${payout.id}/export`}
              noun={disputes.length > 0 ? "row" : "transaction"}
              total={total + disputes.length}
            />
            {isUnpaid && page.can("payout.retry") && (
              <RetryPayout id={payout.id} mode={page.mode} currency={payout.currency} />
            )}
          </>
        }
      />
      {failed && (
        <Banner tone="red" title="The bank refused this payout" className="mb-4">
          {payout.failure_reason}{" "}
          {isUnpaid
            ? "The money is available again and goes out with the next payout, or when you retry."
            : "The money went out with a later payout."}
        </Banner>
      )}
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 md:grid-cols-2">
          <Card title="Payout">
            <Facts
              items={[
                {
                  term: failed ? "Expected" : payout.status === "PAID" ? "Arrived" : "Arrives",
                  value: dayText(payout.arrival_date),
                },
                { term: "Bank account", value: accountText(payout) },
                { term: "Created", value: <Time at={payout.created_at} /> },
                { term: "Last change", value: <Time at={payout.updated_at} /> },
              ]}
            />
          </Card>
          <Card title="Amounts">
            <Facts items={amountsOf(batches, payout)} className="[&_dd]:text-right" />
          </Card>
        </div>
        <section aria-labelledby="batches">
          <h2 id="batches" className="mb-2 font-semibold text-[15px]">
            Settlement batches
          </h2>
          <BatchTable batches={batches} mode={page.mode} ofOnePayout />
        </section>
        {disputes.length > 0 && (
          <section aria-labelledby="disputes">
            <h2 id="disputes" className="mb-2 font-semibold text-[15px]">
              Disputes
            </h2>
            <DisputeItemTable items={disputes} currency={payout.currency} mode={page.mode} />
          </section>
        )}
        <SettledTransactions
          of="payout"
          href={`/${page.mode}/payouts/${payout.id}`}
          items={items}
          offset={offset}
          total={total}
          currency={payout.currency}
          mode={page.mode}
        />
      </div>
    </article>
  );
}

/** Returns the lines that add up to the amount of a payout. */
function amountsOf(batches: readonly SettlementBatch[], { amount: paid, currency, dispute_amount }: Payout) {
  const sum = (amount: (batch: SettlementBatch) => number) =>
    batches.reduce((total, batch) => total + amount(batch), 0);
  const lines = [
    ["Charges", sum((batch) => batch.charge_amount)],
    ["Refunds", sum((batch) => -batch.refund_amount)],
    ["Refund reversals", sum((batch) => batch.reversal_amount)],
    ["Fees", sum((batch) => -batch.fee_amount)],
    ["Disputes", dispute_amount],
  ] as const;
  const money = (amount: number) => <Money amount={amount} currency={currency} bare />;
  return [
    ...lines.filter(([, amount]) => amount !== 0).map(([term, amount]) => ({ term, value: money(amount) })),
    { term: "Net", value: <strong className="font-semibold">{money(paid)}</strong> },
  ];
}
