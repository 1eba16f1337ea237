"use client";

import Link from "next/link";
import type { Sorting } from "@/components/lists/list-view";
import { Money } from "@/components/ui/card";
import { SortHeader } from "@/components/ui/data-table";
import { cn } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useTimeZone } from "@/lib/client/time-display";
import { dateText } from "@/lib/contract/format";
import type { ListedInvoice } from "@/lib/contract/invoices/list";
import { InvoiceBadge, invoicePath, invoiceSubject } from "./status";

/** Headings and rows. The classes place the cells of a phone's cards, as in the list of transactions. */
export function InvoiceTable({ rows, ...sorting }: { rows: readonly ListedInvoice[] } & Sorting) {
  const { mode } = useDashboard();
  const zone = useTimeZone();
  return (
    <>
      <thead>
        <tr>
          <SortHeader {...sorting} field="amount_due" className="num">
            Amount due
          </SortHeader>
          <SortHeader {...sorting} field="status" first="asc">
            Status
          </SortHeader>
          <SortHeader {...sorting} field="customer_id" first="asc">
            Customer
          </SortHeader>
          <th scope="col">Number</th>
          <th scope="col">For</th>
          <SortHeader {...sorting} field="created_at">
            Created
          </SortHeader>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} className="relative">
            <td className="amount num">
              <Link href={invoicePath(mode, row.id)} prefetch={false} className="after:absolute after:inset-0">
                <Money amount={row.amount_due} currency={row.currency} />
              </Link>
            </td>
            <td className="status">
              <InvoiceBadge status={row.status} />
              <Next row={row} zone={zone} />
            </td>
            <td className="customer fill">{row.customer_name ?? row.customer_email ?? row.customer_id}</td>
            <td className="card tabular-nums">{row.number ?? "–"}</td>
            <td className="fill text-soft max-md:hidden!">
              {invoiceSubject(row)} · {row.plan_name}
            </td>
            <td className="created_at relative text-soft">
              <Time at={row.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </>
  );
}

/** The next step for an unpaid invoice, beside its status. */
function Next({ row, zone }: { row: ListedInvoice; zone: string }) {
  if (row.status !== "OPEN") return null;
  const text =
    row.next_attempt_at !== null
      ? `Next attempt ${dateText(new Date(row.next_attempt_at), zone, { short: true })}`
      : "No attempt planned";
  return (
    <span className={cn("ml-2 align-middle max-lg:hidden", row.attempts > 0 ? "text-red" : "text-soft")}>{text}</span>
  );
}
