import { dispute } from "@/lib/contract/disputes/dispute";
import * as objects from "@/lib/contract/disputes/example-objects";
import { dataOf, first } from "./payment-events";

const data = dataOf(dispute, dispute.partial());

const SUBMITTED = {
  ...objects.disputeWithEvidence,
  status: "UNDER_REVIEW" as const,
  respond_by: null,
  available_actions: [],
  updated_at: "2026-11-25T10:03:51.904Z",
};
const ended = (status: "WON" | "LOST" | "ACCEPTED") => ({
  object: { ...SUBMITTED, status, updated_at: "2026-12-09T08:40:27.316Z" },
  previous: { status: SUBMITTED.status, updated_at: SUBMITTED.updated_at },
});

/** Events of disputes; part of the catalog. */
export const DISPUTE_EVENTS = {
  "dispute.opened": {
    summary: "A cardholder's bank disputes a payment and may take the money back. Respond before `respond_by`.",
    data,
    example: first(objects.dispute),
  },
  "dispute.updated": {
    summary:
      "You saved evidence, the bank asks for evidence again, or another member of a dispute changed, such as the amount.",
    data,
    example: {
      object: { ...objects.dispute, amount: 2500, updated_at: SUBMITTED.updated_at },
      previous: { amount: objects.dispute.amount, updated_at: objects.dispute.updated_at },
    },
  },
  "dispute.evidence_submitted": {
    summary: "The evidence is with the cardholder's bank, which decides.",
    data,
    example: {
      object: SUBMITTED,
      previous: {
        status: objects.dispute.status,
        respond_by: objects.dispute.respond_by,
        available_actions: objects.dispute.available_actions,
        updated_at: objects.disputeWithEvidence.updated_at,
      },
    },
  },
  "dispute.due_soon": {
    summary:
      "The time to respond to a dispute ends within two days. Once for each dispute that still needs a response.",
    data,
    example: { object: objects.dispute, previous: {} },
  },
  "dispute.won": {
    summary: "The bank decided in your favor, or ended its inquiry and took no money.",
    data,
    example: ended("WON"),
  },
  "dispute.lost": {
    summary: "The bank decided in the cardholder's favor, or nobody responded in time. The amount is lost.",
    data,
    example: ended("LOST"),
  },
  "dispute.accepted": {
    summary: "The dispute was accepted. The amount is lost.",
    data,
    example: ended("ACCEPTED"),
  },
} as const;
