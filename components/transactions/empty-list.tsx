"use client";

import { CreditCard } from "lucide-react";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { useDashboard } from "@/lib/client/dashboard-context";
import type { Mode } from "@/lib/contract/transactions/words";

type EmptyListProps = {
  mode: Mode;
  /** The active filters in words; none when there is not a single transaction. */
  filters: readonly string[];
  /** Rows on other pages than this one, which is past the last. */
  total: number;
  lastPage: number;
  apiUrl: string;
  onClear: () => void;
  onPage: (page: number) => void;
};

/** Why no row is shown. */
export function EmptyList({ mode, filters, total, lastPage, apiUrl, onClear, onPage }: EmptyListProps) {
  const { can } = useDashboard();
  if (total > 0) {
    return (
      <EmptyState
        title="This page is past the last one"
        description="The list may have changed since."
        actions={<Button onClick={() => onPage(lastPage)}>Go to page {lastPage}</Button>}
      />
    );
  }
  if (filters.length > 0)
    return <EmptyState kind="no-results" what="transactions" filters={filters} onClear={onClear} />;
  return (
    <EmptyState
      icon={<CreditCard aria-hidden="true" />}
      title={mode === "test" ? "No transactions yet" : "No live transactions yet"}
      description={
        mode === "test"
          ? "Create one with a test card and a test key. It appears here automatically."
          : "Live payments start in the payment form. They appear here automatically."
      }
      curl={firstPayment(mode, apiUrl)}
      curlTitle="Make a payment"
      actions={
        <>
          {can("client_session.create") && (
            <a className="button button-primary" href={`/${mode}/checkout/links/new`}>
              Create a payment link
            </a>
          )}
          {can("api_key.manage") && (
            <a className="button button-secondary" href={`/${mode}/developers/api-keys`}>
              Get an API key
            </a>
          )}
        </>
      }
    />
  );
}

function firstPayment(mode: Mode, apiUrl: string): string {
  const body =
    mode === "test"
      ? '{"amount": 1999, "currency": "USD", "card": {"number": "4242424242424242", "exp_month": 12, "exp_year": 2030, "cvv": "123"}}'
      : '{"amount": 1999, "currency": "USD", "payment_token": "tok_…"}';
  return [
    `curl ${apiUrl}/v1/payments \\`,
    `  -H "X-Api-Key: sk_${mode}_…" \\`,
    `  -H "X-Idempotency-Key: order-1001" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '${body}'`,
  ].join("\n");
}
