import { z } from "zod";
import {
  amountOut,
  humanText,
  instant,
  instantOf,
  isPagedOnce,
  listOf,
  PAGED_TWICE,
  pageParams,
  text,
  timestamp,
} from "@/lib/contract/fields";
import { idInput, idOf } from "@/lib/contract/ids";
import { DISPUTE_ACTIONS, DISPUTE_RESPONSES, EVIDENCE_TEXTS, MAX_EVIDENCE_FILES } from "./evidence";
import { DISPUTE_REASONS, DISPUTE_STATUSES } from "./statuses";

const SAID = {
  product_description: "What the customer bought.",
  customer_communication: "What you and the customer wrote to each other.",
  shipping_carrier: "Who delivered it.",
  shipping_tracking: "The carrier's tracking number, or several.",
  shipped_at: "When it was shipped.",
  refund_policy: "Your refund policy, and where the customer saw it.",
  notes: "Anything else that supports your case.",
  files: "Ids of files that prove it.",
} as const;

const evidence = z
  .object({
    product_description: z.string().nullable().describe(SAID.product_description),
    customer_communication: z.string().nullable().describe(SAID.customer_communication),
    shipping_carrier: z.string().nullable().describe(SAID.shipping_carrier),
    shipping_tracking: z.string().nullable().describe(SAID.shipping_tracking),
    shipped_at: timestamp.nullable().describe(SAID.shipped_at),
    refund_policy: z.string().nullable().describe(SAID.refund_policy),
    notes: z.string().nullable().describe(SAID.notes),
    files: z.array(idOf("file")).describe(SAID.files),
  })
  .meta({ id: "DisputeEvidence" });
export type Evidence = z.infer<typeof evidence>;

const evidenceText = (name: keyof typeof EVIDENCE_TEXTS) =>
  humanText(EVIDENCE_TEXTS[name]).nullable().optional().describe(SAID[name]);

export const updateDisputeBody = z
  .strictObject({
    evidence: z
      .strictObject({
        product_description: evidenceText("product_description"),
        customer_communication: evidenceText("customer_communication"),
        shipping_carrier: evidenceText("shipping_carrier"),
        shipping_tracking: evidenceText("shipping_tracking"),
        shipped_at: instant.nullable().optional().describe(SAID.shipped_at),
        refund_policy: evidenceText("refund_policy"),
        notes: evidenceText("notes"),
        files: z
          .array(idInput)
          .max(MAX_EVIDENCE_FILES, `Send at most ${MAX_EVIDENCE_FILES} files. Combine documents into one PDF.`)
          .refine((ids) => new Set(ids).size === ids.length, "Send each file once.")
          .nullable()
          .optional()
          .describe(`${SAID.files} Replaces the earlier list.`),
      })
      .describe("Members that you leave out stay as they are; null removes one."),
  })
  .meta({ id: "UpdateDisputeRequest" });
export type UpdateDisputeBody = z.infer<typeof updateDisputeBody>;

export const dispute = z
  .object({
    id: idOf("dispute").describe("Unique id of the dispute."),
    object: z.literal("dispute").describe("Always `dispute`."),
    payment_id: idOf("payment").describe("The disputed payment."),
    transaction_id: idOf("transaction").describe("The payment's charge."),
    customer_id: z.string().nullable().describe("Your own id for the customer; null if the payment has none."),
    processor_id: z.string().describe("The dispute's id at the processor."),
    amount: amountOut.describe("The disputed amount, in minor units."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    reason: z.enum(DISPUTE_REASONS).describe("What the cardholder says, whatever their card network calls it."),
    status: z.enum(DISPUTE_STATUSES).describe("The current status."),
    respond_by: timestamp.nullable().describe("Deadline for evidence; null when none is needed."),
    evidence: evidence.describe("Your evidence: a draft until you submit it."),
    available_actions: z
      .array(z.enum(DISPUTE_ACTIONS))
      .describe("What you can do with it here. Empty if it takes no response, or only the processor's own pages do."),
    pending_action: z
      .enum(DISPUTE_RESPONSES)
      .nullable()
      .describe("The response that was sent to the processor and is not confirmed yet."),
    fee: z
      .int()
      .nullable()
      .describe("The processor's fee for it, in minor units of `currency`; null if the processor doesn't report one."),
    network_reason_code: z.string().nullable().describe("The card network's own code of the reason, such as `10.4`."),
    dashboard_url: z
      .string()
      .nullable()
      .describe("The dispute in the processor's dashboard; null if it has no page of its own."),
    environment: z.enum(["sandbox", "live"]).describe("Which of your two environments it belongs to."),
    created_at: timestamp.describe("When the bank opened it."),
    updated_at: timestamp.describe("When Cardlane learned of its last change."),
  })
  .meta({ id: "Dispute" });
export type Dispute = z.infer<typeof dispute>;

export const disputeList = listOf(dispute).meta({ id: "DisputeList" });

export const listDisputesQuery = z
  .strictObject({
    ...pageParams,
    status: z.enum(DISPUTE_STATUSES).optional().describe("Only this status."),
    reason: z.enum(DISPUTE_REASONS).optional().describe("Only this reason."),
    customer_id: text(255).optional().describe("Only disputes of this customer."),
    payment_id: idInput.optional().describe("Only disputes of this payment."),
    respond_by_after: instant.optional().describe("Deadline later than this ISO 8601 time (exclusive)."),
    respond_by_before: instant.optional().describe("Deadline earlier than this ISO 8601 time (exclusive)."),
  })
  .refine(isPagedOnce, PAGED_TWICE)
  .refine(
    ({ respond_by_after: after, respond_by_before: before }) =>
      after === undefined || before === undefined || instantOf(after) <= instantOf(before),
    { path: ["respond_by_after"], message: "must not be later than respond_by_before." },
  );
export type ListDisputesQuery = z.infer<typeof listDisputesQuery>;
