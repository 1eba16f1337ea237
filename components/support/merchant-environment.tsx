import Link from "next/link";
import { DisputeRows } from "@/components/disputes/dispute-table";
import { InvoiceBadge } from "@/components/invoices/status";
import { SubscriptionBadge } from "@/components/subscriptions/status";
import { StatusBadge, TransactionBadge } from "@/components/ui/badge";
import { Card, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { Time } from "@/components/ui/time";
import { cardText } from "@/lib/contract/format";
import {
  BILLING_SHOWN,
  type CurrencyVolume,
  type MerchantEnvironment as Environment,
  ERRORS_SHOWN,
  KEYS_SHOWN,
  type MerchantError,
  type MerchantInvoice,
  type MerchantKey,
  type MerchantSubscription,
  type MerchantTransaction,
  TRANSACTIONS_SHOWN,
} from "@/lib/contract/support/merchant-view";
import { signedAmount } from "@/lib/contract/transactions/words";
import { PlainStatus } from "./labels";

export function MerchantEnvironment({ environment }: { environment: Environment }) {
  const { volume, keys, errors, transactions, subscriptions, invoices, disputes, plans, feeBasisPoints, clock } =
    environment;
  return (
    <>
      <EnvironmentVolume volume={volume} />
      <p className="text-[13px] text-soft">
        Fee {(feeBasisPoints / 100).toFixed(2)}% of each captured amount · {plans === 1 ? "1 plan" : `${plans} plans`}
        {clock && (
          <>
            {" "}
            · Test clock: <Time at={clock} />
          </>
        )}
      </p>
      <Card title="Latest transactions" description={`The latest ${TRANSACTIONS_SHOWN}.`} flush>
        <TransactionRows transactions={transactions} />
      </Card>
      {subscriptions.length > 0 && (
        <Card title="Latest subscriptions" description={`The latest ${BILLING_SHOWN}.`} flush>
          <SubscriptionRows subscriptions={subscriptions} />
        </Card>
      )}
      {invoices.length > 0 && (
        <Card title="Latest invoices" description={`The latest ${BILLING_SHOWN}.`} flush>
          <InvoiceRows invoices={invoices} />
        </Card>
      )}
      {disputes.length > 0 && (
        <Card title="Latest disputes" description={`The latest ${BILLING_SHOWN}.`} flush>
          <DisputeRows disputes={disputes} mode={null} />
        </Card>
      )}
      <Card title="Latest failed requests" description={`The latest ${ERRORS_SHOWN}, kept for 30 days.`} flush>
        <ErrorRows errors={errors} />
      </Card>
      <Card title={`API keys (${keys.length === KEYS_SHOWN ? `newest ${KEYS_SHOWN}` : keys.length})`} flush>
        <KeyRows keys={keys} />
      </Card>
    </>
  );
}

const NOTHING = "p-4 text-[13px] text-soft";

function TransactionRows({ transactions }: { transactions: readonly MerchantTransaction[] }) {
  if (transactions.length === 0) return <p className={NOTHING}>No transactions yet.</p>;
  return (
    <ul className="divide-y">
      {transactions.map((row) => (
        <li
          key={row.id}
          className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-[13px] hover:bg-raised"
        >
          <div className="min-w-0 flex-1">
            <Link
              href={`/support/payments/${row.paymentId}`}
              prefetch={false}
              className="font-medium text-accent after:absolute after:inset-0 hover:underline"
            >
              {row.type === "CHARGE" ? "Charge" : "Refund"} <Money amount={signedAmount(row)} currency={row.currency} />
            </Link>
            <p className="truncate text-soft text-xs">
              {[row.cardLast4 && cardText(row.cardBrand, row.cardLast4), row.customerEmail].filter(Boolean).join(" · ")}
            </p>
          </div>
          <TransactionBadge of={row} />
          <Time at={row.createdAt} className="text-soft text-xs" />
        </li>
      ))}
    </ul>
  );
}

const BILLING_ROW =
  "relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-[13px] hover:bg-raised has-focus-visible:bg-raised";
const BILLING_LINK = "min-w-0 truncate font-medium text-accent after:absolute after:inset-0 hover:underline";

function SubscriptionRows({ subscriptions }: { subscriptions: readonly MerchantSubscription[] }) {
  return (
    <ul className="divide-y">
      {subscriptions.map((row) => (
        <li key={row.id} className={BILLING_ROW}>
          <div className="min-w-0 flex-1">
            <Link href={`/support/subscriptions/${row.id}`} prefetch={false} className={BILLING_LINK}>
              {row.planName} <Money amount={row.amount} currency={row.currency} />
            </Link>
            <p className="truncate text-soft text-xs">{row.customer}</p>
          </div>
          <SubscriptionBadge status={row.status} />
          <Time at={row.createdAt} className="text-soft text-xs" />
        </li>
      ))}
    </ul>
  );
}

export function InvoiceRows({ invoices }: { invoices: readonly MerchantInvoice[] }) {
  return (
    <ul className="divide-y">
      {invoices.map((row) => (
        <li key={row.id} className={BILLING_ROW}>
          <div className="min-w-48 flex-1">
            <Link href={`/support/invoices/${row.id}`} prefetch={false} className={BILLING_LINK}>
              {row.number ?? "Draft"} <Money amount={row.amountDue} currency={row.currency} />
            </Link>
            <p className="truncate text-soft text-xs">
              {row.customerId}
              {row.nextAttemptAt && (
                <>
                  {" · next attempt "}
                  <Time at={row.nextAttemptAt} />
                </>
              )}
            </p>
          </div>
          <InvoiceBadge status={row.status} />
          <Time at={row.createdAt} className="text-soft text-xs" />
        </li>
      ))}
    </ul>
  );
}

function ErrorRows({ errors }: { errors: readonly MerchantError[] }) {
  if (errors.length === 0) return <p className={NOTHING}>No request was refused or failed in the last 30 days.</p>;
  return (
    <ul className="divide-y">
      {errors.map((error) => (
        <li key={error.requestId} className="flex flex-col gap-0.5 px-4 py-2 text-[13px]">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <PlainStatus status={`${error.status} ${error.code}`} />
            <code className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">
              {error.method} {error.path}
            </code>
            <Time at={error.at} className="ml-auto text-soft text-xs" />
          </div>
          <p className="[overflow-wrap:anywhere]">{error.detail}</p>
          <CopyId id={error.requestId} short label="Copy request id" className="text-soft" />
        </li>
      ))}
    </ul>
  );
}

function KeyRows({ keys }: { keys: readonly MerchantKey[] }) {
  if (keys.length === 0) return <p className={NOTHING}>No API keys.</p>;
  return (
    <ul className="divide-y">
      {keys.map((key) => (
        <li key={key.id} className="flex flex-col gap-0.5 px-4 py-2 text-[13px]">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{key.name}</span>
            <code className="font-mono text-soft text-xs">{key.shown}</code>
            <StatusBadge status={key.status} className="ml-auto" />
          </div>
          <p className="text-soft text-xs">
            {key.lastUsedAt ? (
              <>
                Last used <Time at={key.lastUsedAt} style="relative" />
              </>
            ) : (
              "Never used"
            )}
            {" · created "}
            <Time at={key.createdAt} style="date" />
            {key.expiresAt && (
              <>
                {" · expires "}
                <Time at={key.expiresAt} style="date" />
              </>
            )}
          </p>
          <details className="text-xs">
            <summary className="w-max text-soft hover:text-ink">
              {key.permissions.length === 1 ? "1 permission" : `${key.permissions.length} permissions`}
            </summary>
            <p className="font-mono [overflow-wrap:anywhere]">{key.permissions.join(", ")}</p>
          </details>
          <CopyId id={key.id} short label={`Copy the id of ${key.name}`} className="text-soft" />
        </li>
      ))}
    </ul>
  );
}

/** Volume of an environment per currency: the last 30 days beside all time. */
function EnvironmentVolume({ volume }: { volume: readonly CurrencyVolume[] }) {
  return (
    <Card title="Volume" flush>
      {volume.length === 0 ? (
        <p className="p-4 text-[13px] text-soft">No money has moved yet.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
        <section aria-label="Volume by currency" tabIndex={0} className="overflow-x-auto">
          <table className="w-full text-[13px] tabular-nums">
            <caption className="sr-only">Volume by currency: the last 30 days, and all time</caption>
            <thead className="text-soft text-xs">
              <tr className="border-b [&>th]:whitespace-nowrap [&>th]:px-4 [&>th]:py-1.5 [&>th]:text-right [&>th]:font-medium [&>th]:first:text-left">
                <th scope="col">Currency</th>
                <th scope="col">Captured, 30 days</th>
                <th scope="col">Refunded, 30 days</th>
                <th scope="col">Approved</th>
                <th scope="col">Captured, all time</th>
                <th scope="col">Refunded, all time</th>
                <th scope="col">Fees</th>
              </tr>
            </thead>
            <tbody>
              {volume.map((row) => (
                <tr key={row.currency} className="border-b last:border-0 [&>*]:whitespace-nowrap [&>*]:px-4 [&>*]:py-2">
                  <th scope="row" className="text-left font-medium">
                    {row.currency}
                  </th>
                  <Amount amount={row.recentCaptured} currency={row.currency} />
                  <Amount amount={row.recentRefunded} currency={row.currency} />
                  <td className="text-right">{approval(row)}</td>
                  <Amount amount={row.captured} currency={row.currency} />
                  <Amount amount={row.refunded} currency={row.currency} />
                  <Amount amount={row.fees} currency={row.currency} />
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  );
}

function Amount({ amount, currency }: { amount: number; currency: string }) {
  return (
    <td className="text-right">
      <Money amount={amount} currency={currency} bare />
    </td>
  );
}

/** Approval rate of the last 30 days, among attempts that the issuer decided. */
function approval({ recentApproved, recentDeclined }: CurrencyVolume): string {
  const decided = recentApproved + recentDeclined;
  return decided === 0 ? "–" : `${Math.round((recentApproved / decided) * 1000) / 10}%`;
}
