import { z } from "zod";
import type { CardBrand } from "@/lib/contract/transactions/words";

/**
 * A field that Adyen's card component encrypted in the shopper's browser. Plain digits and the test account's
 * `test_4111…` are refused: a card number in clear isn't a token, and would be stored with the payment.
 */
const encrypted = (max: number) =>
  z
    .string()
    .min(20)
    .max(max)
    .regex(/^[A-Za-z0-9+/=_.$-]+$/)
    .refine((text) => !/^(?:test_)?\d+$/.test(text));

const browserInfo = z.strictObject({
  acceptHeader: z.string().max(2_000),
  colorDepth: z.int32(),
  javaEnabled: z.boolean(),
  javaScriptEnabled: z.boolean().optional(),
  language: z.string().max(50),
  screenHeight: z.int32(),
  screenWidth: z.int32(),
  timeZoneOffset: z.int32(),
  userAgent: z.string().max(2_000),
});

const fields = z.strictObject({
  encryptedCardNumber: encrypted(15_000),
  encryptedExpiryMonth: encrypted(15_000),
  encryptedExpiryYear: encrypted(15_000),
  encryptedSecurityCode: encrypted(15_000),
  brand: z
    .string()
    .regex(/^[a-z_]{2,40}$/)
    .optional(),
  holderName: z
    .string()
    .max(200)
    // A number typed into the wrong field.
    .refine((text) => !/\d{4}/.test(text))
    .optional(),
  /** From the component, for 3-D Secure. */
  browserInfo: browserInfo.optional(),
});
export type EncryptedFields = z.infer<typeof fields>;

const OWN = "adyen.";
const STORED = "adyen_stored.";

/** Parses a token from the component on the merchant's page; null for any other text. */
export function readOwnToken(token: string): EncryptedFields | null {
  if (!token.startsWith(OWN)) return null;
  const encoded = token.slice(OWN.length);
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) return null;
  try {
    return fields.safeParse(JSON.parse(Buffer.from(encoded, "base64url").toString("utf8"))).data ?? null;
  } catch (failure) {
    if (failure instanceof SyntaxError) return null;
    throw failure;
  }
}

export const ownToken = (given: EncryptedFields) =>
  OWN + Buffer.from(JSON.stringify(given), "utf8").toString("base64url");

/** Token for a card stored at Adyen for one payment, by its journal subject. */
export const storedToken = (subject: string) => STORED + subject;
export const subjectOfStored = (token: string) => (token.startsWith(STORED) ? token.slice(STORED.length) : null);

const BRANDS: Readonly<Record<string, CardBrand>> = {
  visa: "visa",
  mc: "mastercard",
  amex: "amex",
  discover: "discover",
};

/**
 * Our brand for Adyen's payment method, such as `mc` or `visa_applepay`; null if the contract doesn't have
 * it.
 */
export const brandOf = (name: string | undefined): CardBrand | null => BRANDS[name?.split("_")[0] ?? ""] ?? null;

/** A card stored at Adyen for later payments: Adyen's id, and the shopper reference that it belongs to. */
export type KeptCard = { readonly id: string; readonly shopper: string };

const KEPT = "adyen_card.";
export const keptToken = ({ id, shopper }: KeptCard) => `${KEPT}${shopper}.${id}`;

/** Null if the text is no token of a card for later payments. */
export function readKeptToken(token: string): KeptCard | null {
  const [, shopper, id] = /^adyen_card\.([\w-]{3,200})\.(\w{1,64})$/.exec(token) ?? [];
  return shopper && id ? { id, shopper } : null;
}

/**
 * The shopper reference of a card that a payment or check stores. Each card has its own: Adyen stores equal
 * cards of one shopper once, so that removing one of them would remove the other.
 */
export const shopperOf = (owner: Owner, reference: string) => `${prefixOf(owner)}${reference}`;
export const isShopperOf = (owner: Owner, shopper: string) => shopper.startsWith(prefixOf(owner));

export type Owner = { readonly account: string; readonly customer: string };
const prefixOf = ({ account, customer }: Owner) => `${account}_${customer}_`;
