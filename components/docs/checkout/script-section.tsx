import Link from "next/link";
import type { ReactNode } from "react";
import { CodeBlock } from "@/components/docs/code";
import { DataTable } from "@/components/docs/prose";

export const Code = ({ children }: { children: ReactNode }) => <code className="tick">{children}</code>;

type Member = { name: string; type: string; about: ReactNode };

/** Options, callbacks and methods: a name, its type, and what it is for. */
export function MemberTable({ caption, members }: { caption: string; members: readonly Member[] }) {
  return (
    <DataTable
      caption={caption}
      columns={["Name", "What it is"]}
      rows={members.map(({ name, type, about }) => ({
        key: name,
        cells: [
          <span key="name" className="block sm:whitespace-nowrap">
            <code className="font-mono text-[12.5px] text-ink">{name}</code>
            <span className="block font-mono text-[11.5px] text-soft">{type}</span>
          </span>,
          about,
        ],
      }))}
    />
  );
}

const OPTIONS: readonly Member[] = [
  {
    name: "token",
    type: "string, required",
    about: (
      <>
        The session’s <Code>client_session_token</Code>. See <a href="#token">The token</a>.
      </>
    ),
  },
  {
    name: "mode",
    type: '"payment" | "tokenize"',
    about: (
      <>
        <Code>payment</Code> (default) pays the session. <Code>tokenize</Code> returns a{" "}
        <a href="#tokenize">card token</a>.
      </>
    ),
  },
  {
    name: "appearance",
    type: "object",
    about: (
      <>
        How the form looks. What you leave out is the session’s, else your <a href="#appearance">dashboard’s</a>.
      </>
    ),
  },
  {
    name: "locale",
    type: '"auto" | "en" | …',
    about: (
      <>
        The form’s <a href="#languages">language</a>; <Code>auto</Code> (default) is the shopper’s own.
      </>
    ),
  },
  {
    name: "button",
    type: "boolean",
    about: (
      <>
        <Code>false</Code>: the form shows no button, and <a href="#your-button">yours</a> calls <Code>submit()</Code>.
      </>
    ),
  },
  {
    name: "fields",
    type: "{ name?, postalCode? }",
    about:
      "Whether the form asks for the name on the card and the postal code. By default it asks for the name, and for the postal code in USD, CAD and GBP when the session has none.",
  },
];

const CALLBACKS: readonly Member[] = [
  { name: "onReady", type: "()", about: "The form is visible and can be filled in." },
  {
    name: "onChange",
    type: "({ complete, empty, processing })",
    about: "A field changed. complete: everything is filled in and right. processing: a payment is under way.",
  },
  {
    name: "onActionRequired",
    type: '({ kind: "three_d_secure" })',
    about: "The bank’s question is open inside the form. Nothing to do, but do not cover or unmount the form.",
  },
  {
    name: "onSuccess",
    type: "(result)",
    about: (
      <>
        Done. <Code>clientSessionId</Code>, <Code>paymentId</Code>, <Code>status</Code>, <Code>paymentToken</Code> (mode{" "}
        <Code>tokenize</Code>) and <Code>returnUrl</Code>, which is the session’s with both ids added. The script does
        not leave the page: go there yourself. It is a hint;{" "}
        <Link href="/docs/quickstart#result">your server asks for the truth</Link>.
      </>
    ),
  },
  {
    name: "onError",
    type: "({ code, message, attemptsLeft })",
    about: (
      <>
        An attempt failed, or the form cannot go on: <a href="#errors">all codes</a>. The form tells the shopper itself.
      </>
    ),
  },
  { name: "onExpired", type: "()", about: "The session’s 24 hours are over. Create another one and mount again." },
];

const METHODS: readonly Member[] = [
  { name: "submit()", type: "void", about: "What the form’s own button does. The outcome comes by the callbacks." },
  {
    name: "update({ … })",
    type: "void",
    about: "Changes appearance, locale or button at any time. What the shopper has typed stays.",
  },
  {
    name: "unmount()",
    type: "void",
    about: "Removes the form. A payment under way goes on; your server learns its outcome.",
  },
];

const OWN_BUTTON = `<div id="card-form"></div>
<button id="pay" disabled>Place the order</button>
<script>
  const pay = document.getElementById("pay");
  const form = Cardlane.mount("#card-form", {
    token,
    button: false,
    onReady: () => { pay.disabled = false; },
    onChange: ({ processing }) => { pay.disabled = processing; },
    onSuccess: ({ returnUrl }) => location.assign(returnUrl),
  });
  pay.onclick = () => form.submit();
</script>`;

/** The script, `mount` and everything it takes. */
export function ScriptSection({ baseUrl }: { baseUrl: string }) {
  return (
    <>
      <h2 id="script">The script</h2>
      <p>
        One file without dependencies, which adds <Code>window.Cardlane</Code>. Load it from this address and no other:
        not as a module, not in a bundle, not from a copy. It takes Cardlane’s address from its own, and is kept in step
        with the form.
      </p>
      <CodeBlock title="In your page" language="html" code={`<script src="${baseUrl}/sdk/v1.js"></script>`} />

      <h2 id="mount">Mount</h2>
      <CodeBlock
        title="Cardlane.mount(element, options)"
        language="html"
        code={`const form = Cardlane.mount("#card-form", { token, onSuccess: ({ returnUrl }) => location.assign(returnUrl) });`}
      />
      <p>
        <Code>element</Code> is a selector or an element that is in the page already, and empty of other forms. The form
        fills its width, from 280 pixels, and takes the height it needs. A mistake of yours is thrown and said in the
        console, with a link to its part of this page.
      </p>
      <h3 id="options">Options</h3>
      <MemberTable caption="Options of mount" members={OPTIONS} />
      <h3 id="callbacks">Callbacks</h3>
      <MemberTable caption="Callbacks" members={CALLBACKS} />
      <h3 id="methods">Methods of the form</h3>
      <MemberTable caption="What mount returns" members={METHODS} />

      <h3 id="your-button">Your own button</h3>
      <p>
        Enable it once the form is ready. Press or not, an incomplete form submits nothing: it marks what is missing and
        puts the focus there.
      </p>
      <CodeBlock title="A button of yours" language="html" code={OWN_BUTTON} />

      <h2 id="token">The token</h2>
      <p>
        <Code>cst_…</Code>, from the answer to{" "}
        <Link href="/docs/reference#createClientSession">POST /v1/client-sessions</Link>. It pays one order and can do
        nothing else, so it may be in a page. Neither the session’s id (<Code>cs_…</Code>) nor an API key is a token.{" "}
        <b>A secret key (sk_…) in a page belongs to whoever opens it</b>: should it have happened,{" "}
        <Link href="/test/developers/api-keys" prefetch={false}>
          revoke it
        </Link>{" "}
        now.
      </p>

      <h2 id="origins">Pages that may show the form</h2>
      <p>
        <Code>allowed_origins</Code> of the session names them: scheme, host and port, such as{" "}
        <Code>https://shop.example</Code>, up to 20. In any other page the browser refuses the frame and{" "}
        <Code>onError</Code> says <Code>origin_not_allowed</Code>. The usual reasons:
      </p>
      <ul>
        <li>
          <Code>http://localhost:4242</Code> and <Code>http://127.0.0.1:4242</Code> are two origins, and so are{" "}
          <Code>https://shop.example</Code> and <Code>https://www.shop.example</Code>.
        </li>
        <li>
          The page is a file (<Code>file://</Code>) or in a sandboxed frame: it has no origin. Serve it over http from
          localhost.
        </li>
        <li>
          The page is not secure. Over plain http anybody on the way could replace the form: use https, everywhere but
          on localhost.
        </li>
      </ul>
    </>
  );
}
