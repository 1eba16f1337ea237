import { z } from "zod";
import { isSupportedCurrency } from "@/lib/contract/currencies";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import {
  amount,
  currency,
  instant,
  isStorable,
  NOT_STORABLE,
  refuseCardNumber,
  timestamp,
} from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";
import { permission } from "@/lib/contract/permissions";

/** Keys become `EXPIRED` by time; users set the other states. */
export const API_KEY_STATES = ["ACTIVE", "DISABLED", "EXPIRED", "REVOKED"] as const;
export const API_KEY_ACTIONS = ["edit", "rotate", "disable", "enable", "revoke"] as const;
export type ApiKeyAction = (typeof API_KEY_ACTIONS)[number];

/** Limits of a key's refunds. Days are UTC's; the day's count starts when the limits are set. */
export const keyLimits = z
  .strictObject({
    refund_max: amount.nullable().default(null).describe("The largest single refund, in minor units; null: any."),
    refunds_per_day: z
      .int()
      .min(0)
      .max(1_000_000)
      .nullable()
      .default(null)
      .describe("The number of refunds that it may make per day (UTC); null: any number."),
    refund_amount_per_day: amount
      .nullable()
      .default(null)
      .describe("The amount that it may refund per day (UTC), in minor units; null: any amount."),
    currency: currency
      .refine(isSupportedCurrency, "Use a supported ISO 4217 currency.")
      .nullable()
      .default(null)
      .describe("The currency of both amounts, and the only one it may then refund; null without amounts."),
  })
  .refine(
    (limits) => (limits.currency !== null) === (limits.refund_max !== null || limits.refund_amount_per_day !== null),
    { path: ["currency"], error: "Send the currency of refund_max and refund_amount_per_day, and none without them." },
  )
  .meta({ id: "ApiKeyLimits" });
export type KeyLimits = z.infer<typeof keyLimits>;

/** A key without its secret. */
export const apiKey = z
  .object({
    id: idOf("apiKey").describe("Unique id of the key, not its secret."),
    object: z.literal("api_key").describe("Always `api_key`."),
    name: z.string().describe("Its name in the dashboard."),
    prefix: z.string().describe("The start of the secret: `sk_test_` or `sk_live_`."),
    last4: z.string().describe("The last four characters of the secret."),
    permissions: z.array(permission).describe("What requests with this key can do."),
    status: z.enum(API_KEY_STATES).describe("It becomes `EXPIRED` at `expires_at`, without an event."),
    ip_allow_list: z.array(z.string()).describe("Addresses and CIDR blocks it may be used from; empty means anywhere."),
    limits: keyLimits.nullable().describe("What it may refund; null: anything that `transaction.refund` allows."),
    expires_at: timestamp.nullable().describe("When it stops working; null: never."),
    last_used_at: timestamp.nullable().describe("When it was last used, accurate to a few seconds."),
    last_used_ip: z.string().nullable().describe("The address it was last used from."),
    rotated_from: idOf("apiKey").nullable().describe("The key it replaced."),
    replaced_by: idOf("apiKey").nullable().describe("The key that replaced it."),
    available_actions: z.array(z.enum(API_KEY_ACTIONS)).describe("What you can do with it now, in the dashboard."),
    created_at: timestamp.describe("When it was created."),
    updated_at: timestamp.describe("When its settings or status last changed. Using the key doesn't count."),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof apiKey>;

/** `secret` is null in a replayed response, because the service stores only its digest. */
export const issuedApiKey = z.object({ api_key: apiKey, secret: z.string().nullable() });
export type IssuedApiKey = z.infer<typeof issuedApiKey>;

/** A unique value per opened form, so that sending it twice creates one key. */
const attempt = z
  .string()
  .regex(/^[\w-]{16,64}$/, "Use 16 to 64 letters, digits, dashes and underscores.")
  .superRefine(refuseCardNumber);

const MAX_ADDRESSES = 100;
export const NOT_AN_ADDRESS = "Enter an IP address or a CIDR block such as 203.0.113.0/24.";
/** An IP address or CIDR block, checked by its characters only; it is fully validated before writing. */
const address = z.string().regex(/^[0-9a-f.:]{2,45}(\/\d{1,3})?$/i, NOT_AN_ADDRESS);

const settings = {
  name: z.string().max(1_000).refine(isStorable, NOT_STORABLE).superRefine(refuseCardNumber),
  permissions: z.array(permission),
  expires_at: instant.nullable(),
  ip_allow_list: z.array(address).max(MAX_ADDRESSES, `At most ${MAX_ADDRESSES} entries.`),
  /** Absent leaves them as they are. */
  limits: keyLimits.nullable().optional(),
};
export const createApiKeyBody = z.strictObject({ attempt, ...settings });
export type CreateApiKeyBody = z.infer<typeof createApiKeyBody>;
export type ApiKeySettings = Omit<CreateApiKeyBody, "attempt">;
/**
 * The complete new settings, and the `updated_at` they are based on, so that later changes aren't
 * overwritten.
 */
export const updateApiKeyBody = z.strictObject({ ...settings, updated_at: instant });
export type UpdateApiKeyBody = z.infer<typeof updateApiKeyBody>;

/** Hours that the old key stays valid. */
export const OVERLAP_HOURS = [0, 1, 24, 168] as const;
export type OverlapHours = (typeof OVERLAP_HOURS)[number];
export const rotateApiKeyBody = z.strictObject({ attempt, overlap_hours: z.literal(OVERLAP_HOURS) });
export type RotateApiKeyBody = z.infer<typeof rotateApiKeyBody>;

const BASE = "/api/dashboard/{mode}/api-keys";
/** A live key moves money, so managing one requires re-authentication. */
const base = { method: "POST", permission: "api_key.manage", reauthentication: "live" } as const;
const issue = { ...base, verified: "live" } as const;

export const createApiKey = dashboardEndpoint({
  ...issue,
  name: "createApiKey",
  path: BASE,
  body: createApiKeyBody,
  status: 201,
  response: issuedApiKey,
});

export const updateApiKey = dashboardEndpoint({
  ...issue,
  method: "PATCH",
  name: "updateApiKey",
  path: `${BASE}/{id}`,
  body: updateApiKeyBody,
  status: 200,
  response: apiKey,
});

export const rotateApiKey = dashboardEndpoint({
  ...issue,
  name: "rotateApiKey",
  path: `${BASE}/{id}/rotate`,
  body: rotateApiKeyBody,
  status: 201,
  response: issuedApiKey,
});

const change = { ...base, body: z.strictObject({}), status: 200, response: apiKey } as const;
/** Disabling a stolen key must be immediate, without confirmation; it can be enabled again. */
export const disableApiKey = dashboardEndpoint({
  ...change,
  reauthentication: undefined,
  name: "disableApiKey",
  path: `${BASE}/{id}/disable`,
});
export const enableApiKey = dashboardEndpoint({
  ...change,
  verified: "live",
  name: "enableApiKey",
  path: `${BASE}/{id}/enable`,
});
export const revokeApiKey = dashboardEndpoint({
  ...change,
  name: "revokeApiKey",
  path: `${BASE}/{id}/revoke`,
});
