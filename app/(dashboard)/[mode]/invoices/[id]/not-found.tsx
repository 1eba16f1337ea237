import { NothingHere } from "@/components/shell/nothing-here";

export default function InvoiceNotFound() {
  return <NothingHere what="invoice" list="invoices" listLabel="All invoices" />;
}
