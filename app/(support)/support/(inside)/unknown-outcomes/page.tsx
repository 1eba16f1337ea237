import type { Metadata } from "next";
import { UnknownQueue } from "@/components/support/unknown-queue";
import { PageHeader } from "@/components/ui/page-header";
import { UNKNOWN_LIMIT } from "@/lib/contract/support/endpoints";
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
        description={`Operations with no final response from the processor, oldest first${list.total > UNKNOWN_LIMIT ? `; the ${UNKNOWN_LIMIT} oldest of ${list.total} are shown` : ""}. Cardlane checks them for 24 hours; after that, staff must resolve them.`}
      />
      <UnknownQueue list={list} />
    </>
  );
}
