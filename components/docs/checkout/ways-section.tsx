import Link from "next/link";
import { CodeBlock, curl } from "@/components/docs/code";
import { Code } from "./script-section";

const REACT = `function CardForm({ token }: { token: string }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => Cardlane.mount(element.current, { token, onSuccess: () => location.assign("/result") }).unmount, [token]);
  return <div ref={element} />;
}`;

/** Ways to take a payment: in your page, on a page of ours, or with a token; and from a framework. */
export function WaysSection({ baseUrl }: { baseUrl: string }) {
  const tokenPayment = curl({
    method: "POST",
    url: `${baseUrl}/v1/payments`,
    withApiKey: true,
    idempotencyKey: "order-1001-card-1",
    body: { amount: 1999, currency: "USD", payment_token: "tok_…", return_url: "https://shop.example/result" },
  });
  return (
    <>
      <h2 id="payment-links">Payment links</h2>
      <p>
        A session’s <Code>iframe_url</Code> is also a page of its own: send it by mail, print it as a QR code, or
        redirect to it. The shopper sees your name, the amount and the form, and goes on to <Code>return_url</Code>{" "}
        after the payment. It needs no <Code>allowed_origins</Code> and no page of yours. It works for 24 hours and is
        paid once, whoever opens it.
      </p>

      <h2 id="tokenize">Card tokens</h2>
      <p>
        With <Code>mode: "tokenize"</Code> the form charges nothing: <Code>onSuccess</Code> brings a{" "}
        <Code>paymentToken</Code> (<Code>tok_…</Code>), and your server makes the payment. Use it when something must be
        decided between the card and the charge: stock, a voucher, the final price.
      </p>
      <CodeBlock title="Your server pays with the token" language="sh" code={tokenPayment} />
      <ul>
        <li>The token is good for one payment within 15 minutes, and useless to anybody without your key.</li>
        <li>
          It needs its own <Link href="/docs#idempotency">idempotency key</Link>: one per order and card, so that
          another card after a decline is another try, and the same one sent twice is not.
        </li>
        <li>
          A payment completes the session that the token is from; other tokens of the session are then refused. So two
          tabs cannot pay one order twice.
        </li>
        <li>
          Answers are those of every payment: 201, 402 for a decline, 202 while the outcome is unknown, and{" "}
          <Code>REQUIRES_ACTION</Code> with an address for <a href="#three-d-secure">3-D Secure</a>.
        </li>
      </ul>

      <h2 id="react">React</h2>
      <p>Mount in an effect, unmount in its clean-up. That is all, in strict mode, too:</p>
      <CodeBlock title="Five lines" language="js" code={REACT} />

      <h2 id="typescript">TypeScript</h2>
      <p>
        The types are at <a href="/sdk/v1.d.ts">{baseUrl}/sdk/v1.d.ts</a>. Save the file in your project, for instance
        as <Code>types/cardlane.d.ts</Code>, and <Code>window.Cardlane</Code> is typed.
      </p>
    </>
  );
}
