import type { Metadata } from "next";
import { RequestView } from "@/components/request-log/request-page";
import { PageHeader } from "@/components/ui/page-header";
import { getMerchantRequest } from "@/lib/domain/support/merchants";
import { orNotFound, supportPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Request · Support" };

/** A request of any merchant, stored without secrets. Each view is recorded. */
export default async function SupportRequestPage({ params }: { params: Promise<{ id: string }> }) {
  const page = await supportPage();
  const { id } = await params;
  const { request, merchant, mode } = await orNotFound(
    getMerchantRequest(page, { id, can: (permission) => page.staff.permissions.has(permission) }),
  );
  return (
    <>
      <PageHeader
        title={
          <span className="font-mono text-base">
            {request.method} {request.path}
          </span>
        }
        crumbs={[
          { label: "Search", href: "/support" },
          { label: "Merchant", href: `/support/merchants/${merchant}${mode === "live" ? "?mode=live" : ""}` },
        ]}
      />
      <RequestView request={request} mode={null} />
    </>
  );
}
