import type { Metadata } from "next";
import { SecondFactor } from "@/components/accounts/second-factor";
import { SectionHeader } from "@/components/ui/page-header";
import { getOwnAccount } from "@/lib/domain/accounts/account";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Two-factor authentication" };

type SecondFactorPageProps = { params: Promise<{ mode: string }> };

export default async function SecondFactorPage({ params }: SecondFactorPageProps) {
  const page = await dashboardPage((await params).mode);
  const { secondFactorSince, recoveryCodesLeft } = await getOwnAccount(page.ctx);
  return (
    <>
      <SectionHeader
        title="Two-factor authentication"
        description="With a code from an app on your phone, a stolen password is not enough to sign in."
      />
      <SecondFactor since={secondFactorSince} codesLeft={recoveryCodesLeft} />
    </>
  );
}
