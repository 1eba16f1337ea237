/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { minorToMajor } from "@/lib/contract/currencies";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import { renderDocument, type Stylesheet } from "./render-document";

type ShownChallenge = {
  merchantName: string;
  status: PaymentStatus;
  /** Minor units; null if the card is only stored. */
  amount: number | null;
  currency: string;
  cardLast4: string | null;
  /** The processor's challenge page; null means that the sandbox acts as the card issuer. */
  processorUrl: string | null;
  isSandbox: boolean;
  /** The merchant's return address; null if it gave none. */
  returnUrl: string | null;
};

type ChallengePageOptions = {
  /** Address that the form posts to. */
  action: string;
  nonce: string;
  stylesheet: Stylesheet;
  /** Inside the payment form, which continues once the challenge ends. */
  framed: boolean;
};

/**
 * The sandbox's stand-in for a card issuer's 3-D Secure page. Plain forms, so it works without JavaScript.
 */
export function renderChallengePage(challenge: ShownChallenge, options: ChallengePageOptions): string {
  const { action, nonce, stylesheet, framed } = options;
  return renderDocument({
    title: "Confirm your payment",
    locale: "en",
    appearance: framed ? null : { theme: "system" },
    nonce,
    stylesheet,
    layout: framed ? "framed" : "centred",
    body: <ChallengeCard challenge={challenge} action={action} framed={framed} />,
  });
}

function ChallengeCard({ challenge, action, framed }: { challenge: ShownChallenge; action: string; framed: boolean }) {
  const { merchantName, status, amount, currency, cardLast4, returnUrl, processorUrl, isSandbox } = challenge;
  const price =
    amount === null
      ? null
      : new Intl.NumberFormat("en", { style: "currency", currency }).format(minorToMajor(amount, currency));
  const outcome = status === "REQUIRES_ACTION" ? null : outcomeOf(status, price !== null);
  return (
    <main class="challenge" aria-labelledby="title">
      {isSandbox && <p class="issuer">Sandbox card issuer · no real money moves</p>}
      <div class="challenge-body">
        <div>
          <h1 id="title">{outcome ? outcome.title : price ? "Confirm your payment" : "Confirm your card"}</h1>
          <p class="soft">
            {outcome ? outcome.text : processorUrl ? NOT_ANSWERED : "Your bank wants to check that it’s you."}
          </p>
        </div>
        <dl class="rows">
          <Row label="Merchant">{merchantName}</Row>
          {price && (
            <Row label="Amount">
              <span class="figures">{price}</span>
            </Row>
          )}
          {cardLast4 && (
            <Row label="Card">
              <span class="figures">•••• {cardLast4}</span>
            </Row>
          )}
        </dl>
        {!outcome && processorUrl === null && <Answers action={action} what={price ? "payment" : "card"} />}
        {!outcome && processorUrl !== null && (
          <a class="button" href={processorUrl} rel="noreferrer">
            Continue at your bank
          </a>
        )}
        {outcome && returnUrl && !framed && (
          <a class="button" href={returnUrl}>
            Back to the shop
          </a>
        )}
      </div>
    </main>
  );
}

const NOT_ANSWERED = "Your bank hasn’t confirmed it yet. Complete its check, and you’ll come back here.";

function Answers({ action, what }: { action: string; what: "payment" | "card" }) {
  return (
    <form method="post" action={action} class="answers">
      <button type="submit" name="result" value="passed" class="button">
        Approve the {what}
      </button>
      <button type="submit" name="result" value="failed" class="button quiet">
        Fail the check
      </button>
      <button type="submit" name="result" value="abandoned" class="button plain">
        Cancel and go back
      </button>
    </form>
  );
}

function Row({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function outcomeOf(status: PaymentStatus, isPayment: boolean): { title: string; text: string } {
  if (!isPayment) {
    return status === "CAPTURED"
      ? { title: "The card is confirmed", text: "You can go back to the shop." }
      : { title: "3-D Secure failed", text: "The card was not stored and nothing was charged." };
  }
  switch (status) {
    case "DECLINED":
      return { title: "3-D Secure failed", text: "The payment was declined and nothing was charged." };
    case "FAILED":
      return { title: "The payment didn’t go through", text: "Nothing was charged. You can try again in the shop." };
    case "PENDING":
      return { title: "One moment", text: "Your answer is on its way to the bank. Reload the page for the result." };
    default:
      return { title: "The payment is confirmed", text: "You can go back to the shop." };
  }
}
