import { History } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { ActivityList } from "@/components/accounts/activity";
import { EmptyState, NoPermission } from "@/components/ui/empty-state";
import { SectionHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { listActivity } from "@/lib/domain/accounts/activity";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Activity" };

type ActivityPageProps = {
  params: Promise<{ mode: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function ActivityPage({ params, searchParams }: ActivityPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("settings.manage")) return <NoPermission what="the activity of the account" />;
  const { before } = await searchParams;
  const path = `/${page.mode}/settings/activity`;
  const { rows, next } = await listActivity(page.ctx, { before: typeof before === "string" ? before : null });
  return (
    <>
      <SectionHeader
        title="Activity"
        description="Changes to keys, settings and members by your team, and everything Cardlane's support staff viewed or did."
      />
      {rows.length === 0 ? (
        <EmptyState
          icon={<History aria-hidden="true" />}
          title="Nothing yet"
          description="Changes to keys, settings and the team appear here, and everything Cardlane's support staff views."
          className="rounded-lg border"
        />
      ) : (
        <ActivityList items={rows} />
      )}
      <nav aria-label="Pages" className="mt-3 flex justify-end gap-2">
        {before !== undefined && (
          <Link href={path} className={buttonStyles({ size: "sm" })}>
            Newest
          </Link>
        )}
        {next && (
          <Link href={`${path}?before=${next}`} className={buttonStyles({ size: "sm" })}>
            Older
          </Link>
        )}
      </nav>
    </>
  );
}
