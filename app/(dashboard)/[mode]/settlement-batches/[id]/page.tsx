import type { Metadata } from "next";
import Link from "next/link";
import { ExportButton } from "@/components/reporting/export-button";
import { BATCH_ITEMS_PER_PAGE, SettledTransactions } from "@/components/settlement/batch-items";
import { Card, Facts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { NoPermission } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { titleId } from "@/lib/contract/format";
import { getSettlementBatch, listBatchItems } from "@/lib/domain/settlement/read-batches";
import { dashboardPage, offsetOf, orNotFound, type SearchParams } from "@/lib/http/page";

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  return { title: `Settlement batch ${titleId((await params).id)}` };
}

type BatchPageProps = {
  params: Promise<{ mode: string; id: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function BatchPage({ params, searchParams }: BatchPageProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("balance.read")) return <NoPermission what="settlement batches" />;
  const batch = await orNotFound(getSettlementBatch(page.ctx, { id }));
  const offset = offsetOf(await searchParams);
  const items = await listBatchItems(page.ctx, { batchIds: [id], limit: BATCH_ITEMS_PER_PAGE, offset });
  const path = `/${page.mode}/settlement-batches`;
  const money = (amount: number) => <Money amount={amount} currency={batch.currency} bare />;
  const counted = (amount: number, count: number, one: string) => (
    <>
      {money(amount)}{" "}
      <span className="text-soft">
        · {count.toLocaleString("en-US")} {count === 1 ? one : `${one}s`}
      </span>
    </>
  );
  return (
    <article>
      <PageHeader
        title={<Money amount={batch.net_amount} currency={batch.currency} />}
        crumbs={[{ label: "Settlement batches", href: path }]}
        description={
          <span className="flex flex-wrap items-center gap-x-3">
            <CopyId id={batch.id} label="Copy batch id" className="text-ink" />
            <span>
              Settled <Time at={batch.created_at} />
            </span>
          </span>
        }
        actions={
          <ExportButton address={`${path}/${batch.id}/export`} noun="transaction" total={batch.transaction_count} />
        }
      />
      <Card title="Amounts" className="mb-4">
        <Facts
          columns={2}
          items={[
            { term: "Charges", value: counted(batch.charge_amount, batch.charge_count, "charge") },
            { term: "Refunds", value: counted(-batch.refund_amount, batch.refund_count, "refund") },
            { term: "Refund reversals", value: counted(batch.reversal_amount, batch.reversal_count, "refund") },
            { term: "Fees", value: money(-batch.fee_amount) },
            { term: "Net", value: <strong className="font-semibold">{money(batch.net_amount)}</strong> },
            {
              term: "Payout",
              value: batch.payout_id && (
                <Link href={`/${page.mode}/payouts/${batch.payout_id}`} className="text-accent hover:underline">
                  View payout
                </Link>
              ),
            },
          ]}
        />
      </Card>
      <SettledTransactions
        of="batch"
        href={`${path}/${batch.id}`}
        items={items}
        offset={offset}
        total={batch.transaction_count}
        currency={batch.currency}
        mode={page.mode}
      />
    </article>
  );
}
