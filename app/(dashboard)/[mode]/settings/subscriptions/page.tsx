import type { Metadata } from "next";
import { DunningForm, PortalForm, SubscriptionMailsForm } from "@/components/subscriptions/settings-forms";
import { Card } from "@/components/ui/card";
import { NoPermission } from "@/components/ui/empty-state";
import { SectionHeader } from "@/components/ui/page-header";
import { getSubscriptionSettings } from "@/lib/domain/subscriptions/settings";
import { mailRouteOfPage } from "@/lib/http/outbox";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Subscription settings" };

type SubscriptionSettingsPageProps = { params: Promise<{ mode: string }> };

export default async function SubscriptionSettingsPage({ params }: SubscriptionSettingsPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("subscription.read")) return <NoPermission what="subscription settings" />;
  const { mode } = page;
  const canEdit = page.can("settings.manage");
  const [settings, mail] = await Promise.all([getSubscriptionSettings(page.ctx), mailRouteOfPage()]);
  const form = { mode, settings, canEdit };
  return (
    <>
      <SectionHeader
        title="Subscriptions"
        description={`For ${mode} mode only: ${mode === "test" ? "live" : "test"} mode has its own settings.${canEdit ? "" : " Only owners and admins can change them."}`}
      />
      <div key={mode} className="flex max-w-xl flex-col gap-4">
        <Card title="Failed payments">
          <DunningForm {...form} />
        </Card>
        <Card title="E-mail">
          <SubscriptionMailsForm {...form} mail={mail} />
        </Card>
        <Card title="Customer portal">
          <PortalForm {...form} />
        </Card>
      </div>
    </>
  );
}
