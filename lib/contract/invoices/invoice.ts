import { z } from "zod";
import {
  amountOut,
  createdParams,
  isInOrder,
  isPagedOnce,
  listOf,
  metadata,
  OUT_OF_ORDER,
  PAGED_TWICE,
  pageParams,
  text,
  timestamp,
} from "@/lib/contract/fields";
import { idInput, idOf } from "@/lib/contract/ids";
import { INVOICE_KINDS, INVOICE_STATUSES } from "@/lib/contract/subscriptions/statuses";

const invoiceStatus = z.enum(INVOICE_STATUSES);

const invoiceLine = z
  .object({
    type: z.enum(["PLAN", "TRIAL", "PRORATION", "CREDIT"]).describe("What it is for."),
    description: z.string().describe("In words."),
    quantity: z.int().describe("Units of the plan."),
    unit_amount: amountOut.describe("Price of one unit for a whole period, in minor units."),
    amount: z.int().describe("Minor units; negative if it is credited."),
    start_at: timestamp.describe("Start of the time it pays for."),
    end_at: timestamp.describe("End of the time it pays for."),
  })
  .meta({ id: "InvoiceLine" });
export type InvoiceLine = z.infer<typeof invoiceLine>;

const invoiceTax = z
  .object({
    name: z.string().describe("What customers call it, such as `VAT`."),
    percentage: z.number().describe("Its rate, with up to three decimals: `8.25` is 8.25 %."),
    net: z.int().describe("The total without it, in minor units."),
    amount: z.int().describe("Its part of the total, in minor units, rounded half-even."),
  })
  .meta({ id: "InvoiceTax" });

export const invoice = z
  .object({
    id: idOf("invoice").describe("Unique id of the invoice."),
    object: z.literal("invoice").describe("Always `invoice`."),
    number: z.string().nullable().describe("`INV-000001` upwards, without gaps; null while it is a DRAFT."),
    kind: z.enum(INVOICE_KINDS).describe("What it is for: a paid trial, a period, or a change within one."),
    subscription_id: idOf("subscription").describe("The subscription."),
    customer_id: z.string().describe("Your own id for the customer."),
    status: invoiceStatus.describe("Where it is in its life."),
    period: z
      .object({
        number: z.int().describe("The period's number; 0 is the trial."),
        start_at: timestamp.describe("Its start."),
        end_at: timestamp.describe("Its end."),
      })
      .describe("The period that it belongs to."),
    lines: z.array(invoiceLine).describe("What it charges and credits."),
    total: z.int().describe("Sum of the lines, in minor units."),
    tax: invoiceTax
      .nullable()
      .describe("The tax that the total includes, as it was when the invoice was issued; null without one."),
    credit_used: amountOut.describe("Credit of the subscription that it used up, in minor units."),
    amount_due: amountOut.describe("What is to be paid, in minor units."),
    amount_paid: amountOut.describe("What was paid, in minor units."),
    currency: z.string().describe("ISO 4217 code, upper case."),
    attempts: z.int().describe("Payment attempts so far."),
    next_attempt_at: timestamp.nullable().describe("When the next payment is attempted; null if none is planned."),
    payment_ids: z.array(idOf("payment")).describe("Its payments, oldest first."),
    hosted_url: z
      .string()
      .nullable()
      .describe(
        "Page on which the customer sees, prints and pays it, for anyone who has its address. Null while it is a DRAFT.",
      ),
    paid_at: timestamp.nullable().describe("When it was paid."),
    voided_at: timestamp.nullable().describe("When it was voided."),
    metadata: metadata.describe("Your own keys and values."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    created_at: timestamp.describe("When it was created."),
    updated_at: timestamp.describe("When it last changed."),
  })
  .meta({ id: "Invoice" });
export type Invoice = z.infer<typeof invoice>;

export const invoiceList = listOf(invoice).meta({ id: "InvoiceList" });

export const payInvoiceBody = z
  .strictObject({
    payment_method_id: idInput
      .optional()
      .describe("A card of the customer, for this payment only; the subscription's by default."),
  })
  .meta({ id: "PayInvoiceRequest" });
export type PayInvoiceBody = z.infer<typeof payInvoiceBody>;

export const listInvoicesQuery = z
  .strictObject({
    ...pageParams,
    subscription_id: idInput.optional().describe("Only invoices of this subscription."),
    customer_id: text(255).optional().describe("Only invoices of this customer."),
    status: invoiceStatus.optional().describe("Only this status."),
    ...createdParams,
  })
  .refine(isPagedOnce, PAGED_TWICE)
  .refine(isInOrder, OUT_OF_ORDER);
export type ListInvoicesQuery = z.infer<typeof listInvoicesQuery>;
