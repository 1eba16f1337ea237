import type { Metadata } from "next";
import { UnknownQueue } from "@/components/support/unknown-queue";
import { PageHeader } from "@/components/ui/page-header";
import { UNKNOWN_LIMIT } from "@/lib/contract/support/operations";
import { listUnknownOutcomes } from "@/lib/domain/support/unknown-outcomes";
import { supportPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Unknown outcomes · Support" };

export default async function UnknownOutcomesPage() {
  const page = await supportPage();
  const list = await listUnknownOutcomes(page);
  return (
    <>
      <PageHeader
        title="Unknown outcomes"
        description={`Operations that were sent to a processor and of which nobody knows how they ended, oldest first${list.total > UNKNOWN_LIMIT ? `; the ${UNKNOWN_LIMIT} oldest of ${list.total} are shown` : ""}. They are asked about by themselves for 24 hours, and then wait for you.`}
      />
      <UnknownQueue list={list} />
    </>
  );
}
