import Link from "next/link";
import { DataTable, RichText } from "@/components/docs/prose";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import { PERMISSIONS } from "@/lib/contract/permissions";

type BaseUrls = { baseUrl: string; sandboxBaseUrl: string | null; liveBaseUrl: string | null };

/** Permissions of operations that a key can call; the others belong to parts of the service outside this reference. */
export function Authentication({ urls, usedPermissions }: { urls: BaseUrls; usedPermissions: ReadonlySet<string> }) {
  const { baseUrl, sandboxBaseUrl, liveBaseUrl } = urls;
  const apart = sandboxBaseUrl !== null || liveBaseUrl !== null;
  return (
    <>
      <h2 id="authentication">Authentication</h2>
      <p>
        Send your secret key in the <code className="tick">X-Api-Key</code> header of every request, from your server
        only. A key belongs to one merchant and one environment: <code className="tick">sk_test_…</code> is the sandbox,{" "}
        <code className="tick">sk_live_…</code> is live. Data of the one never appears in the other.
      </p>
      {apart ? (
        <ul>
          <li>
            Sandbox: <code className="tick">{sandboxBaseUrl ?? baseUrl}</code>
          </li>
          <li>
            Live: <code className="tick">{liveBaseUrl ?? baseUrl}</code>
          </li>
        </ul>
      ) : (
        <p>
          Both environments are at <code className="tick">{baseUrl}</code>; the key decides.
        </p>
      )}
      <p>
        Keys carry permissions, and can carry an expiry and an allow list of addresses. An operation that the key may
        not do is refused with <Link href="/docs/errors/permission_denied">permission_denied</Link> before anything is
        looked up. The permissions of these operations:
      </p>
      <p className="leading-7">
        {PERMISSIONS.filter((name) => usedPermissions.has(name)).map((name) => (
          <span key={name}>
            <code className="tick whitespace-nowrap">{name}</code>{" "}
          </span>
        ))}
      </p>
      <p>
        A key that is revoked or disabled stops working within a second. Unknown, revoked and expired keys all get the
        same answer: <Link href="/docs/errors/api_key_invalid">api_key_invalid</Link>.
      </p>
    </>
  );
}

const ROWS = [
  ["A new key", "The request is carried out, and its result is kept for 24 hours."],
  [
    "The same key, the same parameters",
    "The kept answer, byte for byte, with the header Idempotent-Replayed: true. Nothing is done again.",
  ],
  ["The same key, other parameters or another path", "409 idempotency_key_reused."],
  [
    "The same key while the first request runs",
    "We wait up to two seconds and answer with its result, else 409 idempotency_request_in_progress.",
  ],
  ["The same key after 24 hours", "It is a new key."],
] as const;

export function Idempotency() {
  return (
    <>
      <h2 id="idempotency">Idempotency</h2>
      <p>
        A request can get lost on its way, and so can its answer. So every operation that moves money needs an{" "}
        <code className="tick">X-Idempotency-Key</code>: any string of 1 to 255 characters, a UUID or your order number
        and step. Make the key before the first try, and send it with every try.
      </p>
      <DataTable
        caption="What an idempotency key does"
        columns={["You send", "You get"]}
        rows={ROWS.map(([sent, got]) => ({ key: sent, cells: [sent, got] }))}
      />
      <p>
        “The same parameters” means method, path and parsed body: the order of members, white space, and leaving out a
        member that has a default make no difference. Keys belong to one environment. Creating a plan or a client
        session takes the header too, but does not need it.
      </p>
      <h3>What is kept</h3>
      <p>
        Successes, declines (402), <Link href="/docs/errors/invalid_state">invalid_state</Link> and business refusals
        (422) are kept and replayed. Other answers leave the key free: correct the request, or wait, and send it again
        with the same key.
      </p>
      <h3>When the outcome is unknown</h3>
      <p>
        If the card processor does not answer, you get <strong>202</strong> and the object as it stands: a new payment
        or refund is <code className="tick">PENDING</code>, and a payment being captured or voided offers no actions. We
        keep asking the processor. Send the same request with the same key, or get the object, until it is known. A
        time-out on your side is no different: retry with the same key and you get the one true result, never a second
        charge.
      </p>
    </>
  );
}

const STATUSES: Record<PaymentStatus, { means: string; next: string }> = {
  PENDING: { means: "The outcome is not known yet.", next: "Known within seconds, as a rule." },
  REQUIRES_ACTION: {
    means: "The shopper must pass 3-D Secure.",
    next: "`next_action` has the address to send them to.",
  },
  AUTHORIZED: { means: "The amount is held on the card.", next: "Capture or void it within seven days." },
  CAPTURED: { means: "The money was taken.", next: "It settles; it can be refunded." },
  SETTLED: { means: "The money is on its way to you.", next: "It can be refunded." },
  PARTIALLY_REFUNDED: { means: "A part was returned.", next: "The rest can be refunded." },
  REFUNDED: { means: "All of it was returned.", next: "The end, unless a refund fails later." },
  VOIDED: { means: "The hold was released, by you or because time ran out.", next: "The end." },
  DECLINED: { means: "The issuer or the fraud rules refused it.", next: "The end. `decline_code` says why." },
  FAILED: { means: "It could not be carried out; no money moved.", next: "The end." },
};

export function Lifecycle() {
  return (
    <>
      <h2 id="lifecycle">The life of a payment</h2>
      <p>
        A payment has one charge and up to 500 refunds. Each of these is a transaction of its own, with its own id and
        status. You can act on the payment or on its charge, which is the same. Go by{" "}
        <code className="tick">available_actions</code> rather than by the status: it is the same rule that decides.
      </p>
      <DataTable
        caption="Statuses of a payment"
        columns={["Status", "Means", "Next"]}
        rows={Object.entries(STATUSES).map(([status, { means, next }]) => ({
          key: status,
          cells: [
            <code key="status" className="font-mono text-xs">
              {status}
            </code>,
            means,
            <RichText key="next" text={next} />,
          ],
        }))}
      />
      <p>
        A refund is a transaction of type <code className="tick">REFUND</code> with a positive amount. It goes from{" "}
        <code className="tick">PENDING</code> to <code className="tick">CAPTURED</code> (accepted) and{" "}
        <code className="tick">SETTLED</code>, or to <code className="tick">FAILED</code>: then the refunded amount of
        its payment goes back.
      </p>
    </>
  );
}
