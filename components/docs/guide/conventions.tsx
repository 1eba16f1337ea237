import Link from "next/link";
import { CodeBlock, curl } from "@/components/docs/code";

export function ErrorsSection({ problem }: { problem: string }) {
  return (
    <>
      <h2 id="errors">Errors</h2>
      <p>
        Every error is an <code className="tick">application/problem+json</code> (RFC 9457). Branch on{" "}
        <code className="tick">code</code>, show <code className="tick">detail</code> to a developer, and quote{" "}
        <code className="tick">request_id</code> to support; it is in the <code className="tick">X-Request-Id</code>{" "}
        header of every answer too. <code className="tick">type</code> is the address of the page about the code.{" "}
        <Link href="/docs/errors">All codes, with cause and cure</Link>.
      </p>
      <CodeBlock title="402 Payment Required" language="json" code={problem} />
      <p>
        Requests are checked in this order: key, permission, rate limit, idempotency header, size and form of the body,
        the object, the idempotency key's history, and last the rules of the business. Requests are strict: an unknown
        member is an error, and so is a query parameter given twice.
      </p>
    </>
  );
}

export function Conventions() {
  return (
    <>
      <h2 id="conventions">Conventions</h2>
      <ul>
        <li>
          Amounts are integers in minor units of their currency: 4999 is 49.99 USD, 4999 JPY, or 4.999 KWD. Only a
          plan's price is a decimal number in major units.
        </li>
        <li>Currencies are ISO 4217 codes in capitals.</li>
        <li>
          Times in answers are ISO 8601 in UTC with milliseconds. Times you send may have any offset; a bare date is the
          start of that day in UTC, and as the end of a range its end.
        </li>
        <li>
          Ids start with what they are (<code className="tick">pay_</code>, <code className="tick">txn_</code>,{" "}
          <code className="tick">plan_</code>, <code className="tick">cs_</code>) and sort by creation time.
        </li>
        <li>
          Answers have all their members always; one that does not apply is <code className="tick">null</code>.
        </li>
        <li>
          <code className="tick">metadata</code> holds up to 50 keys of your own.
        </li>
      </ul>
    </>
  );
}

export function Pagination({ baseUrl }: { baseUrl: string }) {
  return (
    <>
      <h2 id="pagination">Pagination</h2>
      <p>
        Lists are newest first and answer <code className="tick">data</code> with <code className="tick">has_more</code>{" "}
        and <code className="tick">total</code>, which is exact up to 10,000 and at most two seconds old; beyond,{" "}
        <code className="tick">total_capped</code> is true. <code className="tick">limit</code> is 1 to 100, by default
        20; a value out of range is refused, never changed to fit.
      </p>
      <p>
        Use <code className="tick">offset</code> to jump to a page, and <code className="tick">starting_after</code>{" "}
        with the last id you have to go through everything: it costs the same on every page and skips nothing when new
        objects come in.
      </p>
      <CodeBlock
        title="The next page"
        language="sh"
        code={curl({
          method: "GET",
          url: `${baseUrl}/v1/transactions?limit=100&starting_after=txn_…`,
          withApiKey: true,
        })}
      />
    </>
  );
}

export function Limits() {
  return (
    <>
      <h2 id="limits">Limits</h2>
      <ul>
        <li>
          Requests: 100 per second and key, 200 at once after a pause, unless your operator set other values.{" "}
          <code className="tick">RateLimit</code> tells how many are left; past the limit you get{" "}
          <Link href="/docs/errors/rate_limited">429</Link> with <code className="tick">Retry-After</code>.
        </li>
        <li>
          At once: 250 requests that write and 4 for one payment are at work; the others wait in line, up to 10 seconds.
        </li>
        <li>Answers: 5 MB per second, 50 MB at once after a pause.</li>
        <li>Body: 64 KiB.</li>
        <li>Idempotency key: 255 characters, valid for 24 hours.</li>
        <li>Payment: at most 500 refunds.</li>
        <li>Authorization: to be captured within seven days.</li>
        <li>Client session: 24 hours, five attempts, one successful payment.</li>
      </ul>
    </>
  );
}

export function Versioning() {
  return (
    <>
      <h2 id="versioning">Versioning</h2>
      <p>
        The version is part of the path: <code className="tick">/v1</code>. Within it we add operations, optional
        request members, members of answers, and error codes, so let your code pass over what it does not know. Nothing
        is renamed, removed or given another meaning; that would be <code className="tick">/v2</code>.
      </p>
    </>
  );
}
