import type { Metadata } from "next";
import { ConnectionList } from "@/components/support/connection-list";
import { PageHeader } from "@/components/ui/page-header";
import { listSupportReconciliations } from "@/lib/domain/support/reconciliation";
import { supportPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Reconciliation · Support" };

export default async function SupportReconciliationsPage() {
  const connections = await listSupportReconciliations(await supportPage());
  return (
    <>
      <PageHeader
        title="Reconciliation"
        description="Every processor connection with its latest comparison, those with differences first."
      />
      <ConnectionList connections={connections} />
    </>
  );
}
