import type { Metadata } from "next";
import Link from "next/link";
import { KeyForm } from "@/components/api-keys/key-form";
import { Banner } from "@/components/ui/banner";
import { NoPermission } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { currencyOptions, titleId } from "@/lib/contract/format";
import { addPeriods, dateIn } from "@/lib/contract/plans/schedule";
import { getApiKey } from "@/lib/domain/api-keys/read-keys";
import { dashboardPage, orNotFound } from "@/lib/http/page";

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  return { title: `API key ${titleId((await params).id)}` };
}

type ApiKeyPageProps = { params: Promise<{ mode: string; id: string }> };

export default async function ApiKeyPage({ params }: ApiKeyPageProps) {
  const { mode, id } = await params;
  const page = await dashboardPage(mode);
  if (!page.can("api_key.manage")) return <NoPermission what="API keys" />;
  const key = await orNotFound(getApiKey(page.ctx, { id }));
  const { timeZone } = page.merchant;
  const today = dateIn(timeZone, page.ctx.service.clock.now());
  return (
    <>
      <PageHeader
        title={key.name}
        crumbs={[{ label: "API keys", href: `/${page.mode}/developers/api-keys` }]}
        description={
          <span className="font-mono">
            {key.prefix}…{key.last4}
          </span>
        }
        actions={
          page.can("payment.read") && (
            <Link href={`/${page.mode}/developers/requests?caller=${key.id}`} className={buttonStyles()}>
              Its requests
            </Link>
          )
        }
      />
      {key.available_actions.includes("edit") ? (
        <KeyForm
          apiKey={key}
          mode={page.mode}
          timeZone={timeZone}
          tomorrow={addPeriods(today, { value: 1, unit: "DAYS" }, 1)}
          currencies={currencyOptions()}
        />
      ) : key.replaced_by ? (
        <Banner tone="amber" title="This key was rotated">
          A rotated key can no longer be edited.{" "}
          <Link href={`/${page.mode}/developers/api-keys/${key.replaced_by}`} className="underline underline-offset-2">
            Edit the key that replaced it
          </Link>
        </Banner>
      ) : (
        <Banner tone="amber" title="This key no longer works">
          It can’t be edited. Create a new key instead.
        </Banner>
      )}
    </>
  );
}
