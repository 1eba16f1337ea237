import Link from "next/link";
import { Money } from "@/components/ui/card";
import { ColumnHeads } from "@/components/ui/page-links";
import { Time } from "@/components/ui/time";
import type { Customer } from "@/lib/contract/customers/customer";

const COLUMNS = [
  ["Customer", "pr-4"],
  ["Net volume", "w-44 pr-4 text-right"],
  ["Payments", "w-28 pr-4 text-right max-md:hidden"],
  ["Last payment", "w-40 max-md:hidden"],
] as const;

/** The best known name of a customer. */
export const customerName = ({ name, email, customer_id }: Customer): string => name ?? email ?? customer_id ?? "";

/** Other known identifiers, for the line below the name. A payment link's customers have their address as id. */
const customerDetails = (customer: Customer): string =>
  [...new Set([customer.email, customer.customer_id])]
    .filter((text) => text && text !== customerName(customer))
    .join(" · ");

/** A page of customers; on narrow screens the name's cell holds the rest. */
export function CustomerTable({ customers, path }: { customers: readonly Customer[]; path: string }) {
  return (
    <table className="w-full border-t text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Customers, the latest first</caption>
      <ColumnHeads columns={COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {customers.map((customer) => (
          <CustomerTableRow key={customer.id} customer={customer} path={path} />
        ))}
      </tbody>
    </table>
  );
}

function CustomerTableRow({ customer, path }: { customer: Customer; path: string }) {
  const { payments, declined, currencies, last_payment_at: lastAt } = customer;
  const [first, ...others] = currencies;
  return (
    <tr className="relative h-12 border-b hover:bg-raised">
      <td className="py-2 pr-4 align-middle max-sm:w-full max-sm:max-w-0">
        <Link
          href={`${path}/${customer.id}`}
          className="block truncate font-medium after:absolute after:inset-0"
          title={customerName(customer)}
        >
          {customerName(customer)}
        </Link>
        <span className="block truncate text-soft text-xs">{customerDetails(customer)}</span>
        <span className="relative block text-soft text-xs md:hidden">
          {lastAt === null ? (
            "No payments yet"
          ) : (
            <>
              {paymentsText(payments)}, last <Time at={lastAt} style="date" />
            </>
          )}
        </span>
      </td>
      <td className="py-2 pr-4 text-right align-middle tabular-nums max-sm:whitespace-nowrap max-sm:pr-0">
        {first ? <Money amount={first.net} currency={first.currency} /> : <span className="text-soft">–</span>}
        {others.length > 0 && (
          <span className="block text-soft text-xs">
            and {others.length} more {others.length === 1 ? "currency" : "currencies"}
          </span>
        )}
      </td>
      <td className="py-2 pr-4 text-right align-middle tabular-nums max-md:hidden">
        {payments.toLocaleString("en-US")}
        {declined > 0 && <span className="block text-soft text-xs">{declined.toLocaleString("en-US")} declined</span>}
      </td>
      <td className="relative py-2 align-middle text-soft max-md:hidden">
        {lastAt === null ? "None yet" : <Time at={lastAt} style="date" />}
      </td>
    </tr>
  );
}

const paymentsText = (count: number) => `${count.toLocaleString("en-US")} ${count === 1 ? "payment" : "payments"}`;
