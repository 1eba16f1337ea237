import { z } from "zod";
import { AppError, type FieldError } from "@/lib/contract/errors";
import {
  amount,
  amountOut,
  billingAddress,
  currency,
  customerFields,
  humanText,
  metadata,
  refuseCardNumber,
  timestamp,
  webUrl,
} from "@/lib/contract/fields";
import { idInput, idOf } from "@/lib/contract/ids";
import { captureMethod } from "@/lib/contract/payments/payment";
import type { Mode } from "@/lib/contract/transactions/words";
import { APPEARANCE_PRESETS, APPEARANCE_THEMES, contrastProblems, FONT_FAMILY, HEX_COLOR } from "./appearance";
import { CHECKOUT_MODES } from "./checkout";

/**
 * Origins become part of a Content-Security-Policy; URLs allow characters in host names that would end it.
 */
const PLAIN_ORIGIN = /^https?:\/\/[\w.-]+(:\d+)?$|^https?:\/\/\[[\da-f:]+\](:\d+)?$/;

/** True for an origin as browsers write it: scheme and host, no path. */
export const isOrigin = (text: string): boolean =>
  PLAIN_ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text;

type Addresses = { readonly allowed_origins?: readonly string[] | undefined; readonly return_url: string | null };

const MESSAGE =
  "In live mode this must begin with https://, so that nobody on the network can tamper with the payment page.";

/**
 * Throws `invalid_parameter` for a live payment with an unencrypted page or return address. Test mode accepts
 * http, because shops are developed on local machines.
 */
export function requireSecureAddresses(
  { mode }: { readonly mode: Mode },
  { allowed_origins = [], return_url }: Addresses,
): void {
  if (mode !== "live") return;
  const given: [param: string, address: string | null][] = [
    ...allowed_origins.map((origin, index): [string, string] => [`allowed_origins.${index}`, origin]),
    ["return_url", return_url],
  ];
  const errors = given
    .filter(([, address]) => address !== null && !/^https:/i.test(address))
    .map(([param]): FieldError => ({ param, code: "invalid_parameter", message: MESSAGE }));
  const [first] = errors;
  if (first) throw new AppError("invalid_parameter", `${first.param}: ${MESSAGE}`, { param: first.param, errors });
}

export const CLIENT_SESSION_STATUSES = ["OPEN", "COMPLETED", "EXPIRED", "CANCELLED"] as const;
const clientSessionStatus = z.enum(CLIENT_SESSION_STATUSES);
export type ClientSessionStatus = z.infer<typeof clientSessionStatus>;

const color = z.string().regex(HEX_COLOR, "Use a hex color such as #1a73e8.");
export const appearance = z
  .strictObject({
    preset: z
      .enum(APPEARANCE_PRESETS)
      .optional()
      .describe("The starting point for the other settings; `clean` by default."),
    theme: z.enum(APPEARANCE_THEMES).optional().describe("`system` follows the shopper's device."),
    accent_color: color.optional().describe("Buttons and focus, such as #1a73e8."),
    background_color: color.optional().describe("Page background."),
    text_color: color.optional().describe("Text."),
    border_radius: z.int().min(0).max(24).optional().meta({ description: "Corner radius in pixels." }),
    font_family: humanText(100)
      .regex(FONT_FAMILY, "Use font names separated by commas.")
      .optional()
      .describe("A CSS font family."),
  })
  .superRefine((value, context) => {
    // Invalid members already have an error of their own.
    if (![value.background_color, value.text_color].every((part) => part === undefined || HEX_COLOR.test(part))) return;
    const unreadable = contrastProblems(value).find(({ param }) => param === "text_color");
    if (!unreadable) return;
    const message = `Text would have a contrast of ${unreadable.contrast.toFixed(1)} to 1 on its background; it needs ${unreadable.needed}.`;
    context.addIssue({ code: "custom", path: ["text_color"], message });
  })
  .meta({ id: "Appearance" });

/** `HTTPS://Bücher.example:443/ ` → `https://xn--bcher-kva.example`: equal origins are stored alike. */
function normalizeOrigin(text: string): string {
  const typed = text.trim();
  const { origin, path } = partsOf(typed);
  return origin !== null && (path === "" || path === "/") ? origin : typed;
}

/** Origin and rest of an http or https address; the origin is null for any other text. */
function partsOf(text: string): { origin: string | null; path: string } {
  const [, base, path = ""] = /^(https?:\/\/[^\s/?#\\@]+)([/?#].*)?$/i.exec(text) ?? [];
  const origin = base !== undefined && URL.canParse(base) ? new URL(base).origin : null;
  return { origin: origin !== null && isOrigin(origin) ? origin : null, path };
}

const NO_ORIGIN = "Use an origin: scheme and host, no path, such as https://shop.example.";

/** Reason why a text isn't an origin, with the fix. */
function originMistake(text: string): string {
  const { origin } = partsOf(text);
  if (origin !== null) return `Send ${origin}: an origin has a scheme and a host, no path.`;
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || /^https?$/.test(scheme)) return NO_ORIGIN;
  return `Browsers embed the form in http:// and https:// pages only. An app whose pages begin with ${scheme}: opens the session's iframe_url in the system browser instead, and needs no allowed_origins; on Android, Capacitor's own origin is https://localhost. See /docs/checkout#apps.`;
}

const origin = z
  .string()
  .max(300)
  .overwrite(normalizeOrigin)
  .refine(isOrigin, { error: ({ input }) => originMistake(String(input)) })
  .superRefine(refuseCardNumber);

/** Body of POST /v1/client-sessions: the price is a plan's, or an amount and a currency. */
export const createClientSessionBody = z
  .strictObject({
    mode: z
      .enum(CHECKOUT_MODES)
      .default("payment")
      .describe(
        "`payment`: the card pays. `tokenize`: the form returns a token for your server. `setup`: the card is checked and stored for the customer's later payments; send `customer_id`, and no plan or amount.",
      ),
    plan_id: idInput
      .nullable()
      .default(null)
      .describe("The plan to sell; or send amount and currency. A recurring plan begins a subscription."),
    amount: amount.nullable().default(null).describe("Amount in minor units; without a plan."),
    currency: currency.nullable().default(null).describe("ISO 4217 code, upper case; without a plan."),
    ...customerFields,
    capture_method: captureMethod.default("automatic").describe("`manual` authorizes now; you capture later."),
    allowed_origins: z
      .array(origin)
      .max(20)
      .overwrite((origins) => [...new Set(origins)])
      .default([])
      .describe(
        "Origins that may embed the payment form, stored as browsers write them: lower case, without a path or default port. Without any, it only works as a payment link. In live mode, https only.",
      ),
    return_url: webUrl
      .nullable()
      .default(null)
      .describe("Where the shopper returns to, kept byte for byte. In live mode, https only."),
    appearance: appearance.nullable().default(null).describe("How the payment form looks."),
    metadata: metadata.default({}),
  })
  .superRefine((body, context) => {
    const missing = (param: string, message: string) =>
      context.addIssue({ code: "custom", path: [param], params: { code: "missing_parameter" }, message });
    if (body.mode === "setup") {
      for (const param of ["plan_id", "amount", "currency"] as const)
        if (body[param] !== null)
          context.addIssue({
            code: "custom",
            path: [param],
            message: "A setup session charges nothing: leave it out.",
          });
      if (body.capture_method === "manual")
        context.addIssue({
          code: "custom",
          path: ["capture_method"],
          message: "A setup session captures nothing: leave it out.",
        });
      if (body.customer_id === null) missing("customer_id", "Send the customer whose card is stored.");
    } else if (body.plan_id !== null) {
      if (body.amount !== null)
        context.addIssue({ code: "custom", path: ["amount"], message: "Send either plan_id, or amount and currency." });
      if (body.currency !== null)
        context.addIssue({
          code: "custom",
          path: ["currency"],
          message: "Send either plan_id, or amount and currency.",
        });
    } else if (body.amount === null) missing("amount", "Send a plan_id, or amount and currency.");
    else if (body.currency === null) missing("currency", "Send the currency of the amount.");
  })
  .meta({ id: "CreateClientSessionRequest" });
export type CreateClientSessionBody = z.infer<typeof createClientSessionBody>;

export const clientSession = z
  .object({
    id: idOf("clientSession").describe("Unique id of the session."),
    object: z.literal("client_session").describe("Always `client_session`."),
    client_session_token: z
      .string()
      .nullable()
      .meta({ description: "Shown once, in the response that creates the session." }),
    status: clientSessionStatus.describe(
      "OPEN, also while its payment is in progress. COMPLETED once a payment is captured or authorized (`payment_id`), or a card is stored without one (`payment_method_id`). EXPIRED when its time or its attempts run out. CANCELLED by you.",
    ),
    mode: z.enum(CHECKOUT_MODES).describe("What the payment form does with the card."),
    amount: amountOut
      .nullable()
      .describe("What the shopper pays now, in minor units; 0 with a free trial, null in mode `setup`."),
    currency: z.string().nullable().describe("ISO 4217 code, upper case; null in mode `setup`."),
    plan_id: idOf("plan").nullable().describe("The plan it sells."),
    payment_id: idOf("payment").nullable().describe("The payment that completed it."),
    payment_method_id: idOf("paymentMethod").nullable().describe("The card that it stored for later payments."),
    subscription_id: idOf("subscription").nullable().describe("The subscription that its payment belongs to."),
    capture_method: captureMethod.describe("Whether the payment is captured immediately or when you call capture."),
    customer_id: z.string().nullable().describe("Your own id for the customer."),
    customer_email: z.string().nullable().describe("The customer's e-mail address."),
    customer_name: z.string().nullable().describe("The customer's name."),
    billing_address: billingAddress.nullable().describe("The card's billing address."),
    allowed_origins: z.array(z.string()).describe("Origins that may embed the payment form."),
    return_url: z.string().nullable().describe("Where the shopper returns to."),
    appearance: appearance.nullable().describe("How the payment form looks."),
    metadata: metadata.describe("Your own keys and values."),
    attempts_left: z.int().describe("Attempts the shopper has left."),
    iframe_url: z.string().nullable().meta({ description: "Contains the token, so it is shown only once." }),
    environment: z.enum(["sandbox", "live"]).describe("The environment it belongs to."),
    expires_at: timestamp.describe(
      "When it stops taking attempts: 24 hours after it was created, or with the fifth attempt.",
    ),
    created_at: timestamp.describe("When it was created."),
    updated_at: timestamp.describe("When it last changed."),
  })
  .meta({ id: "ClientSession" });
export type ClientSession = z.infer<typeof clientSession>;
