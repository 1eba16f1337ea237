import type { Metadata } from "next";
import Link from "next/link";
import { BusinessForm, DocumentsForm, ReceiptsForm, RefundLimitForm } from "@/components/accounts/business-form";
import { LogoForm } from "@/components/accounts/logo-form";
import { Card, Facts } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { NoPermission } from "@/components/ui/empty-state";
import { SectionHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { encodeId } from "@/lib/contract/ids";
import { getBusiness } from "@/lib/domain/accounts/business";
import { getLogo } from "@/lib/domain/accounts/logo";
import { getDocumentSettings } from "@/lib/domain/receipts/document-settings";
import { getReceiptSettings } from "@/lib/domain/receipts/mail-receipts";
import { getFee } from "@/lib/domain/settlement/next-payouts";
import { mailRouteOfPage } from "@/lib/http/outbox";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Business profile" };

type BusinessPageProps = { params: Promise<{ mode: string }> };

export default async function BusinessPage({ params }: BusinessPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("settings.manage")) return <NoPermission what="the business profile" />;
  const [business, logo, receipts, documents, fee] = await Promise.all([
    getBusiness(page.ctx),
    getLogo(page.ctx),
    getReceiptSettings(page.ctx),
    getDocumentSettings(page.ctx),
    getFee(page.ctx),
  ]);
  const { id, name, website, support_email, business_address, tax_number, time_zone, created_at } = business;
  return (
    <>
      <SectionHeader title="Business profile" description="Shared by test and live mode, except tax and language." />
      <div className="flex max-w-xl flex-col gap-4">
        <Card>
          <BusinessForm
            name={name}
            website={website ?? ""}
            support_email={support_email ?? ""}
            business_address={business_address ?? ""}
            tax_number={tax_number ?? ""}
            time_zone={time_zone}
          />
        </Card>
        <Card title="Logo">
          <LogoForm logo={logo} name={name} />
          <p className="mt-3 border-t pt-3 text-[13px]">
            <Link href={`/${page.mode}/checkout/appearance`} className="text-accent hover:underline">
              Colors of payment links, forms and receipts
            </Link>
          </p>
        </Card>
        <Card title="Receipts">
          <ReceiptsForm {...receipts} mail={await mailRouteOfPage()} />
        </Card>
        <Card title={`Tax and language in ${page.mode} mode`}>
          <DocumentsForm key={page.mode} mode={page.mode} {...documents} />
        </Card>
        <Card title="Refunds">
          <RefundLimitForm limit={business.refund_limit_usd} />
        </Card>
        <Card title="Account">
          <Facts
            items={[
              { term: "Merchant id", value: <CopyId id={encodeId("merchant", id)} /> },
              { term: `Fee in ${page.mode} mode`, value: `${fee / 100}% of each captured amount` },
              { term: "Created", value: <Time at={created_at} style="date" /> },
            ]}
          />
        </Card>
      </div>
    </>
  );
}
