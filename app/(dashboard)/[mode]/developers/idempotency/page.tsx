import { KeyRound, SearchX } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { KeyDetail } from "@/components/idempotency/key-detail";
import { KeyList, KeySearch } from "@/components/idempotency/key-list";
import { EmptyState, NoPermission } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { listIdempotencyKeys, lookUpIdempotencyKey } from "@/lib/domain/idempotency/inspect-keys";
import { type DashboardPage, dashboardPage, type SearchParams } from "@/lib/http/page";

type IdempotencyRouteProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<SearchParams>;
};

const PAGE_SIZE = 50;

export const metadata: Metadata = { title: "Idempotency" };

export default async function IdempotencyRoute({ params, searchParams }: IdempotencyRouteProps) {
  const page = await dashboardPage((await params).mode);
  const given = await searchParams;
  const key = textOf(given.key);
  const path = `/${page.mode}/developers/idempotency`;
  return (
    <>
      <PageHeader
        title="Idempotency"
        description="What a key was first used for, the result, and what a retry would return."
        {...(key !== null && { crumbs: [{ label: "All keys", href: path }] })}
      />
      {page.can("payment.read") ? (
        <>
          <KeySearch path={path} value={key ?? ""} />
          {key === null ? (
            <Recent page={page} path={path} after={textOf(given.after)} />
          ) : (
            <One page={page} path={path} sought={key} />
          )}
        </>
      ) : (
        <NoPermission what="idempotency keys" />
      )}
    </>
  );
}

async function One({ page, path, sought }: { page: DashboardPage; path: string; sought: string }) {
  const found = await lookUpIdempotencyKey(page.ctx, { key: sought, can: page.can });
  if (found) return <KeyDetail key={sought} initial={found} mode={page.mode} />;
  return (
    <EmptyState
      icon={<SearchX aria-hidden="true" />}
      title="No such key here"
      description={`Keys are case-sensitive, belong to one mode and are kept for 24 hours. This key is not used in ${page.mode} mode: a request with it would run.`}
      actions={
        <Link href={path} className={buttonStyles()}>
          All keys
        </Link>
      }
    />
  );
}

async function Recent({ page, path, after }: { page: DashboardPage; path: string; after: string | null }) {
  const keys = await listIdempotencyKeys(page.ctx, { limit: PAGE_SIZE, after });
  if (keys.keys.length > 0) return <KeyList page={keys} path={path} isFirstPage={after === null} />;
  if (after !== null) {
    return (
      <EmptyState
        title="No older keys"
        description="Keys are kept for 24 hours after their first use."
        actions={
          <Link href={path} className={buttonStyles()}>
            Newest keys
          </Link>
        }
      />
    );
  }
  return (
    <EmptyState
      icon={<KeyRound aria-hidden="true" />}
      title="No keys in the last day"
      description="Every request that moves money has a key, so that a retry never moves it twice. Keys appear here after the first request."
      curl={curlOf(page)}
    />
  );
}

const curlOf = ({ ctx, mode }: DashboardPage) => `curl ${ctx.service.baseUrl}/v1/payments \\
  -H "X-Api-Key: sk_${mode}_…" \\
  -H "X-Idempotency-Key: $(uuidgen)" \\
  -H "Content-Type: application/json" \\
  -d '{"amount": 4999, "currency": "USD", "payment_token": "tok_…"}'`;

/** A parameter given once that can be a key; anything else counts as absent. */
function textOf(value: string | string[] | undefined): string | null {
  return typeof value === "string" && value !== "" && value.length <= 255 && !value.includes("\u0000") ? value : null;
}
