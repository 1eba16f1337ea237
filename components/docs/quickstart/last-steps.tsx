import Link from "next/link";
import { CodeBlock } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { DataTable } from "@/components/docs/prose";
import { groupedNumber } from "@/lib/contract/format";
import {
  CURL_GET_PAYMENT,
  CURL_GET_SESSION,
  KEEP_PAYMENT,
  KEEP_SESSION,
  NODE_RESULT,
  PYTHON_RESULT,
  RUN_NODE,
  RUN_PYTHON,
} from "./snippets";

const CARDS: readonly { number: string; effect: string }[] = [
  { number: "4242424242424242", effect: "Paid. Your page gets onSuccess and goes on to /result." },
  {
    number: "4000000000009995",
    effect: "Declined for lack of funds. The form says so, and the shopper tries another card.",
  },
  {
    number: "4000000000003220",
    effect: "3-D Secure: the bank’s question opens inside the form. Approve it, or fail it.",
  },
  {
    number: "4000000000001976",
    effect: "The bank’s answer is lost. The form waits until it is known; nobody pays twice.",
  },
];

type StepsProps = { baseUrl: string; hasDemo: boolean };

/** Steps 4 and 5: the payment, and what came of it. */
export function LastSteps({ baseUrl, hasDemo }: StepsProps) {
  return (
    <>
      <h2 id="pay">4. Process the transaction</h2>
      <p>Start your shop and open the address that it prints:</p>
      <CodeTabs
        label="Start the shop with"
        panels={{
          curl: (
            <p>
              With curl alone there is no shop to start: open the <code className="tick">iframe_url</code> of step 2 in
              a browser. It is the same form, on a page of Cardlane’s.
            </p>
          ),
          Node: <CodeBlock title="Start the shop" language="sh" code={RUN_NODE} />,
          Python: <CodeBlock title="Start the shop" language="sh" code={RUN_PYTHON} />,
        }}
      />
      <p>Pay with these cards, any expiry in the future and any three digits as the security code:</p>
      <DataTable
        caption="Cards to try first"
        columns={["Card", "What happens"]}
        rows={CARDS.map(({ number, effect }) => ({
          key: number,
          cells: [
            <code key="number" className="whitespace-nowrap font-mono text-[12.5px]">
              {groupedNumber(number)}
            </code>,
            effect,
          ],
        }))}
      />
      <p>When the shopper presses Pay:</p>
      <ol>
        <li>
          The form sends the card to Cardlane, under a key of its own: a second press or a lost connection cannot pay
          twice.
        </li>
        <li>
          Cardlane asks the card’s bank. If the bank wants the shopper to confirm, the form opens its page (3-D Secure)
          and goes on with the answer.
        </li>
        <li>
          A <b>decline</b> is a sentence in the form, in the shopper’s language, and five tries in all. Your page hears
          of it as <code className="tick">onError</code>, and need not do anything.
        </li>
        <li>
          A <b>payment</b> completes the session. It takes no second one, in this tab or any other.
        </li>
      </ol>

      <h2 id="result">5. Handle the result</h2>
      <p>
        Now the only question that counts: was it paid? Ask from your server. This part is in the file of step 2
        already:
      </p>
      <CodeTabs
        label="Ask for the result with"
        panels={{
          curl: (
            <>
              <p>
                Take the session’s id from step 2, and the <code className="tick">payment_id</code> from its answer
                here:
              </p>
              <CodeBlock title="Keep the session’s id" language="sh" code={KEEP_SESSION} />
              <CodeBlock title="Get the session" language="sh" code={CURL_GET_SESSION(baseUrl)} />
              <CodeBlock title="Keep the payment’s id" language="sh" code={KEEP_PAYMENT} />
              <CodeBlock title="Get the payment" language="sh" code={CURL_GET_PAYMENT(baseUrl)} />
            </>
          ),
          Node: <CodeBlock title="In server.mjs" language="js" code={NODE_RESULT.trim()} />,
          Python: <CodeBlock title="In server.py" language="py" code={PYTHON_RESULT.trim()} />,
        }}
      />
      <p>
        A session that is <code className="tick">COMPLETED</code> has a <code className="tick">payment_id</code>, and
        the payment’s status decides: <code className="tick">CAPTURED</code> is paid,{" "}
        <code className="tick">AUTHORIZED</code> is held until you capture it. Do what follows (ship, unlock, mail) once
        per order, however often the result page is opened.
      </p>
      <p>
        <b>Why not believe the browser?</b> What <code className="tick">onSuccess</code> says can be
      </p>
      <ul>
        <li>
          <b>forged</b>: everybody can call a function of their own page, or open <code className="tick">/result</code>{" "}
          with somebody else’s session;
        </li>
        <li>
          <b>lost</b>: the bank has said yes, and the train enters a tunnel;
        </li>
        <li>
          <b>too late</b>: the shopper paid and closed the tab before your code ran.
        </li>
      </ul>
      <p>
        So <code className="tick">onSuccess</code> only moves the shopper on. For orders whose page never came back, ask
        for the sessions that are still open in your own books, every few minutes until they expire after 24 hours.
      </p>

      <h2 id="next">What next</h2>
      <ul>
        <li>
          <Link href="/docs/checkout">Checkout</Link>: looks, languages, your own button, payment links, card tokens,
          the Content-Security-Policy of your page.
        </li>
        <li>
          <Link href="/docs/testing">Testing</Link>: a card for every decline and every fault.
        </li>
        <li>
          <Link href="/docs#quickstart">Capture, void, refund</Link>: what to do with a payment afterwards.
        </li>
        {hasDemo && (
          <li>
            The <a href="/demo">sample shop</a>: the same, with a live log of every call and event.
          </li>
        )}
      </ul>
    </>
  );
}
