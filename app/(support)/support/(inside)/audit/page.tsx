import type { Metadata } from "next";
import { AuditFilters, AuditTable } from "@/components/support/audit-table";
import { Banner } from "@/components/ui/banner";
import { PageHeader } from "@/components/ui/page-header";
import { AppError } from "@/lib/contract/errors";
import type { StaffActFilter, StaffActPage } from "@/lib/contract/support/staff-acts";
import type { StaffCall } from "@/lib/domain/support/staff";
import { listStaffMembers } from "@/lib/domain/support/staff";
import { listStaffActs } from "@/lib/domain/support/staff-acts";
import { type SearchParams, supportPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Audit · Support" };

type AuditPageProps = { searchParams: Promise<SearchParams> };

const one = (value: string | string[] | undefined) => (typeof value === "string" && value !== "" ? value : undefined);

export default async function SupportAuditPage({ searchParams }: AuditPageProps) {
  const page = await supportPage();
  const { staff, merchant, action, before } = await searchParams;
  const filter = { staff: one(staff), merchant: one(merchant)?.trim(), action: one(action), before: one(before) };
  const { found, refusal } = await read(page, filter);
  return (
    <>
      <PageHeader
        title="Audit"
        description="Everything support staff viewed and did, recorded beforehand. Search results are listed under each merchant, who can see them. Entries can’t be changed."
      />
      <AuditFilters key={JSON.stringify(filter)} filter={filter} staff={await listStaffMembers(page)} />
      {refusal ? (
        <Banner tone="red" role="alert">
          {refusal}
        </Banner>
      ) : (
        found && <AuditTable page={found} filter={filter} />
      )}
    </>
  );
}

async function read(
  page: StaffCall,
  filter: StaffActFilter,
): Promise<{ found: StaffActPage | null; refusal: string | null }> {
  try {
    return { found: await listStaffActs(page, filter), refusal: null };
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_parameter") return { found: null, refusal: error.message };
    throw error;
  }
}
