import Link from "next/link";
import { CodeBlock, curl } from "@/components/docs/code";
import { SiteHeader } from "@/components/docs/docs-shell";
import { findDemoShop } from "@/lib/http/demo";
import { publicUrls } from "@/lib/http/page";

const ANSWER = `{
  "id": "pay_01kaggamgge4kca9s0x8zy9vhs",
  "object": "payment",
  "status": "CAPTURED",
  "amount": 4999,
  "currency": "USD",
  "available_actions": ["refund"],
  …
}`;

const PROMISES = [
  {
    title: "One key, one operation",
    text: "Every request that moves money carries your key. Send it twice, or twenty times at once: it runs once, and every response is the same.",
    href: "/docs#idempotency",
    link: "Idempotency",
  },
  {
    title: "Strict about mistakes",
    text: "A mistyped field is refused, never ignored. Every error has a code, a sentence that says what to do, and its own page.",
    href: "/docs/errors",
    link: "Error codes",
  },
  {
    title: "A sandbox with bad days",
    text: "Test cards decline, require 3-D Secure, lose the response or return garbage, and a test clock runs months of renewals in seconds.",
    href: "/docs/testing",
    link: "Test cards",
  },
] as const;

export default async function HomePage() {
  const { baseUrl, sandboxBaseUrl } = await publicUrls();
  const request = curl({
    method: "POST",
    url: `${sandboxBaseUrl ?? baseUrl}/v1/payments`,
    withApiKey: true,
    idempotencyKey: "my-first-payment",
    body: {
      amount: 4999,
      currency: "USD",
      card: { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvv: "123" },
    },
  });
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto max-w-[84rem] px-4 sm:px-6">
        <div className="grid gap-x-16 gap-y-10 py-12 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)] lg:py-20">
          <div className="max-w-xl">
            <h1 className="text-balance font-semibold text-3xl leading-tight tracking-[-0.025em] sm:text-[2.5rem]">
              Card payments over a plain HTTP API
            </h1>
            <p className="mt-5 text-base text-soft leading-relaxed">
              Create, capture, void, refund and look up payments, and bill subscriptions. Amounts are whole numbers,
              times are UTC, and every request either runs exactly once or is refused with a reason.
            </p>
            <div className="mt-7 flex flex-wrap items-center gap-x-5 gap-y-3">
              <Link
                href="/docs/quickstart"
                className="rounded-md bg-accent px-3.5 py-2 font-medium text-[13px] text-on-accent hover:opacity-90"
              >
                Take a payment in five steps
              </Link>
              {findDemoShop() && (
                <Link
                  href="/demo"
                  prefetch={false}
                  className="rounded-md border px-3.5 py-2 font-medium text-[13px] hover:bg-raised"
                >
                  Try the sample shop
                </Link>
              )}
              <Link
                href="/sign-in"
                prefetch={false}
                className="rounded-md border px-3.5 py-2 font-medium text-[13px] hover:bg-raised"
              >
                Open the dashboard
              </Link>
              <Link href="/docs/reference" className="text-[13px] text-accent underline-offset-4 hover:underline">
                API reference
              </Link>
            </div>
            <h2 className="mt-12 font-medium">Your first payment</h2>
            <ol className="mt-3 list-decimal space-y-2 pl-5 text-soft marker:text-soft">
              <li>
                Start the service with <code className="tick text-ink">npm start</code>. It prints a test key.
              </li>
              <li>
                Store the key: <code className="tick text-ink">export CARDLANE_KEY=sk_test_…</code>
              </li>
              <li>Send the request on this page. The card number is a test card; no money moves.</li>
            </ol>
          </div>
          <div className="min-w-0 space-y-4">
            <CodeBlock title="Create a payment" language="sh" code={request} />
            <CodeBlock title="201 Created" language="json" code={ANSWER} />
          </div>
        </div>
        <ul className="grid border-t md:grid-cols-3 md:divide-x">
          {PROMISES.map(({ title, text, href, link }) => (
            <li key={href} className="py-7 max-md:border-b md:px-8 md:first:pl-0 md:last:pr-0">
              <h2 className="font-medium">{title}</h2>
              <p className="mt-1.5 text-soft leading-relaxed">{text}</p>
              <Link
                href={href}
                className="mt-3 inline-block text-[13px] text-accent underline-offset-4 hover:underline"
              >
                {link}
              </Link>
            </li>
          ))}
        </ul>
      </main>
    </>
  );
}
