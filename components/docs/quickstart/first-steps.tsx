import Link from "next/link";
import { CodeBlock } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { CHECKOUT_PAGE, CREATE_KEY, CURL_SESSION, KEEP_KEY, NODE_SERVER, PYTHON_SERVER } from "./snippets";

type StepsProps = {
  /** The sandbox's address. */
  baseUrl: string;
  /** Whether this machine has the demo merchant, and so the sample shop. */
  hasDemo: boolean;
};

/** Steps 1 to 3: a key, a session, the form. */
export function FirstSteps({ baseUrl, hasDemo }: StepsProps) {
  return (
    <>
      <p>
        The card never touches your server: its fields live in a frame of Cardlane’s, inside your page. Your server sets
        the price before, and asks what became of it after.{" "}
        {hasDemo && (
          <>
            The <a href="/demo">sample shop</a> on this machine is the finished thing, with every call on display.
          </>
        )}
      </p>
      <Picture />

      <h2 id="key">1. Create an API key</h2>
      <p>
        In the dashboard, under{" "}
        <Link href="/test/developers/api-keys" prefetch={false}>
          API keys
        </Link>
        , create a key of the test mode with the permissions <code className="tick">client_session.create</code> and{" "}
        <code className="tick">payment.read</code>, and no more than these: a key that cannot refund is no loss when it
        leaks. Or on the command line, in Cardlane’s own folder:
      </p>
      <CodeBlock title="Create a key" language="sh" code={CREATE_KEY} />
      {hasDemo && (
        <p>
          This machine has a demo merchant: the sandbox key that <code className="tick">npm start</code> printed will
          do, too.
        </p>
      )}
      <p>The key is shown once. Keep it where your server finds it, and never put it into a page:</p>
      <CodeBlock title="Keep the key" language="sh" code={KEEP_KEY} />

      <h2 id="session">2. Create a client session</h2>
      <p>
        A session is one order to be paid once: the amount, the currency, the pages that may show the form, and where
        the shopper goes afterwards. Only your server can create one, so nobody can change the price in the browser.
        Choose your language and save the file in an empty folder; it needs nothing but Node 20 or Python 3.9.
      </p>
      <CodeTabs
        label="Create a session with"
        panels={{
          curl: (
            <>
              <CodeBlock title="Create a session" language="sh" code={CURL_SESSION(baseUrl)} />
              <p>
                The answer has the <code className="tick">client_session_token</code> for the form of step 3, and{" "}
                <code className="tick">iframe_url</code>: open it in a browser, and you have a payment page without
                writing one.
              </p>
            </>
          ),
          Node: <CodeBlock title="server.mjs" language="js" code={NODE_SERVER(baseUrl)} tall />,
          Python: <CodeBlock title="server.py" language="py" code={PYTHON_SERVER(baseUrl)} tall />,
        }}
      />
      <p>
        The <Link href="/docs#idempotency">idempotency key</Link> is the order’s number. When the answer is lost, or the
        shopper reloads the page, the same request finds the same session: an order never has two.
      </p>

      <h2 id="mount">3. Mount the form</h2>
      <p>
        Save this page beside the server as <code className="tick">checkout.html</code>. It loads the script, asks your
        server for a token, and mounts the form where the <code className="tick">div</code> is. The rest is the form’s
        work: languages, brands, errors, 3-D Secure, slow networks.
      </p>
      <CodeBlock title="checkout.html" language="html" code={CHECKOUT_PAGE(baseUrl)} tall />
      <p>
        The script must come from <code className="tick">{baseUrl}/sdk/v1.js</code>, not from a copy. All its options
        are on the <Link href="/docs/checkout">checkout page</Link>.
      </p>
    </>
  );
}

/** Who says what to whom, in the order in which it happens. */
const STEPS: readonly { who: string; what: string }[] = [
  { who: "Your server → Cardlane", what: "Here is an order of $19.99. May I have a session?" },
  { who: "Your server → your page", what: "This is the session’s token." },
  { who: "Your page → the form", what: "Mount, with the token." },
  { who: "The shopper → the form", what: "Card number, expiry, security code. They go to Cardlane and nowhere else." },
  { who: "The form → your page", what: "It is done. (A hint, so that the page can move on.)" },
  { who: "Your server → Cardlane", what: "Is it? Then the book goes into the post." },
];

function Picture() {
  return (
    <ol className="!list-none !pl-0 divide-y rounded-md border bg-raised text-[13px]">
      {STEPS.map(({ who, what }) => (
        <li key={what} className="!mt-0 grid gap-x-4 px-3.5 py-2 sm:grid-cols-[12.5rem_1fr]">
          <span className="font-medium">{who}</span>
          <span className="text-soft">{what}</span>
        </li>
      ))}
    </ol>
  );
}
