import { CreditCard } from "lucide-react";
import Link from "next/link";
import { EmptyState } from "@/components/ui/empty-state";
import { buttonStyles } from "@/components/ui/styles";
import type { Mode } from "@/lib/contract/transactions/words";

type FirstUseProps = { mode: Mode; baseUrl: string; canManageKeys: boolean; needsProcessor: boolean };

/** Guide to the first payment. */
export function FirstUse({ mode, baseUrl, canManageKeys, needsProcessor }: FirstUseProps) {
  const isTest = mode === "test";
  return (
    <div className="rounded-lg border">
      <EmptyState
        icon={<CreditCard aria-hidden="true" />}
        title={isTest ? "Make your first test payment" : "No live payments yet"}
        description={
          isTest
            ? "Replace $CARDLANE_KEY with an API key and run this in a terminal. The card is a test card: no money moves."
            : "Collect the card with a client session, then charge its token with a live key. In live mode your server never handles card numbers."
        }
        curlTitle={isTest ? "Charge $19.99" : "Charge the token of a card"}
        curl={commandOf(mode, baseUrl)}
        actions={
          <>
            {canManageKeys && (
              <Link
                href={`/${mode}/developers/api-keys`}
                className={buttonStyles(needsProcessor ? {} : { variant: "primary" })}
              >
                Create an API key
              </Link>
            )}
            <Link href="/docs" className={buttonStyles()}>
              Read the quickstart
            </Link>
          </>
        }
      />
    </div>
  );
}

function commandOf(mode: Mode, baseUrl: string): string {
  const means =
    mode === "test"
      ? '"card": { "number": "4242424242424242", "exp_month": 12, "exp_year": 2030, "cvv": "123" }'
      : '"payment_token": "tok_…"';
  return [
    `curl ${baseUrl}/v1/payments`,
    '-H "X-Api-Key: $CARDLANE_KEY"',
    '-H "X-Idempotency-Key: first-payment"',
    '-H "Content-Type: application/json"',
    `-d '{ "amount": 1999, "currency": "USD",\n    ${means} }'`,
  ].join(" \\\n  ");
}
