import { Banner } from "@/components/ui/banner";
import type { PaymentDetail } from "@/lib/contract/dashboard/payment-detail";

/** What needs saying before all else: why it was declined, or that its outcome is not known. */
export function PaymentNotice({ detail }: { detail: PaymentDetail }) {
  const { payment, decline, pending, timeline } = detail;
  if (decline) {
    return (
      <Banner tone="red" title={decline.meaning}>
        <p>{decline.advice}</p>
        <p className="mt-1 text-soft text-xs">
          Decline code <code className="font-mono">{decline.code}</code>. No money was taken.
        </p>
      </Banner>
    );
  }
  if (payment.status === "FAILED") {
    return (
      <Banner tone="red" title="The payment failed, and no money was taken">
        The processor could not carry it out. Try again with a new idempotency key.
      </Banner>
    );
  }
  if (payment.status === "REQUIRES_ACTION") {
    return (
      <Banner tone="amber" title="The shopper has to confirm this payment">
        The card issuer asked for 3-D Secure. Send the shopper to the challenge page; nothing is charged until they
        pass.
      </Banner>
    );
  }
  const open = timeline.findLast((entry) => entry.outcome === "pending");
  if (!pending || !open) return null;
  return (
    <Banner tone="amber" title="Outcome not known yet">
      {open.said} This page follows it by itself.
    </Banner>
  );
}
