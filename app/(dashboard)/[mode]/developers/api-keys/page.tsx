import { KeyRound } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { KeyTable } from "@/components/api-keys/key-table";
import { CopyId } from "@/components/ui/copy";
import { EmptyState, NoPermission } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { PageLinks } from "@/components/ui/page-links";
import { buttonStyles } from "@/components/ui/styles";
import { listKeyPage } from "@/lib/domain/api-keys/read-keys";
import { dashboardPage, offsetOf, publicUrls, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "API keys" };

const LIMIT = 50;

type ApiKeysPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

export default async function ApiKeysPage({ params, searchParams }: ApiKeysPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("api_key.manage")) return <NoPermission what="API keys" />;
  const path = `/${page.mode}/developers/api-keys`;
  const keys = await listKeyPage(page.ctx, { limit: LIMIT, offset: offsetOf(await searchParams) });
  const { baseUrl, sandboxBaseUrl, liveBaseUrl } = await publicUrls();
  const mcpAddress = `${(page.mode === "live" ? liveBaseUrl : sandboxBaseUrl) ?? baseUrl}/mcp`;
  const create = (
    <Link href={`${path}/new`} className={buttonStyles({ variant: "primary" })}>
      {page.mode === "live" ? "New live key" : "New key"}
    </Link>
  );
  return (
    <>
      <PageHeader
        title="API keys"
        description={
          page.mode === "live"
            ? "Live keys move real money. Give each server its own key, with only the permissions it needs."
            : "Test keys work in test mode only: no real money moves."
        }
        actions={keys.total > 0 && create}
      />
      {keys.total === 0 ? (
        <EmptyState
          icon={<KeyRound aria-hidden="true" />}
          title={`No ${page.mode} keys yet`}
          description="Your servers authenticate with a key. The secret is shown once, when you create it."
          curlTitle="What a request with a key looks like"
          curl={`curl ${page.ctx.service.baseUrl}/v1/payments \\\n  -H "X-Api-Key: sk_${page.mode}_…"`}
          actions={create}
        />
      ) : (
        <>
          <KeyTable keys={keys.data} mode={page.mode} timeZone={page.merchant.timeZone} />
          <PageLinks what="keys" page={keys} href={path} />
          <p className="mt-4 max-w-2xl text-soft text-xs">
            “Last used” is a few seconds behind. A key that is disabled, revoked or expired is refused within a second.
          </p>
        </>
      )}
      <section aria-labelledby="assistants" className="mt-8 max-w-2xl rounded-md border px-4 py-3">
        <h2 id="assistants" className="font-medium text-sm">
          AI assistants
        </h2>
        <p className="mt-1 text-[13px] text-soft">
          An assistant that supports MCP can find payments, explain declines and, once you confirm, refund. Give it its
          own key.{" "}
          <Link href="/docs/mcp" className="text-accent underline underline-offset-2">
            How to connect one
          </Link>
        </p>
        <div className="mt-2">
          <CopyId id={mcpAddress} label="Copy the address" />
        </div>
      </section>
    </>
  );
}
