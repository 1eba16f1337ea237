import type { Metadata } from "next";
import { AccountForm, PasswordForm } from "@/components/accounts/account-form";
import { Card } from "@/components/ui/card";
import { SectionHeader } from "@/components/ui/page-header";
import { getOwnAccount } from "@/lib/domain/accounts/account";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Your account" };

type AccountPageProps = { params: Promise<{ mode: string }> };

export default async function AccountPage({ params }: AccountPageProps) {
  const page = await dashboardPage((await params).mode);
  const { name, email, pendingEmail } = await getOwnAccount(page.ctx);
  return (
    <>
      <SectionHeader title="Your account" description="How you sign in and how your team sees you." />
      <div className="flex max-w-xl flex-col gap-4">
        <Card title="Name and e-mail address">
          <AccountForm name={name ?? ""} email={email} pendingEmail={pendingEmail} />
        </Card>
        <Card title="Password">
          <PasswordForm email={email} />
        </Card>
      </div>
    </>
  );
}
