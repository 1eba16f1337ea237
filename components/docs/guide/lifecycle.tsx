import type { PaymentStatus } from "@/lib/contract/payment";
import { DataTable } from "../data-table";
import { RichText } from "../rich-text";

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
