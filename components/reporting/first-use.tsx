import { CreditCard } from "lucide-react";
import Link from "next/link";
import { EmptyState } from "@/components/ui/empty-state";
import { buttonStyles } from "@/components/ui/styles";
import type { Mode } from "@/lib/contract/transactions/words";

type FirstUseProps = {
  mode: Mode;
  baseUrl: string;
  canManageKeys: boolean;
  canMakeLinks: boolean;
  needsProcessor: boolean;
};

/** Guide to the first payment. */
export function FirstUse({ mode, baseUrl, canManageKeys, canMakeLinks, needsProcessor }: FirstUseProps) {
  const isTest = mode === "test";
  return (
    <div className="rounded-lg border">
      <EmptyState
        icon={<CreditCard aria-hidden="true" />}
        title={isTest ? "Make your first test payment" : "No live payments yet"}
        description={
          isTest
            ? "Create a payment link and pay it with card 4242 4242 4242 4242: no money moves. Developers can run this in a terminal, with an API key as $CARDLANE_KEY."
            : "Create a payment link and share it, no code needed. Developers collect the card with a client session, then charge its token with a live key."
        }
        curlTitle={isTest ? "Charge $19.99" : "Charge the token of a card"}
        curl={commandOf(mode, baseUrl)}
        actions={
          <>
            {canMakeLinks && (
              <Link
                href={`/${mode}/checkout/links/new`}
                className={buttonStyles(needsProcessor ? {} : { variant: "primary" })}
              >
                Create a payment link
              </Link>
            )}
            {canManageKeys && (
              <Link href={`/${mode}/developers/api-keys`} className={buttonStyles()}>
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
