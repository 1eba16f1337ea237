import type { ReactNode } from "react";
import { SettingsNav } from "@/components/accounts/settings-nav";
import { PageHeader } from "@/components/ui/page-header";
import { dashboardPage } from "@/lib/http/page";

type SettingsLayoutProps = { children: ReactNode; params: Promise<{ mode: string }> };

export default async function SettingsLayout({ children, params }: SettingsLayoutProps) {
  await dashboardPage((await params).mode);
  return (
    <div className="max-w-5xl">
      <PageHeader title="Settings" />
      <div className="grid gap-x-10 gap-y-6 md:grid-cols-[10rem_minmax(0,1fr)] lg:grid-cols-[12rem_minmax(0,1fr)]">
        <SettingsNav />
        <div className="min-w-0">{children}</div>
      </div>
    </div>
  );
}
