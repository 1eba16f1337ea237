import Link from "next/link";
import { CustomerDisputes } from "@/components/disputes/dispute-table";
import { NotesCard } from "@/components/notes/notes-card";
import { StoredCards } from "@/components/payment-methods/stored-cards";
import { EmailText } from "@/components/payments/payment-facts";
import { PortalLink } from "@/components/portal/portal-link";
import { LatestCard } from "@/components/reporting/latest-card";
import { Card, Facts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { PageHeader } from "@/components/ui/page-header";
import { withFilters } from "@/components/ui/page-links";
import { buttonStyles } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import type { Customer } from "@/lib/contract/customers/customer";
import type { Dispute } from "@/lib/contract/disputes/dispute";
import { cardText } from "@/lib/contract/format";
import type { Invoice } from "@/lib/contract/invoices/invoice";
import type { PaymentMethod } from "@/lib/contract/payment-methods/payment-method";
import type { Subscription } from "@/lib/contract/subscriptions/subscription";
import { transactionsHref } from "@/lib/contract/transactions/query";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import type { Mode } from "@/lib/contract/transactions/words";
import { CustomerInvoices, CustomerSubscriptions } from "./customer-billing";
import { customerName } from "./customer-table";

type CustomerPageProps = {
  customer: Customer;
  latest: readonly ListedTransaction[];
  /**
   * The latest cards on file, subscriptions and invoices; null without the permission, or if the merchant
   * gave no id.
   */
  stored: readonly PaymentMethod[] | null;
  subscriptions: { data: readonly Subscription[]; total: number } | null;
  invoices: { data: readonly Invoice[]; total: number } | null;
  /** The newest; null without the permission. */
  disputes: { data: readonly Dispute[]; total: number } | null;
  canSubscribe: boolean;
  mode: Mode;
};

/** Filter for a customer's transactions. */
export const customerFilter = ({ customer_id, email }: Customer) =>
  customer_id === null ? { customer_email: email ?? undefined } : { customer_id };

/** A customer: identity, totals, cards and latest transactions. */
export function CustomerPage(props: CustomerPageProps) {
  const { customer, latest, stored, subscriptions, invoices, disputes, canSubscribe, mode } = props;
  const all = transactionsHref(mode, customerFilter(customer));
  return (
    <article>
      <PageHeader
        title={customerName(customer)}
        crumbs={[{ label: "Customers", href: `/${mode}/customers` }]}
        description={<CopyId id={customer.id} label="Copy customer id" className="text-ink" />}
        actions={
          <>
            {latest.length > 0 && (
              <Link href={all} className={buttonStyles()}>
                All payments
              </Link>
            )}
            {canSubscribe && customer.customer_id !== null && (
              <Link
                href={withFilters(`/${mode}/subscriptions/new`, {
                  customer: customer.customer_id,
                  email: customer.email,
                })}
                prefetch={false}
                className={buttonStyles({ variant: "primary" })}
              >
                Add subscription
              </Link>
            )}
          </>
        }
      />
      <LifetimeTotal customer={customer} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {customer.currencies.length > 0 && <CurrencyTable currencies={customer.currencies} />}
          {disputes !== null && disputes.data.length > 0 && (
            <CustomerDisputes list={disputes} filter={customer.customer_id ?? customer.email} mode={mode} />
          )}
          {subscriptions !== null && subscriptions.data.length > 0 && (
            <CustomerSubscriptions list={subscriptions} customerId={customer.customer_id ?? ""} mode={mode} />
          )}
          {invoices !== null && invoices.data.length > 0 && (
            <CustomerInvoices list={invoices} customerId={customer.customer_id ?? ""} mode={mode} />
          )}
          {latest.length > 0 && <LatestCard mode={mode} transactions={latest} allHref={all} ofOneCustomer />}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Customer">
            <Facts
              items={[
                { term: "Name", value: customer.name },
                { term: "E-mail", value: customer.email && <EmailText address={customer.email} /> },
                {
                  term: "Your customer id",
                  value: customer.customer_id && <CopyId id={customer.customer_id} label="Copy your customer id" />,
                },
                ...(customer.first_payment_at !== null && customer.last_payment_at !== null
                  ? [
                      { term: "First payment", value: <Time at={customer.first_payment_at} /> },
                      { term: "Last payment", value: <Time at={customer.last_payment_at} /> },
                      { term: "Declined", value: customer.declined.toLocaleString("en-US") },
                    ]
                  : []),
              ]}
            />
            {customer.customer_id !== null && subscriptions !== null && subscriptions.data.length > 0 && (
              <p className="mt-3">
                <PortalLink customerId={customer.customer_id} />
              </p>
            )}
          </Card>
          <NotesCard subjectId={customer.id} />
          {(customer.cards.length > 0 || stored === null || stored.length === 0) && (
            <Card title="Cards">
              <CardList cards={customer.cards} />
            </Card>
          )}
          {stored !== null && stored.length > 0 && (
            <Card title="Cards on file">
              <StoredCards methods={stored} />
            </Card>
          )}
        </div>
      </div>
    </article>
  );
}

/** Captured less refunded, in each currency: the page's headline. */
function LifetimeTotal({ customer: { currencies, payments, declined } }: Pick<CustomerPageProps, "customer">) {
  return (
    <dl className="mb-5">
      <dt className="text-[13px] text-soft">Lifetime total</dt>
      {payments === 0 ? (
        <dd>No payments yet</dd>
      ) : (
        <dd className="flex flex-wrap items-baseline gap-x-4 font-semibold text-2xl leading-9">
          {currencies.map(({ currency, net }) => (
            <Money key={currency} amount={net} currency={currency} />
          ))}
          <span className="font-normal text-[13px] text-soft">
            {payments.toLocaleString("en-US")} {payments === 1 ? "payment" : "payments"}, after refunds
            {declined > 0 && `; ${declined.toLocaleString("en-US")} declined`}
          </span>
        </dd>
      )}
    </dl>
  );
}

const HEADINGS = ["Currency", "Captured", "Refunded", "Net"] as const;

function CurrencyTable({ currencies }: Pick<Customer, "currencies">) {
  return (
    <Card title="Volume" flush>
      <table className="w-full text-right text-[13px] tabular-nums">
        <caption className="sr-only">Volume by currency</caption>
        <thead>
          <tr className="border-b text-soft text-xs">
            {HEADINGS.map((heading) => (
              <th key={heading} scope="col" className="px-2 py-2 font-normal last:pr-4 first:pl-4 first:text-left">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {currencies.map(({ currency, captured, refunded, net }) => (
            <tr key={currency} className="h-10 border-b last:border-0">
              <th scope="row" className="pl-4 text-left font-normal">
                {currency}
              </th>
              <td className="px-2">
                <Money amount={captured} currency={currency} bare />
              </td>
              <td className="px-2">
                <Money amount={refunded} currency={currency} bare />
              </td>
              <td className="pr-4 pl-2 font-medium">
                <Money amount={net} currency={currency} bare />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function CardList({ cards }: Pick<Customer, "cards">) {
  if (cards.length === 0) return <p className="text-soft">No cards yet.</p>;
  return (
    <ul className="-my-1">
      {cards.map(({ brand, last4, exp_month, exp_year, last_used_at }) => (
        <li
          key={`${brand} ${last4} ${exp_month} ${exp_year}`}
          className="flex flex-wrap items-baseline justify-between gap-x-4 py-1"
        >
          <span className="tabular-nums">
            {brand === null ? `•••• ${last4}` : cardText(brand, last4)}
            {exp_month !== null && exp_year !== null && (
              <span className="text-soft">
                {" "}
                {String(exp_month).padStart(2, "0")}/{exp_year}
              </span>
            )}
          </span>
          <span className="text-soft text-xs">
            used <Time at={last_used_at} style="date" />
          </span>
        </li>
      ))}
    </ul>
  );
}
