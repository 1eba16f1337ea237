import Link from "next/link";
import { CodeBlock, curl } from "@/components/docs/code";

const CREATE_KEY = `npm run create-merchant -- --name "Corner Shop" --email you@example.com
npm run create-key -- --merchant mer_… --mode test --name "Checkout" \\
  --permissions payment.create,payment.read,transaction.capture,transaction.refund`;

const CARD = { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvv: "123" };

export function Quickstart({ baseUrl }: { baseUrl: string }) {
  const post = (path: string, idempotencyKey: string, body?: unknown) =>
    curl({ method: "POST", url: `${baseUrl}/v1/payments${path}`, withApiKey: true, idempotencyKey, body });
  return (
    <>
      <h2 id="quickstart">Quickstart</h2>
      <p>
        Five steps in the sandbox, with test cards. No money moves. Here your server sends the card itself, which only
        test cards may; for shoppers there is the <Link href="/docs/checkout">payment form</Link>, with a{" "}
        <Link href="/docs/quickstart">quickstart</Link> of its own.
      </p>

      <h3>1. Get a key</h3>
      <p>
        <code className="tick">npm start</code> prints a sandbox key on its first start. Make your own, with only the
        permissions it needs, in the dashboard under{" "}
        <Link href="/test/developers/api-keys" prefetch={false}>
          API keys
        </Link>
        , or on the command line:
      </p>
      <CodeBlock title="In the project's folder" language="sh" code={CREATE_KEY} />
      <p>The key is shown once. Put it where the next commands find it:</p>
      <CodeBlock title="Keep the key" language="sh" code="export CARDLANE_KEY=sk_test_…" />

      <h3>2. Create a payment</h3>
      <p>
        <code className="tick">4999</code> is $49.99: amounts are in minor units. With{" "}
        <code className="tick">capture_method: manual</code> the card is authorized now and charged when you capture.
      </p>
      <CodeBlock
        title="Authorize a card"
        language="sh"
        code={post("", "order-1001-payment", { amount: 4999, currency: "USD", capture_method: "manual", card: CARD })}
      />
      <p>
        The answer is a <Link href="/docs/reference#Payment">payment</Link> with status{" "}
        <code className="tick">AUTHORIZED</code>, and <code className="tick">available_actions</code> says what you can
        do with it. Keep its id:
      </p>
      <CodeBlock title="Keep the id" language="sh" code="export PAYMENT=pay_…" />

      <h3>3. Capture it</h3>
      <p>All of it, or a part: the rest of the hold is then released. A payment is captured once, within seven days.</p>
      <CodeBlock
        title="Capture $49.99"
        language="sh"
        code={post("/$PAYMENT/capture", "order-1001-capture", { amount: 4999 })}
      />

      <h3>4. Refund a part</h3>
      <p>Refund as often as you like, up to what was captured. Without an amount, all that is left is refunded.</p>
      <CodeBlock
        title="Refund $15.00"
        language="sh"
        code={post("/$PAYMENT/refund", "order-1001-refund-1", { amount: 1500, reason: "CUSTOMER_REQUEST" })}
      />

      <h3>5. Look at it</h3>
      <CodeBlock
        title="Get the payment with its charge and refunds"
        language="sh"
        code={curl({ method: "GET", url: `${baseUrl}/v1/payments/$PAYMENT`, withApiKey: true })}
      />
      <p>
        Now try it with a card that is declined or a processor that loses its answer: the{" "}
        <Link href="/docs/testing">testing page</Link> has a card for each.
      </p>
    </>
  );
}
