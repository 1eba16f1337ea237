import type { Metadata } from "next";
import { AppearanceForm } from "@/components/accounts/appearance-form";
import { SectionHeader } from "@/components/ui/page-header";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Appearance" };

type AppearancePageProps = { params: Promise<{ mode: string }> };

export default async function AppearancePage({ params }: AppearancePageProps) {
  const { user } = await dashboardPage((await params).mode);
  return (
    <>
      <SectionHeader title="Appearance" description="Theme, times and shortcuts, just for you." />
      <AppearanceForm times={user.preferences.times ?? "local"} shortcuts={user.preferences.shortcuts ?? true} />
    </>
  );
}
