import { z } from "zod";
import {
  amountOut,
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
import { DISPUTE_REASONS, DISPUTE_STATUSES } from "./statuses";

export const dispute = z
  .object({
    id: idOf("dispute").describe("Unique id of the dispute."),
    object: z.literal("dispute").describe("Always `dispute`."),
    payment_id: idOf("payment").describe("The disputed payment."),
    transaction_id: idOf("transaction").describe("The payment's charge."),
    customer_id: z.string().nullable().describe("Your own id for the customer; null if the payment has none."),
    processor_id: z.string().describe("The dispute's id at the processor, where you respond to it."),
    amount: amountOut.describe("The disputed amount, in minor units."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    reason: z.enum(DISPUTE_REASONS).describe("What the cardholder says, whatever their card network calls it."),
    status: z.enum(DISPUTE_STATUSES).describe("The current status."),
    respond_by: timestamp.nullable().describe("Deadline for evidence; null when none is needed."),
    fee: z
      .int()
      .nullable()
      .describe("What the processor charges for it, in minor units of `currency`; null if it doesn't tell."),
    network_reason_code: z.string().nullable().describe("The card network's own code of the reason, such as `10.4`."),
    dashboard_url: z
      .string()
      .nullable()
      .describe("The dispute in the processor's dashboard, where you respond; null if it has no page of its own."),
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
    customer_id: text(255).optional().describe("Only of this customer."),
    payment_id: idInput.optional().describe("Only of this payment."),
    respond_by_after: instant.optional().describe("Deadline later than this ISO 8601 time (exclusive)."),
    respond_by_before: instant.optional().describe("Deadline earlier than this ISO 8601 time (exclusive)."),
  })
  .refine(isPagedOnce, PAGED_TWICE)
  .refine(
    ({ respond_by_after: after, respond_by_before: before }) =>
      after === undefined || before === undefined || instantOf(after) <= instantOf(before),
    { path: ["respond_by_after"], message: "respond_by_after must not be later than respond_by_before." },
  );
export type ListDisputesQuery = z.infer<typeof listDisputesQuery>;
