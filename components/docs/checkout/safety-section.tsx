import Link from "next/link";
import { CodeBlock } from "@/components/docs/code";
import { CLIENT_SESSION_ATTEMPTS } from "@/lib/contract/checkout/client-session";
import { Code } from "./script-section";

/** 3-D Secure, limits, your page's policy, what never leaves the frame, testing. */
export function SafetySection({ baseUrl, hasDemo }: { baseUrl: string; hasDemo: boolean }) {
  return (
    <>
      <h2 id="three-d-secure">3-D Secure</h2>
      <p>
        When the bank wants to ask the shopper, its page opens inside the form and <Code>onActionRequired</Code> is
        called. After the answer the payment goes on by itself and ends in <Code>onSuccess</Code> or{" "}
        <Code>onError</Code>. A shopper who closes the tab and comes back finds the question again until it expires.
      </p>
      <p>
        A payment of your server (with a card token) answers <Code>REQUIRES_ACTION</Code> instead. Redirect the shopper
        to <Code>next_action.redirect_to_url.url</Code>; the bank sends them back to the payment’s{" "}
        <Code>return_url</Code>. Coming back proves nothing: get the payment.
      </p>

      <h2 id="limits">Attempts and limits</h2>
      <ul>
        <li>
          A session takes {CLIENT_SESSION_ATTEMPTS} attempts, one payment at a time, one successful payment, for 24
          hours. Making a card token counts as an attempt. A retry of the same attempt, after a lost connection, does
          not.
        </li>
        <li>
          One internet address can have 15 declines a minute, and ten times as many attempts. After 30 declined cards of
          one issuer (the first six digits) within a minute, its cards get no second try for a while; a first try always
          passes, and approved cards count for nothing. Thieves who try stolen numbers get nowhere. Your operator can
          set another number.
        </li>
        <li>
          <Link href="/docs/reference#cancelClientSession">Cancel</Link> a session that shall not be paid any more.
          While a payment is under way it cannot be cancelled.
        </li>
      </ul>

      <h2 id="csp">Your page’s Content-Security-Policy</h2>
      <p>When your page has one, it needs these two sources, and nothing else:</p>
      <CodeBlock title="Content-Security-Policy" language="text" code={`script-src ${baseUrl}; frame-src ${baseUrl}`} />

      <h2 id="security">Security</h2>
      <ul>
        <li>
          Card number, expiry and security code exist in the frame alone and go from there to Cardlane. No callback has
          any of them, and neither your page nor your server can read them: this keeps you in the shortest PCI
          questionnaire (SAQ A).
        </li>
        <li>
          They are never stored or logged, in whole or in part that could be put together again: a payment has the
          brand, the first six and the last four digits.
        </li>
        <li>
          The frame and your page talk by messages that both check: exact origin, exact window, known form. The frame
          can be shown by <Code>allowed_origins</Code> alone, which the browser enforces.
        </li>
        <li>
          The amount is your server’s. What the browser says about a payment{" "}
          <Link href="/docs/quickstart#result">is only a hint</Link>.
        </li>
        <li>
          A lost card, a stolen one and a suspicion of fraud are all <Code>card_declined</Code> to the shopper; your
          server reads the true <Code>decline_code</Code>.
        </li>
      </ul>

      <h2 id="testing">Testing</h2>
      <p>
        With a sandbox session, the <Link href="/docs/testing">test cards</Link> decide what happens: every decline, 3-D
        Secure, lost answers and slow ones.{" "}
        {hasDemo && (
          <>
            The <a href="/demo">sample shop</a> has all of them in a drawer beside the form, with a live log.
          </>
        )}
      </p>
    </>
  );
}
