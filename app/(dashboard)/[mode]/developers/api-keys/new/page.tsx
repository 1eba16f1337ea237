import type { Metadata } from "next";
import { KeyForm } from "@/components/api-keys/key-form";
import { NoPermission } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { currencyOptions } from "@/lib/contract/format";
import { addPeriods, dateIn } from "@/lib/contract/plans/schedule";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "New API key" };

type NewApiKeyPageProps = { params: Promise<{ mode: string }> };

export default async function NewApiKeyPage({ params }: NewApiKeyPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("api_key.manage")) return <NoPermission what="API keys" />;
  const { timeZone } = page.merchant;
  const today = dateIn(timeZone, page.ctx.service.clock.now());
  return (
    <>
      <PageHeader
        title={page.mode === "live" ? "New live key" : "New test key"}
        crumbs={[{ label: "API keys", href: `/${page.mode}/developers/api-keys` }]}
      />
      <KeyForm
        apiKey={null}
        mode={page.mode}
        timeZone={timeZone}
        tomorrow={addPeriods(today, { value: 1, unit: "DAYS" }, 1)}
        currencies={currencyOptions()}
      />
    </>
  );
}
