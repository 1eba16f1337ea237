import { z } from "zod";
import { amountOut, isPagedOnce, listOf, PAGED_TWICE, pageParams, timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";
import { FILTERS } from "@/lib/contract/transactions/filters";
import { cardBrand, words } from "@/lib/contract/transactions/transaction";

const minor = (what: string) => z.int().describe(`${what}, in minor units.`);

export const customer = z
  .object({
    id: idOf("customer").describe("Unique id of the customer; it never changes."),
    object: z.literal("customer").describe("Always `customer`."),
    customer_id: z.string().nullable().describe("Your own id; null for a customer known only by e-mail."),
    email: z.string().nullable().describe("The latest e-mail, in lower case."),
    name: z.string().nullable().describe("The latest name."),
    first_payment_at: timestamp
      .nullable()
      .describe("When the first payment was created; null before, for example during a free trial."),
    last_payment_at: timestamp
      .nullable()
      .describe("When the last payment was created; may be seconds late. Null without a payment."),
    payments: z.int().describe("Number of payments, whatever their outcome."),
    declined: z.int().describe("How many of them were declined."),
    currencies: z
      .array(
        z.object({
          currency: z.string().describe("ISO 4217 code, upper case."),
          captured: amountOut.describe("Captured, in minor units."),
          refunded: amountOut.describe("Refunded, in minor units."),
          net: minor("Captured less what was refunded"),
          disputed: amountOut.describe("Disputes that are open or lost, in minor units. Not deducted from `net`."),
        }),
      )
      .describe("Totals by currency."),
    cards: z
      .array(
        z.object({
          brand: cardBrand.nullable().describe("Brand of the card."),
          last4: z.string().describe("Its last four digits."),
          exp_month: z.int().nullable().describe("Month in which it expires."),
          exp_year: z.int().nullable().describe("Year in which it expires."),
          last_used_at: timestamp.describe("When it was last used for a payment attempt."),
        }),
      )
      .describe("Cards used in the last 1,000 payments, newest first; at most twenty."),
  })
  .meta({ id: "Customer" });
export type Customer = z.infer<typeof customer>;

export const customerList = listOf(customer).meta({ id: "CustomerList" });

export const listCustomersQuery = z
  .strictObject({
    ...pageParams,
    q: words(FILTERS.q)
      .optional()
      .describe(
        "Words to find, up to eight. Each must begin a word of the customer's name, e-mail or id. Case, accents, apostrophes, hyphens and punctuation around a word do not matter, `ä` may be `ae`, and Chinese, Japanese, Korean and Thai names are found by any part.",
      ),
  })
  .refine(isPagedOnce, PAGED_TWICE);
export type ListCustomersQuery = z.infer<typeof listCustomersQuery>;

/** A payment's or subscription's customer (`cust_…`). */
export type LinkedCustomer = { id: string; name: string | null };
