import type { ReactNode } from "react";
import { minorToMajor } from "@/lib/contract/currencies";
import type { PaymentStatus } from "@/lib/contract/payment";

type ChallengeCardProps = {
  /** Where the answer is posted. */
  action: string;
  merchantName: string;
  status: PaymentStatus;
  /** Minor units. */
  amount: number;
  currency: string;
  cardLast4: string | null;
  returnUrl: string | null;
};

/** The sandbox's stand-in for a card issuer's 3-D Secure page. Plain forms: it works without JavaScript. */
export function ChallengeCard(props: ChallengeCardProps) {
  const { action, merchantName, status, amount, currency, cardLast4, returnUrl } = props;
  const price = new Intl.NumberFormat("en", { style: "currency", currency }).format(minorToMajor(amount, currency));
  const outcome = status === "REQUIRES_ACTION" ? null : outcomeOf(status);
  return (
    <section aria-labelledby="title" className="w-full max-w-sm rounded-lg border border-line bg-ground">
      <p className="border-b border-line bg-raised px-6 py-2.5 text-[13px] text-soft">
        Sandbox card issuer · no real money moves
      </p>
      <div className="space-y-5 px-6 py-6">
        <div>
          <h1 id="title" className="font-semibold text-lg tracking-tight">
            {outcome ? outcome.title : "Confirm your payment"}
          </h1>
          <p className="mt-1 text-soft">{outcome ? outcome.text : "Your bank asks whether this is you."}</p>
        </div>
        <dl className="divide-y divide-line border-line border-y text-[13px]">
          <Row label="Merchant">{merchantName}</Row>
          <Row label="Amount">
            <span className="font-mono tabular-nums">{price}</span>
          </Row>
          {cardLast4 && (
            <Row label="Card">
              <span className="font-mono">•••• {cardLast4}</span>
            </Row>
          )}
        </dl>
        {outcome ? returnUrl && <Return href={returnUrl} /> : <Answers action={action} />}
      </div>
    </section>
  );
}

function Answers({ action }: { action: string }) {
  const button = "h-10 w-full rounded-md border font-medium";
  return (
    <form method="post" action={action} className="grid gap-2.5">
      <button type="submit" name="result" value="passed" className={`${button} border-accent bg-accent text-on-accent`}>
        Approve the payment
      </button>
      <button type="submit" name="result" value="failed" className={`${button} border-line bg-ground text-ink`}>
        Fail the check
      </button>
    </form>
  );
}

function Return({ href }: { href: string }) {
  return (
    <a
      href={href}
      className="flex h-10 items-center justify-center rounded-md border border-accent bg-accent font-medium text-on-accent"
    >
      Back to the shop
    </a>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-6 py-2.5">
      <dt className="text-soft">{label}</dt>
      <dd className="text-right">{children}</dd>
    </div>
  );
}

function outcomeOf(status: PaymentStatus): { title: string; text: string } {
  switch (status) {
    case "DECLINED":
      return { title: "The check was not passed", text: "The payment was declined and nothing was charged." };
    case "FAILED":
      return { title: "The payment did not go through", text: "Nothing was charged. You can try again in the shop." };
    case "PENDING":
      return { title: "One moment", text: "Your answer is on its way to the bank. Reload the page for the result." };
    default:
      return { title: "The payment is confirmed", text: "You can go back to the shop." };
  }
}
