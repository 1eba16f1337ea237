import Link from "next/link";
import { EmailText } from "@/components/payments/payment-facts";
import { LatestCard } from "@/components/reporting/latest-card";
import { Badge } from "@/components/ui/badge";
import { Card, Facts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { PageHeader } from "@/components/ui/page-header";
import { buttonStyles } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import type { Customer } from "@/lib/contract/customers/customer";
import { cardText } from "@/lib/contract/format";
import type { PaymentMethod } from "@/lib/contract/payment-methods/payment-method";
import { transactionsHref } from "@/lib/contract/transactions/query";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import type { Mode } from "@/lib/contract/transactions/words";
import { customerName } from "./customer-table";

type CustomerPageProps = {
  customer: Customer;
  latest: readonly ListedTransaction[];
  /** The latest cards on file; null without the permission, or if the merchant gave the customer no id. */
  stored: readonly PaymentMethod[] | null;
  mode: Mode;
};

/** Filter for a customer's transactions. */
export const customerFilter = ({ customer_id, email }: Customer) =>
  customer_id === null ? { customer_email: email ?? undefined } : { customer_id };

/** A customer: identity, totals, cards and latest transactions. */
export function CustomerPage({ customer, latest, stored, mode }: CustomerPageProps) {
  const all = transactionsHref(mode, customerFilter(customer));
  return (
    <article>
      <PageHeader
        title={customerName(customer)}
        crumbs={[{ label: "Customers", href: `/${mode}/customers` }]}
        description={<CopyId id={customer.id} label="Copy customer id" className="text-ink" />}
        actions={
          <Link href={all} className={buttonStyles()}>
            All transactions
          </Link>
        }
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <CurrencyTable currencies={customer.currencies} />
          <LatestCard mode={mode} transactions={latest} allHref={all} ofOneCustomer />
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
                { term: "First payment", value: <Time at={customer.first_payment_at} /> },
                { term: "Last payment", value: <Time at={customer.last_payment_at} /> },
                { term: "Payments", value: customer.payments.toLocaleString("en-US") },
                { term: "Declined", value: customer.declined.toLocaleString("en-US") },
              ]}
            />
          </Card>
          <Card title="Cards">
            <CardList cards={customer.cards} />
          </Card>
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

const STATUS_WORDS = { ACTIVE: "Active", EXPIRED: "Expired", REMOVED: "Removed" } as const;
const STATUS_TONES = { ACTIVE: "green", EXPIRED: "amber", REMOVED: "neutral" } as const;

function StoredCards({ methods }: { methods: readonly PaymentMethod[] }) {
  return (
    <ul className="-my-1">
      {methods.map(({ id, card, status }) => (
        <li key={id} className="flex flex-wrap items-baseline justify-between gap-x-4 py-1">
          <span className="tabular-nums">
            {card ? `${card.brand === null ? `•••• ${card.last4}` : cardText(card.brand, card.last4)} ` : "A card "}
            {card && (
              <span className="text-soft">
                {String(card.exp_month).padStart(2, "0")}/{card.exp_year}
              </span>
            )}
            <br />
            <CopyId id={id} label="Copy payment method id" />
          </span>
          <Badge tone={STATUS_TONES[status]}>{STATUS_WORDS[status]}</Badge>
        </li>
      ))}
    </ul>
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
