import { redirect } from "next/navigation";
import { dashboardPage } from "@/lib/http/page";

type SettingsPageProps = { params: Promise<{ mode: string }> };

export default async function SettingsPage({ params }: SettingsPageProps) {
  const { mode } = await dashboardPage((await params).mode);
  redirect(`/${mode}/settings/account`);
}
