import type { Metadata } from "next";
import { cache } from "react";
import { SupportInvoicePage } from "@/components/support/billing-pages";
import { titleId } from "@/lib/contract/format";
import { getSupportInvoice } from "@/lib/domain/support/billing";
import type { StaffCall } from "@/lib/domain/support/staff";
import { orNotFound, supportPage } from "@/lib/http/page";

type InvoiceRouteProps = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: InvoiceRouteProps): Promise<Metadata> {
  const { id } = await params;
  await read(await supportPage(), id);
  return { title: `Invoice ${titleId(id)} · Support` };
}

export default async function SupportInvoiceRoute({ params }: InvoiceRouteProps) {
  return <SupportInvoicePage shown={await read(await supportPage(), (await params).id)} />;
}

/** Cached because the page and its title both need it, and each look-up is recorded. */
const read = cache((page: StaffCall, id: string) => orNotFound(getSupportInvoice(page, { id })));
