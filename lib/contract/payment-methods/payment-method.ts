import { z } from "zod";
import {
  humanText,
  instant,
  isPagedOnce,
  listOf,
  metadata,
  PAGED_TWICE,
  pageParams,
  refuseOwnCard,
  text,
  timestamp,
} from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";
import { cardInput, cardShown, paymentToken, requireOneCard } from "@/lib/contract/payments/payment";

const PAYMENT_METHOD_STATUSES = ["ACTIVE", "EXPIRED", "REMOVED"] as const;
const paymentMethodStatus = z.enum(PAYMENT_METHOD_STATUSES).meta({ id: "PaymentMethodStatus" });
export type PaymentMethodStatus = z.infer<typeof paymentMethodStatus>;

const isIp = (value: string) => z.ipv4().safeParse(value).success || z.ipv6().safeParse(value).success;
const ip = z.string().max(45).refine(isIp, "Use an IP address, such as 203.0.113.7.");

/** The customer's agreement to later charges, as the merchant recorded it. */
const consent = z
  .object({
    at: timestamp.describe("When the customer agreed."),
    ip: z.string().nullable().describe("The customer's IP address at the time."),
    text: z.string().describe("The words that the customer agreed to."),
  })
  .meta({ id: "PaymentMethodConsent" });
export type Consent = z.infer<typeof consent>;

export const paymentMethod = z
  .object({
    id: idOf("paymentMethod").describe("Unique id of the payment method."),
    object: z.literal("payment_method").describe("Always `payment_method`."),
    customer_id: z.string().describe("Your own id for the customer, whose payments alone it can pay."),
    card: cardShown.nullable().describe("The card, without its number; null until the processor shows it."),
    status: paymentMethodStatus.describe(
      "`ACTIVE`; `EXPIRED` after the last day of the card's month (the issuer decides whether a charge succeeds); `REMOVED`: never charged again.",
    ),
    consent: consent.nullable().describe("The customer's agreement, if you sent it."),
    metadata: metadata.describe("Your own keys and values."),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    created_at: timestamp.describe("When it was created."),
    updated_at: timestamp.describe("When it last changed."),
  })
  .meta({ id: "PaymentMethod" });
export type PaymentMethod = z.infer<typeof paymentMethod>;

export const paymentMethodList = listOf(paymentMethod).meta({ id: "PaymentMethodList" });

/** Body of POST /v1/payment-methods. */
export const createPaymentMethodBody = z
  .strictObject({
    customer_id: text(255).describe("Your own id for the customer."),
    payment_token: paymentToken.optional(),
    card: cardInput.optional().describe("Raw card data, in test mode only."),
    consent: z
      .strictObject({
        text: humanText(2000).describe("The words that the customer agreed to."),
        ip: ip.nullable().default(null).describe("The customer's IP address at the time."),
        at: instant.nullable().default(null).describe("When the customer agreed; default now."),
      })
      .nullable()
      .default(null)
      .describe("The customer's agreement to later charges, for disputes."),
    metadata: metadata.default({}),
  })
  .superRefine((body, context) => {
    refuseOwnCard(body, context);
    requireOneCard(body, ["payment_token", "card"], context);
  })
  .meta({ id: "CreatePaymentMethodRequest" });
export type CreatePaymentMethodBody = z.infer<typeof createPaymentMethodBody>;

export const listPaymentMethodsQuery = z
  .strictObject({
    ...pageParams,
    customer_id: text(255).optional().describe("Only this customer (your own id)."),
    status: paymentMethodStatus.optional().describe("Only this status."),
  })
  .refine(isPagedOnce, PAGED_TWICE);
export type ListPaymentMethodsQuery = z.infer<typeof listPaymentMethodsQuery>;
