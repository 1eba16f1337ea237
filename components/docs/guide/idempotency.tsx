import Link from "next/link";
import { DataTable } from "../data-table";

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
