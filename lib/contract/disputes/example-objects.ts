import { CHARGE_ID, charge, PAYMENT_ID } from "@/lib/contract/example-objects";
import { encodeId } from "@/lib/contract/ids";
import type { Dispute } from "./dispute";
import type { File } from "./file";

/** The cardholder disputes the payment of the other examples. */
export const dispute: Dispute = {
  id: encodeId("dispute", "019aa6f0-3d20-7b18-9c64-1f7e5a2d8b03"),
  object: "dispute",
  payment_id: PAYMENT_ID,
  transaction_id: CHARGE_ID,
  customer_id: charge.customer_id,
  processor_id: "dp_1SVqXkLkdIwHu7ixQW2mC4aT",
  amount: 4999,
  currency: "USD",
  reason: "FRAUDULENT",
  status: "NEEDS_RESPONSE",
  respond_by: "2026-11-28T23:59:59.000Z",
  evidence: {
    product_description: null,
    customer_communication: null,
    shipping_carrier: null,
    shipping_tracking: null,
    shipped_at: null,
    refund_policy: null,
    notes: null,
    files: [],
  },
  available_actions: ["update", "submit", "accept"],
  pending_action: null,
  fee: 1500,
  network_reason_code: "10.4",
  dashboard_url: "https://dashboard.stripe.com/disputes/dp_1SVqXkLkdIwHu7ixQW2mC4aT",
  environment: "live",
  created_at: "2026-11-21T14:12:09.000Z",
  updated_at: "2026-11-21T14:12:11.480Z",
};

export const file: File = {
  id: encodeId("file", "019aa6f4-1b70-7d25-8e42-6c1d3b9f5a07"),
  object: "file",
  name: "Lieferschein Müller & Söhne.pdf",
  type: "application/pdf",
  size: 182_344,
  environment: "live",
  created_at: "2026-11-21T14:20:31.120Z",
};

export const disputeWithEvidence: Dispute = {
  ...dispute,
  evidence: {
    ...dispute.evidence,
    product_description: "Two prints, framed, order 1001.",
    shipping_carrier: "DHL",
    shipping_tracking: "00340434161094042557",
    shipped_at: "2026-11-14T08:00:00.000Z",
    files: [file.id],
  },
  updated_at: "2026-11-21T14:21:02.550Z",
};
