import type { Metadata } from "next";
import Link from "next/link";
import { AppearanceEditor } from "@/components/checkout/appearance-editor";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { getCheckoutAppearance } from "@/lib/domain/checkout/appearance";
import { dashboardPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Payment form appearance" };

type AppearancePageProps = { params: Promise<{ mode: string }> };

export default async function AppearancePage({ params }: AppearancePageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("settings.manage")) {
    return <EmptyState page kind="no-permission" what="the appearance of the payment form" />;
  }
  return (
    <>
      <PageHeader
        title="Appearance"
        crumbs={[{ label: "Payment links", href: `/${page.mode}/checkout/links` }]}
        description={
          <>
            How payment links and embedded forms look in {page.mode} mode, unless a session sets its own appearance.
            Receipts use its colors, too. Your logo is in the{" "}
            <Link href={`/${page.mode}/settings/business`} className="text-accent underline underline-offset-2">
              business profile
            </Link>
            .
          </>
        }
      />
      <AppearanceEditor mode={page.mode} loaded={await getCheckoutAppearance(page.ctx)} />
    </>
  );
}
